package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlacementTableTest {

    private static Placement placement(int number) {
        int[] backups = new int[number % 4];
        for (int i = 0; i < backups.length; i++) {
            backups[i] = Nid.storageNid(100 + number % 50 + i);
        }
        PlacementState state = PlacementState.ofCode(number % 4);
        int zone = number % 3 == 0 ? 0 : number / 2;
        return new Placement(Nid.storageNid(1 + number % 90), backups, 1 + number / 7L, zone, state);
    }

    @ParameterizedTest
    @CsvSource({"1,10,2000", "2,300,20000", "3,40000,120000"})
    void randomReferences_anyPlacements_equalTheModel(long seed, int variety, int steps) {
        SplittableRandom random = new SplittableRandom(seed);
        PlacementTable table = new PlacementTable();
        Map<Integer, Integer> refs = new HashMap<>();
        Map<Integer, Long> counts = new HashMap<>();
        for (int step = 0; step < steps; step++) {
            int number = random.nextInt(variety);
            String at = "seed %d step %d".formatted(seed, step);
            Integer known = refs.get(number);
            // In the first half more references are taken than given back, in the second half fewer.
            if (random.nextInt(10) < (step < steps / 2 ? 7 : 3)) {
                int ref = table.intern(placement(number));
                assertThat(known == null || known == ref).as(at).isTrue();
                refs.put(number, ref);
                counts.merge(number, 1L, Long::sum);
            } else if (known != null) {
                table.release(known);
                if (counts.merge(number, -1L, Long::sum) == 0) {
                    counts.remove(number);
                    refs.remove(number);
                }
            }
            assertThat(table.size()).as(at).isEqualTo(refs.size());
            checkOne(table, random.nextInt(variety), refs, counts, at);
        }
        refs.forEach((number, ref) -> {
            assertThat(table.get(ref)).as("seed %d", seed).isEqualTo(placement(number));
            assertThat(table.lookup(ref))
                    .isEqualTo(
                            placement(number).epoch() << 16 | placement(number).owner());
        });
    }

    private static void checkOne(
            PlacementTable table, int probe, Map<Integer, Integer> refs, Map<Integer, Long> counts, String at) {
        Integer ref = refs.get(probe);
        assertThat(table.refOf(placement(probe))).as(at).isEqualTo(ref == null ? PlacementTable.NONE : ref);
        if (ref != null) {
            assertThat(table.get(ref)).as(at).isEqualTo(placement(probe));
            assertThat(table.countOf(ref)).as(at).isEqualTo(counts.get(probe));
        }
    }

    @Test
    void intern_afterAllWereReleased_startsAnew() {
        PlacementTable table = new PlacementTable();
        List<Integer> refs = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            refs.add(table.intern(placement(i)));
        }
        refs.forEach(table::release);
        assertThat(table.size()).isZero();
        assertThat(table.footprintBytes()).isLessThan(200);
        assertThat(table.intern(placement(3))).isEqualTo(1);
    }

    @Test
    void refsOfZone_severalEpochsOfOneZone_findsThemAll() {
        PlacementTable table = new PlacementTable();
        for (int zone = 1; zone <= 1_000; zone++) {
            for (int epoch = 1; epoch <= 1 + zone % 3; epoch++) {
                table.intern(new Placement(0x8000, new int[] {0x4000}, epoch, zone, PlacementState.IN_SYNC));
            }
        }
        for (int zone = 1; zone <= 1_000; zone++) {
            assertThat(table.refsOfZone(zone)).hasSize(1 + zone % 3);
        }
        assertThat(table.refsOfZone(1_001)).isEmpty();
    }
}
