package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BoundaryTreeTest {

    private static final int BOUNDARIES = 60_000;

    /** Where a search guesses right, where it guesses wrong, and where differences of keys have no sign. */
    @Test
    void refAt_evenKeys_equalsTheModel() {
        check(i -> (1 + i) * 2_000_000, 1);
    }

    @Test
    void refAt_keysOverAllNids_equalsTheModel() {
        SplittableRandom random = new SplittableRandom(11);
        check(i -> random.nextLong(), 2);
    }

    @Test
    void refAt_denseKeysOfFewFarCreators_equalsTheModel() {
        check(i -> Cid.of(Nid.storageNid(1 + (int) (i % 5)), 1 + i / 5), 3);
    }

    @Test
    void refAt_keysThatThinOut_equalsTheModel() {
        check(i -> (1 + i) * (1 + i) * (1 + i), 4);
    }

    @Test
    void refAt_keysOnBothSidesOfHalfTheSpace_equalsTheModel() {
        SplittableRandom random = new SplittableRandom(12);
        check(i -> Long.MAX_VALUE - BOUNDARIES + random.nextLong(2 * BOUNDARIES), 5);
    }

    /** Leaves and twigs that fill, empty and join, in the middle and at both ends. */
    @ParameterizedTest
    @CsvSource({"21,4,8", "22,5,9", "23,16,8", "24,64,32"})
    void insertAndRemove_smallNodes_keepEveryInvariant(long seed, int leafMax, int innerMax) {
        SplittableRandom random = new SplittableRandom(seed);
        BoundaryTree tree = new BoundaryTree(leafMax, innerMax);
        NavigableMap<Long, Integer> model = new TreeMap<>();
        model.put(0L, BoundaryTree.NONE);
        for (int step = 0; step < 12_000; step++) {
            boolean grow = step / 3_000 % 2 == 0;
            // Whole stretches come and go, so that leaves at the ends of twigs become empty.
            long key = 1 + (random.nextInt(20) * 1_000L + random.nextInt(150)) % 20_000;
            if (grow == random.nextInt(8) > 0) {
                if (model.putIfAbsent(key, step) == null) {
                    tree.insert(key, step);
                }
            } else {
                long gone = model.floorKey(key);
                if (gone != 0) {
                    assertThat(tree.remove(gone))
                            .as("seed %d step %d", seed, step)
                            .isEqualTo(model.remove(gone));
                }
            }
            if (step % 7 == 0) {
                new BoundaryTreeVerifier(tree, (any, ref) -> {}).verify();
            }
            same(tree, model, random.nextLong(21_000), seed);
        }
        for (long key : new ArrayList<>(model.tailMap(1L).keySet())) {
            assertThat(tree.remove(key)).isEqualTo(model.remove(key));
            new BoundaryTreeVerifier(tree, (any, ref) -> {}).verify();
        }
        assertThat(tree.size()).isEqualTo(1);
    }

    private static void check(LongUnaryOperator keyOf, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        BoundaryTree tree = new BoundaryTree(BoundaryTree.DEFAULT_LEAF_MAX, BoundaryTree.DEFAULT_INNER_MAX);
        NavigableMap<Long, Integer> model = new TreeMap<>(Comparator.comparing(key -> key + Long.MIN_VALUE));
        model.put(0L, BoundaryTree.NONE);
        for (int i = 0; i < BOUNDARIES; i++) {
            long key = keyOf.applyAsLong(i);
            int ref = 1 + random.nextInt(1 << random.nextInt(1, 31));
            if (model.put(key, ref) == null) {
                tree.insert(key, ref);
            } else {
                tree.setRef(key, ref);
            }
            if (i % 3 == 2) {
                long gone = key(model, keyOf.applyAsLong(random.nextInt(i)));
                if (gone != 0) {
                    assertThat(tree.remove(gone)).as("seed %d step %d", seed, i).isEqualTo(model.remove(gone));
                }
            }
        }
        new BoundaryTreeVerifier(tree, (key, ref) -> {}).verify();
        assertThat(tree.size()).isEqualTo(model.size());
        for (Map.Entry<Long, Integer> entry : model.entrySet()) {
            for (int distance = -1; distance <= 1; distance++) {
                same(tree, model, entry.getKey() + distance, seed);
            }
        }
        for (int i = 0; i < BOUNDARIES; i++) {
            same(tree, model, random.nextLong(), seed);
        }
    }

    private static long key(NavigableMap<Long, Integer> model, long near) {
        return model.floorEntry(near).getKey();
    }

    private static void same(BoundaryTree tree, NavigableMap<Long, Integer> model, long key, long seed) {
        int expected = model.floorEntry(key).getValue();
        if (tree.refAt(key) != expected) {
            assertThat(tree.refAt(key))
                    .as("seed %d key %s", seed, Cid.toHex(key))
                    .isEqualTo(expected);
        }
        long next = model.higherKey(key) == null ? 0 : model.higherKey(key);
        if (tree.higherKey(key) != next) {
            assertThat(tree.higherKey(key))
                    .as("seed %d key %s", seed, Cid.toHex(key))
                    .isEqualTo(next);
        }
    }
}
