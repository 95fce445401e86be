package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackedRowsTest {

    private static final int ROWS = 700;
    private static final int USE = PackedRows.COLUMNS - 1;

    private static long value(SplittableRandom random, int column) {
        return switch (column) {
            case 0 -> 7;
            case 1 -> random.nextLong(1L << 32);
            case 2 -> (1L << 32) - 1 - random.nextInt(3);
            case 3 -> random.nextInt(2);
            default -> random.nextLong(1L << (1 + random.nextInt(32)));
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void randomChanges_anyRows_readBack(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        PackedRows rows = new PackedRows();
        long[][] model = new long[ROWS][PackedRows.COLUMNS];
        while (rows.capacity() < ROWS) {
            rows.grow();
        }
        for (int step = 0; step < 20_000; step++) {
            int row = random.nextInt(ROWS);
            if (model[row][USE] == 0) {
                for (int column = 0; column < USE; column++) {
                    model[row][column] = value(random, column);
                }
                model[row][USE] = 1L + random.nextInt(3);
                rows.setRow(row, model[row]);
            } else {
                int column = random.nextInt(PackedRows.COLUMNS);
                model[row][column] = column == USE ? random.nextInt(4) : value(random, column);
                rows.set(row, column, model[row][column]);
            }
            int probe = random.nextInt(ROWS);
            for (int column = 0; column < PackedRows.COLUMNS; column++) {
                if (model[probe][USE] != 0 || column == USE) {
                    assertThat(rows.get(probe, column))
                            .as("seed %d step %d row %d column %d", seed, step, probe, column)
                            .isEqualTo(model[probe][column]);
                }
            }
        }
    }

    @Test
    void footprint_columnsThatHardlyDiffer_takeTheBitsOfTheirDifferences() {
        PackedRows rows = new PackedRows();
        int count = 128 * 100;
        while (rows.capacity() < count) {
            rows.grow();
        }
        for (int row = 0; row < count; row++) {
            rows.setRow(row, new long[] {5, 1_000_000_000, 3, 4_000_000_000L + row % 8, row, 1});
        }
        // 3 bits of the fourth column, 7 of the fifth, 1 of the last, and the header of a block.
        assertThat((double) rows.footprintBytes() / count).isLessThan(2.2);
        assertThat(rows.get(77, 4)).isEqualTo(77);
        assertThat(rows.get(77, 3)).isEqualTo(4_000_000_005L);
    }
}
