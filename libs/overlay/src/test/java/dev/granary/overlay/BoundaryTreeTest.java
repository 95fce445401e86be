package dev.granary.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

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
