package dev.granary.overlay.name;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class NameNodesTest {

    private final NameNodes nodes = new NameNodes();

    private List<Integer> leaves(int count) {
        List<Integer> told = new ArrayList<>();
        nodes.forEachLeaf(count, told::add);
        return told;
    }

    @Test
    void newBranch_largestBitAndLeavesAsChildren_isReadBack() {
        int branch = nodes.newBranch(0xFFFF, ~3, ~0);
        assertThat(nodes.bitOf(branch)).isEqualTo(0xFFFF);
        assertThat(nodes.child(branch, 0)).isEqualTo(~3);
        assertThat(nodes.child(branch, 1)).isEqualTo(~0);
    }

    @Test
    void setChild_oneSide_leavesTheOther() {
        int branch = nodes.newBranch(9, 1, 2);
        nodes.setChild(branch, 0, 5);
        assertThat(nodes.child(branch, 1)).isEqualTo(2);
        nodes.setChild(branch, 1, 6);
        assertThat(nodes.child(branch, 0)).isEqualTo(5);
        assertThat(nodes.child(branch, 1)).isEqualTo(6);
    }

    @Test
    void newBranch_afterSomeWereFreed_takesTheirPlacesTheLastFirst() {
        int first = nodes.newBranch(1, 10, 11);
        int second = nodes.newBranch(2, 20, 21);
        int third = nodes.newBranch(3, 30, 31);
        nodes.freeBranch(first);
        nodes.freeBranch(third);
        assertThat(nodes.newBranch(4, 40, 41)).isEqualTo(third);
        assertThat(nodes.newBranch(5, 50, 51)).isEqualTo(first);
        assertThat(nodes.newBranch(6, 60, 61)).isEqualTo(third + 1);
        assertThat(nodes.bitOf(second)).isEqualTo(2);
        assertThat(nodes.child(second, 0)).isEqualTo(20);
        assertThat(nodes.bitOf(first)).isEqualTo(5);
    }

    @Test
    void setKeyAndCid_ofALeaf_areReadBack() {
        int leaf = nodes.newLeaf(4, 100);
        nodes.setKey(leaf, 8);
        nodes.setCid(leaf, -1);
        assertThat(nodes.keyOf(leaf)).isEqualTo(8);
        assertThat(nodes.cidOf(leaf)).isEqualTo(-1);
    }

    @Test
    void forEachLeaf_someAreFree_tellsTheOthersOnly() {
        for (int i = 0; i < 5; i++) {
            nodes.newLeaf(4 * i, 100L + i);
        }
        nodes.freeLeaf(0);
        nodes.freeLeaf(3);
        assertThat(leaves(3)).containsExactly(1, 2, 4);
        assertThat(leaves(0)).isEmpty();
    }

    @Test
    void forEachLeaf_noLeafEver_tellsNobody() {
        assertThat(leaves(0)).isEmpty();
    }

    @Test
    void footprint_emptyOrGrown_isThatOfTheArrays() {
        long empty = nodes.footprintBytes();
        nodes.newLeaf(0, 1);
        long leaves = nodes.footprintBytes();
        nodes.newBranch(0, 0, 0);
        long both = nodes.footprintBytes();
        assertThat((leaves - empty) % 12).isZero();
        assertThat(leaves).isGreaterThan(empty);
        assertThat((both - leaves) % 10).isZero();
        assertThat(both).isGreaterThan(leaves);
        nodes.clear();
        assertThat(nodes.footprintBytes()).isEqualTo(empty);
    }

    @Test
    void clear_withFreePlaces_beginsAtTheFirstAgain() {
        nodes.newLeaf(0, 1);
        nodes.newLeaf(4, 2);
        nodes.newBranch(1, 0, 0);
        nodes.freeLeaf(1);
        nodes.freeBranch(0);
        nodes.clear();
        assertThat(nodes.newLeaf(12, 3)).isZero();
        assertThat(nodes.newLeaf(16, 4)).isEqualTo(1);
        assertThat(nodes.newBranch(7, 1, 2)).isZero();
        assertThat(nodes.newBranch(8, 1, 2)).isEqualTo(1);
    }

    @Test
    void randomChanges_manyLeaves_likeTheModelAndNoPlaceTwice() {
        Random random = new Random(5);
        TreeMap<Integer, Long> model = new TreeMap<>();
        int most = 0;
        for (int step = 0; step < 20_000; step++) {
            boolean grow = step / 4_000 % 2 == 0;
            if (model.isEmpty() || grow == random.nextInt(4) > 0) {
                long cid = 1L + random.nextInt(1 << 30);
                int leaf = nodes.newLeaf(step, cid);
                assertThat(model.put(leaf, cid)).as("step %d", step).isNull();
                most = Math.max(most, model.size());
            } else {
                Integer from = model.ceilingKey(random.nextInt(model.lastKey() + 1));
                nodes.freeLeaf(from);
                model.remove(from);
            }
        }
        assertThat(leaves(model.size())).containsExactlyElementsOf(model.keySet());
        model.forEach((leaf, cid) -> assertThat(nodes.cidOf(leaf)).isEqualTo(cid));
        assertThat(nodes.footprintBytes())
                .as("an eighth more than the most that there ever were, and some")
                .isLessThan(12L * (most + most / 8L + 16) + 5 * 16);
    }
}
