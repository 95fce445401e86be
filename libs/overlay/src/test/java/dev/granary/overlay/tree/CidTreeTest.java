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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CidTreeTest {

    private static final int NID = 0x8000;
    private static final Placement A = Placement.unreplicated(0x8000, 1);
    private static final Placement B = Placement.unreplicated(0x4000, 2);
    private static final Placement C = new Placement(0xC000, new int[] {0x4000}, 3, 1, PlacementState.IN_SYNC);

    private final CidTree tree = new CidTree();

    @AfterEach
    void verifyTree() {
        tree.verify();
    }

    private static long cid(long lid) {
        return Cid.of(NID, lid);
    }

    private static CidRange range(long startLid, long endLid, Placement placement) {
        return new CidRange(cid(startLid), cid(endLid), placement);
    }

    private List<CidRange> ranges() {
        List<CidRange> ranges = new ArrayList<>();
        tree.forEachRange((start, end, placement) -> ranges.add(new CidRange(start, end, placement)));
        return ranges;
    }

    @Test
    void find_emptyTree_isEmpty() {
        assertThat(tree.find(cid(1))).isEmpty();
        assertThat(tree.find(0)).isEmpty();
        assertThat(tree.find(-1L)).isEmpty();
        assertThat(tree.findAtOrAfter(0)).isEmpty();
        assertThat(tree.rangeCount()).isZero();
    }

    @Test
    void find_insideRange_answersTheWholeRange() {
        tree.insert(cid(10), cid(20), A);
        assertThat(tree.find(cid(10))).contains(range(10, 20, A));
        assertThat(tree.find(cid(20))).contains(range(10, 20, A));
        assertThat(tree.find(cid(9))).isEmpty();
        assertThat(tree.find(cid(21))).isEmpty();
        assertThat(tree.findAtOrAfter(cid(3))).contains(range(10, 20, A));
        assertThat(tree.placementOf(cid(15))).isEqualTo(A);
    }

    @Test
    void migrate_middle_splitsIntoThree() {
        tree.insert(cid(1), cid(100), A);
        tree.migrate(cid(40), cid(60), B);
        assertThat(ranges()).containsExactly(range(1, 39, A), range(40, 60, B), range(61, 100, A));
    }

    @Test
    void migrate_eitherEnd_splitsIntoTwo() {
        tree.insert(cid(1), cid(100), A);
        tree.migrate(cid(1), cid(10), B);
        tree.migrate(cid(91), cid(100), C);
        assertThat(ranges()).containsExactly(range(1, 10, B), range(11, 90, A), range(91, 100, C));
    }

    @Test
    void migrate_chunkToItsNeighboursOwner_movesTheBorder() {
        tree.insert(cid(1), cid(6), A);
        tree.insert(cid(7), cid(9), B);
        tree.migrate(cid(6), cid(6), B);
        assertThat(ranges()).containsExactly(range(1, 5, A), range(6, 9, B));
    }

    @Test
    void migrate_backToTheOldPlacement_joinsAllThree() {
        tree.insert(cid(1), cid(100), A);
        tree.migrate(cid(50), cid(50), B);
        tree.migrate(cid(50), cid(50), A);
        assertThat(ranges()).containsExactly(range(1, 100, A));
        assertThat(tree.placementCount()).isEqualTo(1);
    }

    @Test
    void migrate_acrossSeveralRanges_replacesThemAll() {
        tree.insert(cid(1), cid(10), A);
        tree.insert(cid(11), cid(20), B);
        tree.insert(cid(21), cid(30), C);
        tree.migrate(cid(5), cid(25), Placement.unreplicated(0x2000, 9));
        assertThat(ranges())
                .containsExactly(range(1, 4, A), range(5, 25, Placement.unreplicated(0x2000, 9)), range(26, 30, C));
        assertThat(tree.placementCount()).isEqualTo(3);
    }

    @Test
    void migrate_overAGap_isRefusedAndChangesNothing() {
        tree.insert(cid(1), cid(10), A);
        tree.insert(cid(12), cid(20), A);
        assertThatThrownBy(() -> tree.migrate(cid(5), cid(15), B))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("0x800000000000000b is in no range");
        assertThat(ranges()).containsExactly(range(1, 10, A), range(12, 20, A));
    }

    @Test
    void insert_overlap_isRefusedAndNamesTheKnownRange() {
        tree.insert(cid(10), cid(20), A);
        for (long[] span : new long[][] {{1, 10}, {20, 30}, {12, 13}, {1, 30}, {10, 20}}) {
            assertThatThrownBy(() -> tree.insert(cid(span[0]), cid(span[1]), B))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("0x800000000000000a..0x8000000000000014");
        }
        assertThat(ranges()).containsExactly(range(10, 20, A));
    }

    @Test
    void insert_besideEqualPlacement_isJoined() {
        tree.insert(cid(10), cid(20), A);
        tree.insert(cid(21), cid(30), Placement.unreplicated(0x8000, 1));
        tree.insert(cid(1), cid(9), A);
        assertThat(ranges()).containsExactly(range(1, 30, A));
    }

    @Test
    void delete_middle_leavesBothEnds() {
        tree.insert(cid(1), cid(30), A);
        assertThat(tree.delete(cid(10), cid(20))).isTrue();
        assertThat(tree.delete(cid(10), cid(20))).isFalse();
        assertThat(ranges()).containsExactly(range(1, 9, A), range(21, 30, A));
        assertThat(tree.delete(cid(1), cid(100))).isTrue();
        assertThat(ranges()).isEmpty();
        assertThat(tree.placementCount()).isZero();
    }

    @Test
    void ranges_atTheEdgesOfTheCidSpace_areFoundAndDeleted() {
        tree.insert(Cid.firstOf(Nid.MAX), Cid.lastOf(Nid.MAX), A);
        tree.insert(Cid.firstOf(Nid.MIN), Cid.lastOf(Nid.MIN), B);
        tree.insert(Cid.firstOf(2), Cid.lastOf(2), B);
        assertThat(tree.find(-1L)).contains(new CidRange(Cid.firstOf(Nid.MAX), -1L, A));
        assertThat(tree.rangeCount()).isEqualTo(3);
        tree.migrate(-1L, -1L, C);
        assertThat(tree.find(-1L)).contains(new CidRange(-1L, -1L, C));
        assertThat(tree.delete(Cid.firstOf(Nid.MAX), -1L)).isTrue();
        assertThat(tree.rangeCount()).isEqualTo(2);
    }

    @Test
    void insert_acrossTwoCreators_isRefused() {
        assertThatThrownBy(() -> tree.insert(Cid.firstOf(2), Cid.firstOf(4), A))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tree.insert(Cid.of(2, 0), Cid.firstOf(2), A))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void forEachRange_span_visitsWholeRangesThatOverlapIt() {
        tree.insert(cid(1), cid(10), A);
        tree.insert(cid(20), cid(30), A);
        tree.insert(cid(40), cid(50), A);
        List<CidRange> seen = new ArrayList<>();
        tree.forEachRange(cid(10), cid(20), (start, end, placement) -> seen.add(new CidRange(start, end, placement)));
        assertThat(seen).containsExactly(range(1, 10, A), range(20, 30, A));
    }

    @Test
    void footprint_manySingleMigratedChunks_staysWithinSixteenBytesARange() {
        tree.insert(cid(1), cid(3_000_000), A);
        for (long lid = 10; lid < 3_000_000; lid += 30) {
            tree.migrate(cid(lid), cid(lid), lid % 20 == 0 ? B : C);
        }
        assertThat(tree.rangeCount()).isGreaterThan(199_000);
        assertThat((double) tree.footprintBytes() / tree.rangeCount()).isLessThan(9.0);
    }

    @Test
    void footprint_everyRangeBetweenGapsWithThousandsOfPlacements_staysWithinSixteenBytesARange() {
        for (long i = 0; i < 200_000; i++) {
            tree.insert(
                    cid(1 + 10 * i),
                    cid(4 + 10 * i),
                    new Placement(
                            0x8000, new int[] {0x4000, 0x2000, 0xC000}, 1, (int) (i % 1000), PlacementState.IN_SYNC));
        }
        assertThat(tree.rangeCount()).isEqualTo(200_000);
        assertThat((double) tree.footprintBytes() / tree.rangeCount()).isLessThan(16.0);
    }
}
