package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeafTest {

    private static final int BIG = Integer.MAX_VALUE;

    private static Leaf leaf(long... keysAndRefs) {
        Leaf leaf = new Leaf();
        for (int i = 0; i < keysAndRefs.length; i += 2) {
            leaf.insert(i / 2, keysAndRefs[i], (int) keysAndRefs[i + 1]);
        }
        return leaf;
    }

    private static List<String> entries(Leaf leaf) {
        List<String> list = new ArrayList<>();
        for (int i = 0; i < leaf.count(); i++) {
            list.add(Long.toUnsignedString(leaf.key(i)) + "=" + leaf.ref(i));
        }
        return list;
    }

    /** Makes the leaf again from the parts that a twig keeps. */
    private static Leaf kept(Leaf leaf) {
        return new Leaf(leaf.entries(), leaf.base(), leaf.numbers(), leaf.shape());
    }

    private static int refAt(Leaf leaf, long key) {
        return Leaf.refAt(leaf.entries(), leaf.base(), leaf.numbers(), leaf.shape(), key);
    }

    @Test
    void insert_keysBeforeBetweenAndBehind_keepTheirOrder() {
        Leaf leaf = leaf(100, 1);
        leaf.insert(0, 50, 2);
        leaf.insert(2, 200, 3);
        leaf.insert(1, 75, BoundaryTree.NONE);
        assertThat(entries(leaf)).containsExactly("50=2", "75=0", "100=1", "200=3");
        assertThat(leaf.floorIndex(50)).isZero();
        assertThat(leaf.floorIndex(99)).isEqualTo(1);
        assertThat(leaf.floorIndex(Long.MAX_VALUE)).isEqualTo(3);
        assertThat(refAt(leaf, 150)).isEqualTo(1);
    }

    @Test
    void insert_numbersThatNeedMoreBitsThanThereAre_areKept() {
        Leaf leaf = leaf(0, 5, 1, 6);
        leaf.insert(2, 2, BIG);
        leaf.insert(3, 3, -BIG);
        leaf.insert(4, 4, BoundaryTree.NONE);
        leaf.insert(5, 5, 1);
        assertThat(entries(leaf)).containsExactly("0=5", "1=6", "2=" + BIG, "3=" + -BIG, "4=0", "5=1");
    }

    @Test
    void insert_keysOverTheWholeSpace_areComparedWithoutSigns() {
        Leaf leaf = leaf(0, 1, Long.MAX_VALUE, 2, Long.MIN_VALUE, 3, -1, 4);
        assertThat(leaf.floorIndex(5)).isZero();
        assertThat(leaf.floorIndex(Long.MAX_VALUE)).isEqualTo(1);
        assertThat(leaf.floorIndex(Long.MIN_VALUE + 5)).isEqualTo(2);
        assertThat(leaf.floorIndex(-1)).isEqualTo(3);
        assertThat(entries(kept(leaf))).isEqualTo(entries(leaf));
    }

    @Test
    void entries_keysThatDifferByOneBitMoreThanIsPacked_readBack() {
        for (int bits = 1; bits < 64; bits++) {
            long far = (1L << bits) - 1;
            Leaf leaf = leaf(7, 1, 7 + far, 2);
            assertThat(leaf.key(1)).as("%d bits", bits).isEqualTo(7 + far);
            assertThat(refAt(leaf, 7 + far - 1)).isEqualTo(1);
            assertThat(refAt(leaf, 7 + far)).isEqualTo(2);
            assertThat(refAt(leaf, -1)).isEqualTo(2);
        }
    }

    @Test
    void entries_onlyNoNumbers_takeNoBitsForThem() {
        Leaf leaf = leaf(0, 0, 100, 0, 200, 0);
        assertThat(entries(leaf)).containsExactly("0=0", "100=0", "200=0");
        assertThat(leaf.shape() >>> 40).isZero();
        leaf.insert(1, 50, 9);
        assertThat(entries(leaf)).containsExactly("0=0", "50=9", "100=0", "200=0");
    }

    @Test
    void setRef_thatDoesNotFit_changesThisOneOnly() {
        Leaf leaf = leaf(10, 5, 20, 5, 30, 5);
        leaf.setRef(1, 5);
        leaf.setRef(0, 1 << 20);
        leaf.setRef(2, 4);
        assertThat(entries(leaf)).containsExactly("10=" + (1 << 20), "20=5", "30=4");
        leaf.setRef(0, BoundaryTree.NONE);
        assertThat(entries(leaf)).containsExactly("10=0", "20=5", "30=4");
    }

    @Test
    void remove_firstLastAndAll_leavesTheOthers() {
        Leaf leaf = leaf(10, 1, 20, 2, 30, 3);
        leaf.remove(0);
        assertThat(entries(leaf)).containsExactly("20=2", "30=3");
        leaf.remove(1);
        assertThat(entries(leaf)).containsExactly("20=2");
        leaf.remove(0);
        assertThat(leaf.count()).isZero();
        leaf.insert(0, 5, 9);
        assertThat(entries(leaf)).containsExactly("5=9");
    }

    @Test
    void remove_mostOfManyEntries_givesTheRoomBack() {
        Leaf leaf = new Leaf();
        for (int i = 0; i < 250; i++) {
            leaf.insert(i, 1000L * i, i);
        }
        int full = leaf.entries().length;
        while (leaf.count() > 10) {
            leaf.remove(leaf.count() / 2);
        }
        assertThat(leaf.entries().length).isLessThan(full / 5);
        assertThat(leaf.key(9)).isEqualTo(249_000);
        assertThat(leaf.ref(9)).isEqualTo(249);
    }

    @Test
    void splitOffAndAbsorb_anyIndex_areTheSameEntriesAgain() {
        for (int at = 1; at < 5; at++) {
            Leaf leaf = leaf(10, 1, 20, BIG, 30, 0, 40, 4, 1L << 50, 5);
            List<String> before = entries(leaf);
            Leaf right = leaf.splitOff(at);
            assertThat(entries(leaf)).isEqualTo(before.subList(0, at));
            assertThat(entries(right)).isEqualTo(before.subList(at, 5));
            leaf.absorb(right);
            assertThat(entries(leaf)).isEqualTo(before);
        }
    }

    @Test
    void splitOff_farNeighbours_eachHalfIsPackedAnew() {
        Leaf leaf = leaf(0, 1, 1, 2, -2, 3, -1, 4);
        int wide = (int) (leaf.shape() >>> 32) & 0xFF;
        Leaf right = leaf.splitOff(2);
        assertThat(wide).isEqualTo(LeafEntries.WIDE_BYTES);
        assertThat((leaf.shape() >>> 32) & 0xFF).isEqualTo(1);
        assertThat((right.shape() >>> 32) & 0xFF).isEqualTo(1);
        assertThat(entries(right)).containsExactly(Long.toUnsignedString(-2) + "=3", Long.toUnsignedString(-1) + "=4");
    }

    /** Distances of keys from one to the whole space, and numbers from few to many bits. */
    @ParameterizedTest
    @CsvSource({"1, 8, 3", "2, 16, 1", "3, 24, 20", "4, 40, 30", "5, 50, 12", "6, 62, 31", "7, 64, 31", "8, 33, 2"})
    void randomChanges_keysAndNumbersOfSoManyBits_likeTheModel(long seed, int keyBits, int refBits) {
        SplittableRandom random = new SplittableRandom(seed);
        Leaf leaf = new Leaf();
        TreeMap<Long, Integer> model = new TreeMap<>(Long::compareUnsigned);
        for (int step = 0; step < 4_000; step++) {
            long key = (keyBits == 64 ? random.nextLong() : random.nextLong(1L << keyBits)) + Cid.of(3, 0);
            int ref = (int) random.nextLong(1L << refBits);
            int index = model.headMap(key, false).size();
            boolean known = model.containsKey(key);
            boolean grow = step / 500 % 2 == 0;
            if (known) {
                leaf.setRef(index, ref);
                model.put(key, ref);
            } else if (model.size() < 200 && grow) {
                leaf.insert(index, key, ref);
                model.put(key, ref);
            } else if (model.size() > 1) {
                int gone = random.nextInt(model.size());
                model.remove(leaf.key(gone));
                leaf.remove(gone);
            }
            same(step % 2 == 0 ? leaf : kept(leaf), model, key, "seed " + seed + " step " + step);
        }
    }

    private static void same(Leaf leaf, NavigableMap<Long, Integer> model, long probe, String what) {
        assertThat(leaf.count()).as(what).isEqualTo(model.size());
        Map.Entry<Long, Integer> floor = model.floorEntry(probe);
        if (floor != null) {
            int index = leaf.floorIndex(probe);
            assertThat(leaf.key(index)).as(what).isEqualTo(floor.getKey());
            assertThat(leaf.ref(index)).as(what).isEqualTo(floor.getValue());
            assertThat(refAt(leaf, probe)).as(what).isEqualTo(floor.getValue());
        }
        Map.Entry<Long, Integer> last = Objects.requireNonNull(model.lastEntry());
        assertThat(leaf.key(leaf.count() - 1)).as(what).isEqualTo(last.getKey());
        assertThat(refAt(leaf, -1)).as(what).isEqualTo(last.getValue());
    }
}
