package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of placements where containers come and go: single chunks, and spans over the borders of containers. */
class RunTreeTest {

    private static final long SIZE = Region.SIZE;
    private static final long FIRST = Cid.of(3, 0) + 4 * SIZE;

    private final PlacementTable placements = new PlacementTable();
    private final RunTree tree = new RunTree(256, 8192, placements);

    /** The placement of each run by its first CID; a number below zero is none. */
    private final TreeMap<Long, Integer> model = new TreeMap<>(Long::compareUnsigned);

    RunTreeTest() {
        model.put(0L, -1);
    }

    private static Placement placement(int number) {
        return Placement.unreplicated(Nid.storageNid(1 + number), 1 + number);
    }

    private void assign(long start, long end, int number) {
        int ref = number < 0 ? PlacementTable.NONE : placements.intern(placement(number));
        tree.assign(start, end, ref);
        placements.release(ref);
        if (end != -1L) {
            model.putIfAbsent(end + 1, model.floorEntry(end + 1).getValue());
        }
        model.subMap(start, true, end, true).clear();
        model.put(start, number);
    }

    private int refOf(int number) {
        return number < 0 ? PlacementTable.NONE : placements.refOf(placement(number));
    }

    private void assertRun(long cid) {
        int number = model.floorEntry(cid).getValue();
        assertThat(tree.refAt(cid)).as(Cid.toHex(cid)).isEqualTo(refOf(number));
        long start = model.floorKey(cid);
        while (start != 0 && model.lowerEntry(start).getValue() == number) {
            start = model.lowerKey(start);
        }
        Map.Entry<Long, Integer> next = model.higherEntry(cid);
        while (next != null && next.getValue() == number) {
            next = model.higherEntry(next.getKey());
        }
        assertThat(tree.runAt(cid))
                .as(Cid.toHex(cid))
                .isEqualTo(new Run(start, next == null ? -1L : next.getKey() - 1, refOf(number)));
    }

    /** Assigns chunks so close to each other that they become a container. */
    private void dense(long first, int chunks) {
        for (int i = 0; i < chunks; i++) {
            assign(first + 3L * i, first + 3L * i, i % 5);
        }
    }

    @AfterEach
    void verify() {
        Map<Integer, Long> counted = new HashMap<>();
        tree.verify(ref -> counted.merge(ref, 1L, Long::sum));
        counted.remove(PlacementTable.NONE);
        assertThat(counted).hasSize(placements.size());
        counted.forEach((ref, count) ->
                assertThat(placements.countOf(ref)).as("references to %d", ref).isEqualTo(count));
    }

    @Test
    void assign_nothingYet_oneRunAroundEverything() {
        assertRun(0);
        assertRun(-1);
        assign(1, -1L, 2);
        assertRun(0);
        assertRun(1);
        assertRun(-1);
    }

    @Test
    void assign_neighboursWithEqualPlacements_areOneRun() {
        assign(10, 19, 1);
        assign(30, 39, 1);
        assign(20, 29, 1);
        assertThat(tree.runAt(25)).isEqualTo(new Run(10, 39, refOf(1)));
        assign(25, 25, -1);
        assertRun(24);
        assertRun(25);
        assertRun(26);
    }

    @Test
    void assign_manySingleChunks_becomeAContainerThatNobodySees() {
        dense(FIRST, 2_000);
        assertThat(tree.regionCount()).isEqualTo(1);
        assertThat(tree.regionAt(FIRST)).isNotNull();
        assertThat(tree.regionAt(FIRST - 1)).isNull();
        for (int i = -2; i < 6_002; i++) {
            assertRun(FIRST + i);
        }
    }

    @Test
    void runAt_runsOverBordersOfContainers_areWhole() {
        dense(FIRST + 100, 2_000);
        dense(FIRST + SIZE + 100, 2_000);
        assign(FIRST + SIZE - 50, FIRST + SIZE + 50, 7);
        assign(FIRST + 2 * SIZE - 10, FIRST + 2 * SIZE + 10, 8);
        assign(FIRST - 10, FIRST + 10, 9);
        assertThat(tree.regionCount()).isEqualTo(2);
        for (long border : new long[] {FIRST, FIRST + SIZE, FIRST + 2 * SIZE}) {
            for (long cid : new long[] {border - 60, border - 1, border, border + 1, border + 60}) {
                assertRun(cid);
            }
        }
    }

    @Test
    void assign_allOfAContainerOrMore_itGoes() {
        dense(FIRST, 2_000);
        assign(FIRST, FIRST + SIZE - 1, 7);
        assertThat(tree.regionCount()).isZero();
        assertRun(FIRST);

        dense(FIRST, 2_000);
        assign(FIRST - 5, FIRST + SIZE + 5, -1);
        assertThat(tree.regionCount()).isZero();
        assertRun(FIRST);
        assertRun(FIRST - 6);
        assertThat(placements.size()).as("nobody refers to any of them").isZero();
    }

    @Test
    void assign_partsOfTwoContainersAndAllBetweenThem_leavesTheRest() {
        dense(FIRST, 2_000);
        dense(FIRST + SIZE, 2_000);
        dense(FIRST + 2 * SIZE, 2_000);
        assign(FIRST + 3_000, FIRST + 2 * SIZE + 3_000, 7);
        assertThat(tree.regionAt(FIRST + SIZE)).isNull();
        for (long cid : new long[] {2_999, 3_000, SIZE, 2 * SIZE, 2 * SIZE + 3_000, 2 * SIZE + 3_001}) {
            assertRun(FIRST + cid);
        }
    }

    @Test
    void assign_containerThatBecomesSparse_isBoundariesAgain() {
        dense(FIRST, 2_000);
        assign(FIRST + 20, FIRST + 6_000, 1);
        assertThat(tree.regionCount()).isZero();
        for (int i = -1; i < 25; i++) {
            assertRun(FIRST + i);
        }
        assertRun(FIRST + 6_001);
    }

    @Test
    void assign_moreDifferentPlacementsThanAContainerHas_areKept() {
        dense(FIRST, 2_000);
        for (int i = 0; i < 300; i++) {
            assign(FIRST + 7L * i, FIRST + 7L * i, i);
        }
        for (int i = 0; i < 2_200; i++) {
            assertRun(FIRST + i);
        }
    }

    @Test
    void assign_lastContainerOfTheSpace_hasNoNeighbour() {
        long last = -SIZE;
        dense(last, 2_000);
        assertThat(tree.regionAt(-1)).isNotNull();
        assertRun(-1);
        assign(last + 9_000, -1L, 4);
        assertRun(-1);
        assertRun(last + 8_999);
        assign(last - 5, -1L, -1);
        assertRun(-1);
        assertRun(last - 6);
        assertThat(placements.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void randomSpans_overThreeContainers_likeTheModel(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int step = 0; step < 9_000; step++) {
            long start = FIRST + random.nextInt(3) * SIZE + (random.nextBoolean() ? random.nextInt(2_000) : 0);
            long length =
                    switch (random.nextInt(400)) {
                        case 0 -> random.nextLong(3 * SIZE);
                        case 1, 2, 3 -> random.nextInt(1_000);
                        default -> random.nextInt(3);
                    };
            assign(start - random.nextInt(2), start + length, random.nextInt(9) - 1);
            assertRun(start);
            assertRun(start + length + 1);
            assertRun(FIRST + random.nextLong(4 * SIZE) - 100);
            if (step % 1_000 == 0) {
                verify();
            }
        }
        assertThat(tree.footprintBytes()).isGreaterThan(1_000);
    }
}
