package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The three forms beside an array of codes. */
class RegionCodesTest {

    private static final int STEPS = 1_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomChanges_allForms_equalTheModel(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int codes = seed % 2 == 0 ? 2 : 200;
        List<RegionCodes> forms = List.of(new ArrayCodes(0, 0), new RunCodes(0, 1), new BitmapCodes(8));
        int[] model = new int[Region.SIZE];
        for (int step = 0; step < STEPS; step++) {
            int start = edgeOrAny(random);
            int length = 1 << random.nextInt(random.nextInt(50) == 0 ? 16 : 4);
            int end = Math.min(Region.SIZE - 1, start + random.nextInt(length));
            int code = random.nextInt(codes);
            Arrays.fill(model, start, end + 1, code);
            for (RegionCodes form : forms) {
                form.set(start, end, code);
                for (int place : new int[] {start, end, edgeOrAny(random), Math.max(0, start - 1)}) {
                    check(form, model, place, "seed %d step %d place %d".formatted(seed, step, place));
                }
            }
        }
        for (RegionCodes form : forms) {
            for (RegionCodes copy : List.of(new ArrayCodes(1, 9), new RunCodes(1, 1), new BitmapCodes(8))) {
                copy.copyFrom(form);
                for (int place = 0; place < Region.SIZE; place++) {
                    assertThat(copy.at(place))
                            .as("seed %d place %d", seed, place)
                            .isEqualTo(model[place]);
                }
            }
        }
    }

    private static int edgeOrAny(SplittableRandom random) {
        return switch (random.nextInt(20)) {
            case 0 -> 0;
            case 1 -> Region.SIZE - 1;
            case 2 -> 64 * random.nextInt(Region.SIZE / 64);
            default -> random.nextInt(Region.SIZE);
        };
    }

    private static void check(RegionCodes form, int[] model, int place, String at) {
        int start = place;
        while (start > 0 && model[start - 1] == model[place]) {
            start--;
        }
        int end = place;
        while (end < Region.SIZE - 1 && model[end + 1] == model[place]) {
            end++;
        }
        assertThat(form.at(place)).as(at).isEqualTo(model[place]);
        assertThat(form.runStart(place)).as(at).isEqualTo(start);
        assertThat(form.runEnd(place)).as(at).isEqualTo(end);
    }
}
