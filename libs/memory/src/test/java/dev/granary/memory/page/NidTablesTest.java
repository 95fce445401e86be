package dev.granary.memory.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.paged.OpenMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NidTablesTest {

    private final OpenMemory open = new OpenMemory(MemoryLayout.TYPED, 4 << 20, 1);
    private final NidTables tables = open.space.nids;
    private final int own = open.space.nid;

    @AfterEach
    void close() {
        open.close();
    }

    @Test
    void table_ownNid_isTheSpacesWithoutABlock() {
        assertThat(tables.table(own)).isSameAs(open.space.table);
        assertThat(make(own)).isSameAs(open.space.table);
        assertThat(blocks()).isEmpty();
        assertThat(tables.tableBytes()).isZero();
    }

    @Test
    void tableOrMake_nidsThatShareAByteOrNot_haveTablesOfTheirOwn() {
        int[] nids = {1, 0x0102, 0x0103, 0xffff, 0xff00};
        List<PageTable> made = new ArrayList<>();
        for (int nid : nids) {
            assertThat(tables.table(nid)).isNull();
            made.add(Objects.requireNonNull(make(nid)));
        }
        for (int i = 0; i < nids.length; i++) {
            assertThat(tables.table(nids[i])).isSameAs(made.get(i));
            assertThat(make(nids[i])).isSameAs(made.get(i));
        }
        assertThat(made).doesNotHaveDuplicates().doesNotContain(open.space.table);
        // The upper block, and one for each upper byte.
        assertThat(blocks()).hasSize(4).doesNotHaveDuplicates();
        assertThat(tables.tableBytes()).isEqualTo(4L * NidTables.BLOCK_BYTES);
        assertThat(tables.table(0x0104)).isNull();
        assertThat(tables.table(0x0203)).isNull();
        assertThat(nids(tables)).containsExactly(own, 1, 0x0102, 0x0103, 0xff00, 0xffff);
    }

    @Test
    void find_sameLidOfTwoNids_areDifferentPages() {
        open.insert(0x0001L << 48 | 5, 10);
        open.insert(0x0002L << 48 | 5, 20);
        assertThat(Objects.requireNonNull(tables.table(1)).find(5)).isEqualTo(open.page(0x0001L << 48 | 5));
        assertThat(open.page(0x0001L << 48 | 5)).isNotEqualTo(open.page(0x0002L << 48 | 5));
        assertThat(open.memory.sizeOf(0x0001L << 48 | 5)).isEqualTo(10);
        assertThat(tables.tableBytes()).isEqualTo(2L * NidTables.BLOCK_BYTES + 2L * PageTable.LEAF_BYTES);
    }

    @Test
    void tableOrMake_noRoom_isNullAndLaterThere() {
        open.takeAll(1024);
        assertThat(make(77)).isNull();
        assertThat(tables.table(77)).isNull();
        assertThat(nids(tables)).containsExactly(own);
        open.giveAll();
        assertThat(make(77)).isNotNull();
    }

    @Test
    void restore_tablesOfALoadedMemory_areFoundAndTheirNodesDoNotMove() {
        open.create(10);
        for (int nid : new int[] {3, 0x4000, 0x4001}) {
            open.insert((long) nid << 48 | 9, 30);
        }
        PageTable ownTable = new PageTable(open.vmb, open.space.nodes, Space.ROOT, false);
        NidTables loaded = new NidTables(open.vmb, open.space.nodes, open.space.sparse, own, ownTable, Space.NIDS);
        assertThat(nids(loaded)).containsExactly(own);
        int[] before = fixed();

        loaded.restore();

        assertThat(nids(loaded)).containsExactly(own, 3, 0x4000, 0x4001);
        assertThat(loaded.tableBytes()).isEqualTo(tables.tableBytes());
        assertThat(Objects.requireNonNull(loaded.table(0x4001)).find(9)).isEqualTo(open.page(0x4001L << 48 | 9));
        int[] after = fixed();
        for (int i = 0; i < before.length; i++) {
            assertThat(after[i]).as("segment %d", i).isEqualTo(2 * before[i]);
            open.space.extents.segments().addFixed(i, -before[i]);
        }
    }

    private int[] fixed() {
        int[] fixed = new int[open.space.extents.count()];
        for (int i = 0; i < fixed.length; i++) {
            fixed[i] = open.space.extents.segments().fixed(i);
        }
        return fixed;
    }

    private static List<Integer> nids(NidTables tables) {
        List<Integer> nids = new ArrayList<>();
        tables.forEach((nid, table) -> nids.add(nid));
        return nids;
    }

    private List<Long> blocks() {
        List<Long> blocks = new ArrayList<>();
        tables.forEachBlock(blocks::add);
        return blocks;
    }

    private @Nullable PageTable make(int nid) {
        Stripe stripe = open.stripes.get(0);
        stripe.lock.lock();
        try {
            stripe.prepare(true);
            return tables.tableOrMake(nid, stripe);
        } finally {
            stripe.lock.unlock();
        }
    }
}
