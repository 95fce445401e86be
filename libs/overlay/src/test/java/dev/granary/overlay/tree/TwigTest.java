package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TwigTest {

    private static final int LEAF_MAX = 8;
    private static final int LEAF_MIN = 2;

    private final TreeMap<Long, Integer> model = new TreeMap<>(Long::compareUnsigned);
    private Twig twig = begun();

    private Twig begun() {
        Leaf leaf = new Leaf();
        leaf.insert(0, 0, BoundaryTree.NONE);
        model.put(0L, BoundaryTree.NONE);
        return Twig.of(leaf);
    }

    private void insert(long key, int ref) {
        twig.insert(key, ref, LEAF_MAX);
        model.put(key, ref);
    }

    private void remove(long key) {
        assertThat(twig.remove(key, LEAF_MIN, LEAF_MAX)).isEqualTo(model.remove(key));
    }

    /** Every entry is where it belongs, and every separator is the first key behind it. */
    private static void same(Twig twig, Map<Long, Integer> expected, String what) {
        Map<Long, Integer> found = new TreeMap<>(Long::compareUnsigned);
        for (int i = 0; i < twig.count; i++) {
            Leaf leaf = twig.leaf(i);
            assertThat(leaf.count()).as(what).isBetween(twig.count == 1 ? 1 : LEAF_MIN, LEAF_MAX);
            assertThat(twig.firstKeyOf(i)).as(what).isEqualTo(leaf.key(0));
            if (i > 0) {
                assertThat(twig.separator(i - 1)).as(what).isEqualTo(leaf.key(0));
            }
            for (int k = 0; k < leaf.count(); k++) {
                assertThat(found.put(leaf.key(k), leaf.ref(k))).as(what).isNull();
                assertThat(twig.refAt(leaf.key(k))).as(what).isEqualTo(leaf.ref(k));
            }
        }
        assertThat(found).as(what).isEqualTo(expected);
    }

    @Test
    void insert_ascending_leavesThatGrowAtTheirEndAreLeftFuller() {
        for (int i = 1; i <= 200; i++) {
            insert(10L * i, i);
        }
        same(twig, model, "ascending");
        assertThat(twig.count).as("three quarters full").isLessThan(200 * 4 / 3 / LEAF_MAX + 3);
    }

    @Test
    void insert_descending_keepsTheFirstKey() {
        for (int i = 200; i > 0; i--) {
            insert(10L * i, i);
        }
        same(twig, model, "descending");
        assertThat(twig.firstKey()).isZero();
        assertThat(twig.refAt(9)).isEqualTo(BoundaryTree.NONE);
        assertThat(twig.refAt(-1)).isEqualTo(200);
    }

    @Test
    void remove_keyThatIsNoBoundary_isRefusedAndChangesNothing() {
        insert(10, 1);
        insert(20, 2);
        assertThatThrownBy(() -> twig.remove(15, LEAF_MIN, LEAF_MAX))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no boundary at");
        same(twig, model, "refused");
    }

    @Test
    void remove_allButTheFirst_oneLeafIsLeft() {
        for (int i = 1; i <= 50; i++) {
            insert(i, i);
        }
        for (int i = 1; i <= 50; i++) {
            remove(i);
            same(twig, model, "removed " + i);
        }
        assertThat(twig.count).isEqualTo(1);
    }

    @Test
    void setRef_ofABoundary_isSeenUpToTheNext() {
        insert(10, 1);
        insert(20, 2);
        twig.setRef(10, 1 << 30);
        model.put(10L, 1 << 30);
        same(twig, model, "set");
        assertThat(twig.refAt(19)).isEqualTo(1 << 30);
        assertThat(twig.refAt(20)).isEqualTo(2);
    }

    @Test
    void leaf_changedButNotPutBack_isAsBefore() {
        insert(10, 1);
        Leaf leaf = twig.leaf(0);
        leaf.insert(2, 1L << 60, 7);
        same(twig, model, "only read");
    }

    @Test
    void splitOffAndAbsorb_afterChangesOnBothSides_areOneAgain() {
        for (int i = 1; i <= 100; i++) {
            insert(10L * i, i);
        }
        Twig right = (Twig) twig.splitOff(twig.count / 3);
        long border = right.firstKey();
        same(twig, model.headMap(border, false), "left");
        same(right, model.tailMap(border, true), "right");
        right.insert(border + 1, 7, LEAF_MAX);
        model.put(border + 1, 7);
        insert(border - 1, 8);
        twig.absorb(right);
        same(twig, model, "together");
    }

    @Test
    void footprint_moreLeaves_growsAndFallsAgain() {
        long before = twig.footprintBytes();
        for (int i = 1; i <= 400; i++) {
            insert(i, i);
        }
        long full = twig.footprintBytes();
        Node right = twig.splitOff(2);
        assertThat(full).isGreaterThan(4 * before);
        assertThat(twig.footprintBytes()).isLessThan(full / 4);
        assertThat(right.footprintBytes()).isLessThan(full);
    }

    @ParameterizedTest
    @CsvSource({"1, 300", "2, 100000", "3, 9223372036854775807"})
    void randomChanges_keysBelowABound_likeTheModel(long seed, long bound) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int step = 0; step < 6_000; step++) {
            long key = 1 + random.nextLong(bound - 1);
            boolean grow = step / 1_000 % 2 == 0;
            long floor = Objects.requireNonNull(model.floorKey(key));
            if (floor == key && random.nextBoolean()) {
                twig.setRef(key, step);
                model.put(key, step);
            } else if (floor != key && grow == random.nextInt(5) > 0) {
                insert(key, step);
            } else if (floor != 0) {
                remove(floor);
            }
            assertThat(twig.refAt(key)).isEqualTo(model.floorEntry(key).getValue());
            if (step % 50 == 0) {
                same(twig, model, "seed " + seed + " step " + step);
            }
        }
    }
}
