package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random operations on a tree and on a map of each single chunk to its placement. */
class CidTreeModelTest {

    private static final int[] CREATORS = {0x4000, 0x8000, 0x8001, Nid.MAX};
    private static final int OPERATIONS = 8_000;

    /** LIDs of the model lie in this many places from the first and below the last LID of each creator. */
    private static final int LIDS_AT_EACH_END = 150;

    private final TreeMap<Long, Placement> model = new TreeMap<>(Cid::compare);

    @ParameterizedTest
    @CsvSource({"1,4,8,6", "2,4,8,6", "3,8,8,40", "4,16,8,400", "5,256,64,6", "6,256,64,70000"})
    void randomOperations_anyTree_equalsTheModel(long seed, int leafMax, int innerMax, int placementVariety) {
        SplittableRandom random = new SplittableRandom(seed);
        CidTree tree = new CidTree(leafMax, innerMax);
        for (int step = 0; step < OPERATIONS; step++) {
            int creator = CREATORS[random.nextInt(CREATORS.length)];
            long start = randomCid(random, creator);
            long end = random.nextInt(4) == 0 ? start : randomCid(random, creator);
            if (Cid.compare(start, end) > 0 || farApart(start, end)) {
                end = start;
            }
            Placement placement = placement(random.nextInt(placementVariety));
            String at = "seed %d step %d".formatted(seed, step);
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> insert(tree, start, end, placement, at);
                case 3, 4, 5, 6, 7 -> migrate(tree, start, end, placement, at);
                case 8 -> delete(tree, start, end, at);
                default -> delete(tree, start, start, at);
            }
            tree.verify();
            long probe = randomCid(random, creator);
            assertThat(tree.placementOf(probe)).as(at).isEqualTo(model.get(probe));
            if (step % 50 == 0) {
                assertThat(rangesOf(tree)).as(at).isEqualTo(rangesOfModel());
                assertThat(tree.rangeCount()).as(at).isEqualTo(rangesOfModel().size());
            }
        }
        assertThat(tree.rangeCount()).as("seed %d", seed).isGreaterThan(100);
        for (int creator : CREATORS) {
            tree.delete(Cid.firstOf(creator), Cid.lastOf(creator));
            tree.verify();
        }
        assertThat(tree.rangeCount()).isZero();
        assertThat(tree.placementCount()).isZero();
    }

    private static long randomCid(SplittableRandom random, int creator) {
        int offset = random.nextInt(LIDS_AT_EACH_END);
        return random.nextBoolean() ? Cid.firstOf(creator) + offset : Cid.lastOf(creator) - offset;
    }

    private static boolean farApart(long start, long end) {
        return end - start > LIDS_AT_EACH_END;
    }

    private static Placement placement(int number) {
        return new Placement(
                Nid.storageNid(1 + number % 5), new int[] {0x0FFE}, 1 + number, number, PlacementState.IN_SYNC);
    }

    private List<Placement> known(long start, long end) {
        return new ArrayList<>(model.subMap(start, true, end, true).values());
    }

    private void putAll(long start, long end, Placement placement) {
        for (long cid = start; cid != end + 1; cid++) {
            model.put(cid, placement);
        }
    }

    private void insert(CidTree tree, long start, long end, Placement placement, String at) {
        if (known(start, end).isEmpty()) {
            tree.insert(start, end, placement);
            putAll(start, end, placement);
        } else {
            assertThatThrownBy(() -> tree.insert(start, end, placement))
                    .as(at)
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    private void migrate(CidTree tree, long start, long end, Placement placement, String at) {
        if (known(start, end).size() == end - start + 1) {
            tree.migrate(start, end, placement);
            putAll(start, end, placement);
        } else {
            assertThatThrownBy(() -> tree.migrate(start, end, placement))
                    .as(at)
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    private void delete(CidTree tree, long start, long end, String at) {
        boolean any = !known(start, end).isEmpty();
        assertThat(tree.delete(start, end)).as(at).isEqualTo(any);
        model.subMap(start, true, end, true).clear();
    }

    private static List<CidRange> rangesOf(CidTree tree) {
        List<CidRange> ranges = new ArrayList<>();
        tree.forEachRange((start, end, placement) -> ranges.add(new CidRange(start, end, placement)));
        return ranges;
    }

    private List<CidRange> rangesOfModel() {
        List<CidRange> ranges = new ArrayList<>();
        model.forEach((cid, placement) -> {
            CidRange last = ranges.isEmpty() ? null : ranges.getLast();
            if (last != null && last.endCidInclusive() + 1 == cid && Objects.equals(last.placement(), placement)) {
                ranges.set(ranges.size() - 1, new CidRange(last.startCid(), cid, placement));
            } else {
                ranges.add(new CidRange(cid, cid, placement));
            }
        });
        return ranges;
    }
}
