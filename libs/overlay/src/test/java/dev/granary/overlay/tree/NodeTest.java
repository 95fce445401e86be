package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The search in a {@link Node}, whatever its separators are. */
class NodeTest {

    private static Twig twig(long firstKey) {
        Leaf leaf = new Leaf();
        leaf.insert(0, firstKey, 1);
        return Twig.of(leaf);
    }

    private static Inner node(List<Long> firstKeys) {
        Inner node = new Inner(1);
        for (int i = 0; i < firstKeys.size(); i++) {
            node.insertChild(i, twig(firstKeys.get(i)));
        }
        return node;
    }

    private static List<Long> sorted(int count, IntToLongFunction keys) {
        return IntStream.range(0, count)
                .mapToLong(keys)
                .boxed()
                .distinct()
                .sorted(Long::compareUnsigned)
                .toList();
    }

    private static void check(List<Long> firstKeys) {
        Node node = node(firstKeys);
        assertSearches(node, firstKeys);
    }

    private static void assertSearches(Node node, List<Long> firstKeys) {
        assertThat(node.count).isEqualTo(firstKeys.size());
        for (int i = 1; i < firstKeys.size(); i++) {
            assertThat(node.separator(i - 1)).isEqualTo(firstKeys.get(i));
        }
        for (int i = 0; i < firstKeys.size(); i++) {
            long key = firstKeys.get(i);
            assertIndex(node, firstKeys, key);
            assertIndex(node, firstKeys, key + 1);
            assertIndex(node, firstKeys, key - 1);
            assertIndex(node, firstKeys, key ^ Long.MIN_VALUE);
        }
        for (long key : new long[] {0, 1, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            assertIndex(node, firstKeys, key);
        }
    }

    /** Keys before the first one are looked for in the first element. */
    private static void assertIndex(Node node, List<Long> firstKeys, long key) {
        int expected = 0;
        while (expected + 1 < firstKeys.size() && Long.compareUnsigned(firstKeys.get(expected + 1), key) <= 0) {
            expected++;
        }
        assertThat(node.indexOf(key))
                .as("key %s of %d elements", Cid.toHex(key), firstKeys.size())
                .isEqualTo(expected);
    }

    @Test
    void indexOf_fewElements_eachSize() {
        for (int count = 1; count <= 12; count++) {
            check(sorted(count, i -> 10L * i));
        }
    }

    @Test
    void indexOf_evenKeys_isFound() {
        check(sorted(700, i -> 1_000_003L * i));
    }

    @Test
    void indexOf_keysThatThinOut_isFound() {
        check(sorted(300, i -> (long) i * i * i * i));
        check(sorted(62, i -> 1L << i));
    }

    @Test
    void indexOf_keysOfFewFarCreators_isFound() {
        check(sorted(400, i -> Cid.of(Nid.storageNid(1 + i % 5), 1 + i / 5)));
    }

    @Test
    void indexOf_keysWhoseDistanceHasNoSign_isFound() {
        SplittableRandom random = new SplittableRandom(4);
        check(sorted(300, i -> random.nextLong()));
        check(List.of(0L, 1L, 2L, -1L));
        check(List.of(0L, 5L, -1L));
    }

    @Test
    void indexOf_keysOnBothSidesOfHalfTheSpace_isFound() {
        check(sorted(300, i -> Long.MAX_VALUE - 150 + i));
    }

    @Test
    void insertAndRemove_inTheMiddleAndAtTheEnd_separatorsFollow() {
        Inner node = node(List.of(0L, 100L, 300L));
        node.insertChild(2, twig(200));
        node.insertChild(4, twig(400));
        assertSearches(node, List.of(0L, 100L, 200L, 300L, 400L));
        node.removeChild(1);
        node.removeChild(3);
        assertSearches(node, List.of(0L, 200L, 300L));
    }

    @Test
    void refreshSeparator_elementThatBeginsElsewhere_isExactAgain() {
        Inner node = node(List.of(0L, 100L, 300L));
        Twig child = (Twig) node.child(1);
        child.insert(150, 2, 8);
        child.remove(100, 1, 8);
        node.refreshSeparator(1);
        assertSearches(node, List.of(0L, 150L, 300L));
        node.refreshSeparator(0);
        node.refreshSeparator(3);
        assertSearches(node, List.of(0L, 150L, 300L));
    }

    @Test
    void splitOffAndAbsorb_anyIndex_areTheSameElementsAgain() {
        List<Long> keys = sorted(40, i -> 1L << i);
        for (int at = 1; at < keys.size(); at += 6) {
            Node node = node(keys);
            long before = node.footprintBytes();
            Node right = node.splitOff(at);
            assertSearches(node, keys.subList(0, at));
            assertSearches(right, keys.subList(at, keys.size()));
            assertThat(right.firstKey()).isEqualTo(keys.get(at));
            node.absorb(right);
            assertSearches(node, keys);
            assertThat(node.footprintBytes()).isLessThan(2 * before);
        }
    }

    @Test
    void isFull_thereIsRoomForOne_untilItIsTaken() {
        Inner node = new Inner(2);
        node.insertChild(0, twig(0));
        assertThat(node.isFull()).isFalse();
        node.insertChild(1, twig(5));
        assertThat(node.isFull()).isTrue();
        node.insertChild(2, twig(9));
        assertThat(node.isFull()).isFalse();
        assertSearches(node, List.of(0L, 5L, 9L));
    }
}
