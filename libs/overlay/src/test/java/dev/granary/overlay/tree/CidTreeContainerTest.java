package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Trees with containers, beside an array that says for each LID who holds it. */
class CidTreeContainerTest {

    private static final int NID = 0x8000;
    private static final int REGIONS = 4;
    private static final int LIDS = REGIONS * Region.SIZE;

    /** The number of the placement of each LID; 0 is none. */
    private final int[] model = new int[LIDS];

    private int mostContainers;
    private int containersLost;

    private static Placement placement(int number) {
        return new Placement(
                Nid.storageNid(number), new int[] {0x0FFE, 0x1FFE}, number, number, PlacementState.IN_SYNC);
    }

    private static long cid(long lid) {
        return Cid.of(NID, lid);
    }

    private static @Nullable Placement placementOrNone(int number) {
        return number == 0 ? null : placement(number);
    }

    @ParameterizedTest
    @CsvSource({"1,3,256,256", "2,30,256,256", "3,60,256,8", "4,3,100,16"})
    void randomOperations_denseRanges_equalTheModel(long seed, int variety, int leafMax, int innerMax) {
        SplittableRandom random = new SplittableRandom(seed);
        CidTree tree = new CidTree(leafMax, innerMax);
        assign(tree, 1, LIDS - 1, 1);
        for (int step = 0; step < 8_000; step++) {
            // Phases: mostly single chunks to others, then mostly spans back to the first.
            boolean gather = step / 2_500 % 3 == 1;
            int start = 1 + random.nextInt(LIDS - 1);
            int longest = random.nextInt(gather ? 4 : 400) == 0 ? 100_000 : random.nextInt(20) == 0 ? 300 : 2;
            int end = Math.min(LIDS - 1, start + random.nextInt(longest));
            if (random.nextInt(300) == 0) {
                // Ends at borders of regions.
                start = Math.max(1, start & -Region.SIZE);
                end = Math.max(start, Math.min(LIDS - 1, (end | Region.SIZE - 1) + random.nextInt(2)));
            }
            int number = gather ? 1 : random.nextInt(1 + variety);
            int before = tree.containerCount();
            assign(tree, start, end, number);
            mostContainers = Math.max(mostContainers, tree.containerCount());
            containersLost += Math.max(0, before - tree.containerCount());
            String at = "seed %d step %d".formatted(seed, step);
            checkFind(tree, 1 + random.nextInt(LIDS - 1), at);
            checkFind(tree, start, at);
            if (step % 1_500 == 0) {
                tree.verify();
                assertThat(ranges(tree)).as(at).isEqualTo(rangesOfModel());
            }
        }
        tree.verify();
        assertThat(mostContainers).as("seed %d", seed).isEqualTo(REGIONS);
        assertThat(containersLost).as("seed %d", seed).isGreaterThan(REGIONS);
        tree.delete(Cid.firstOf(NID), Cid.lastOf(NID));
        tree.verify();
        assertThat(tree.placementCount() + tree.rangeCount() + tree.containerCount())
                .isZero();
    }

    private void assign(CidTree tree, int start, int end, int number) {
        boolean gap = false;
        boolean range = false;
        for (int lid = start; lid <= end; lid++) {
            gap |= model[lid] == 0;
            range |= model[lid] != 0;
        }
        Placement placement = placementOrNone(number);
        if (placement == null) {
            assertThat(tree.delete(cid(start), cid(end))).isEqualTo(range);
        } else if (!range) {
            tree.insert(cid(start), cid(end), placement);
        } else if (!gap) {
            tree.migrate(cid(start), cid(end), placement);
        } else {
            tree.assign(cid(start), cid(end), placement);
        }
        Arrays.fill(model, start, end + 1, number);
    }

    private void checkFind(CidTree tree, int lid, String at) {
        int start = lid;
        while (start > 1 && model[start - 1] == model[lid]) {
            start--;
        }
        int end = lid;
        while (end < LIDS - 1 && model[end + 1] == model[lid]) {
            end++;
        }
        Placement placement = placementOrNone(model[lid]);
        assertThat(tree.placementOf(cid(lid))).as(at).isEqualTo(placement);
        assertThat(tree.lookup(cid(lid)))
                .as(at)
                .isEqualTo(placement == null ? 0 : placement.epoch() << 16 | placement.owner());
        assertThat(tree.find(cid(lid)).orElse(null))
                .as(at)
                .isEqualTo(placement == null ? null : new CidRange(cid(start), cid(end), placement));
    }

    private static List<CidRange> ranges(CidTree tree) {
        List<CidRange> ranges = new ArrayList<>();
        tree.forEachRange((start, end, placement) -> ranges.add(new CidRange(start, end, placement)));
        return ranges;
    }

    private List<CidRange> rangesOfModel() {
        List<CidRange> ranges = new ArrayList<>();
        int start = 1;
        for (int lid = 1; lid < LIDS; lid++) {
            if (lid == LIDS - 1 || model[lid + 1] != model[lid]) {
                Placement placement = placementOrNone(model[lid]);
                if (placement != null) {
                    ranges.add(new CidRange(cid(start), cid(lid), placement));
                }
                start = lid + 1;
            }
        }
        return ranges;
    }

    @ParameterizedTest
    @CsvSource({"1,1,2.0", "5,1,3.5", "5,100,3.5", "20,100,3.5"})
    void footprint_oneInTenChunksMigratedAlone_isFarBelowABoundaryEach(int owners, int seed, double mostBytes) {
        int chunks = 2_000_000;
        CidTree tree = new CidTree();
        tree.insert(cid(1), cid(chunks), placement(1));
        SplittableRandom random = new SplittableRandom(seed);
        int moved = 0;
        for (int i = 0; i < chunks / 10; i++) {
            long cid = cid(1 + random.nextInt(chunks));
            tree.migrate(cid, cid, placement(2 + i % owners));
            moved++;
        }
        tree.verify();
        assertThat((double) tree.footprintBytes() / moved).as("seed %d", seed).isLessThan(mostBytes);
    }

    @Test
    void containers_ofAllThreeForms_areChosenByWhatIsInThem() {
        CidTree tree = new CidTree();
        tree.insert(cid(1), cid(LIDS - 1), placement(1));
        for (int lid = 1; lid < Region.SIZE; lid += 20) {
            tree.migrate(cid(lid), cid(lid), placement(2));
        }
        for (int lid = Region.SIZE; lid < 2 * Region.SIZE; lid += 4) {
            tree.migrate(cid(lid), cid(lid), placement(2));
        }
        for (int lid = 2 * Region.SIZE; lid < 3 * Region.SIZE; lid += 200) {
            tree.migrate(cid(lid), cid(lid + 99), placement(2));
        }
        assertThat(tree.formAt(cid(1))).isEqualTo(ArrayCodes.class);
        assertThat(tree.formAt(cid(Region.SIZE))).isEqualTo(BitmapCodes.class);
        assertThat(tree.formAt(cid(2 * Region.SIZE))).isEqualTo(RunCodes.class);
        assertThat(tree.formAt(cid(3 * Region.SIZE))).isNull();
        assertThat(tree.find(cid(21))).contains(new CidRange(cid(21), cid(21), placement(2)));
        assertThat(tree.find(cid(22))).contains(new CidRange(cid(22), cid(40), placement(1)));
        tree.verify();
        tree.migrate(cid(1), cid(LIDS - 1), placement(3));
        assertThat(tree.containerCount()).isZero();
        assertThat(tree.rangeCount()).isEqualTo(1);
    }
}
