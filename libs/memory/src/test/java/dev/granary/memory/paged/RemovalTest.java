package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.PinnedException;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Space;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class RemovalTest {

    private final MemoryLayout layout;
    private final OpenMemory open;
    private final Removal removal;

    RemovalTest(MemoryLayout layout) {
        this.layout = layout;
        this.open = new OpenMemory(layout, 4 << 20, 1);
        this.removal = new Removal(open.space, open.stripes);
    }

    @AfterEach
    void close() {
        open.close();
    }

    @Test
    void delete_noPageOrNoChunk_isFalse() {
        long cid = open.create(10);
        assertThat(removal.delete(0, cid)).isFalse();
        assertThat(delete(cid + 1)).isFalse();
        assertThat(delete(cid)).isTrue();
        assertThat(delete(cid)).isFalse();
    }

    @Test
    void delete_pinnedChunk_isRefused() {
        long cid = open.create(300);
        long other = open.create(300);
        open.memory.pin(cid);
        assertThatThrownBy(() -> delete(cid)).isInstanceOf(PinnedException.class);
        assertThat(open.get(cid)).isEqualTo(OpenMemory.content(cid, 300));
        assertThat(delete(other)).isTrue();
        open.memory.unpin(cid);
        assertThat(delete(cid)).isTrue();
    }

    @Test
    void delete_oneOfManySizes_othersKeepTheirBytes() {
        int[] sizes = {10, 0, 300, 999, 1001, 40_000, 20, 2048, 2049};
        long[] cids = new long[200];
        for (int i = 0; i < cids.length; i++) {
            cids[i] = open.create(sizes[i % sizes.length]);
        }
        for (int i = 0; i < cids.length; i++) {
            if (i % 4 != 1) {
                assertThat(delete(cids[i])).isTrue();
            }
            if (i % 20 == 0) {
                assertThat(open.violations()).isEmpty();
            }
        }
        for (int i = 0; i < cids.length; i++) {
            if (i % 4 == 1) {
                assertThat(open.get(cids[i])).isEqualTo(OpenMemory.content(cids[i], sizes[i % sizes.length]));
            } else {
                assertThat(open.memory.sizeOf(cids[i])).isEqualTo(ChunkMemory.ABSENT);
            }
        }
    }

    @Test
    void delete_lastChunkOfAForeignPage_givesAllItsMemoryBack() {
        long cid = OpenMemory.foreign(700);
        open.page(cid);
        long before = open.allocatedBytes();
        open.insert(cid, 300);
        open.insert(cid + 1, 5000);
        assertThat(open.allocatedBytes()).isGreaterThan(before + 5300);
        open.memory.setReadOnly(cid + 1);
        assertThat(delete(cid + 1)).isTrue();
        assertThat(delete(cid)).isTrue();
        if (layout == MemoryLayout.CLASSIC) {
            assertThat(open.kind(cid)).isEqualTo(Page.ENTRIES);
            assertThat(open.allocatedBytes()).isLessThan(before + 300 + Space.ENTRY_TABLE_BYTES);
        } else {
            assertThat(open.allocatedBytes()).isEqualTo(before);
            assertThat(open.form(cid)).isZero();
            assertThat(open.state(cid)).isZero();
        }
    }

    @Test
    void delete_chunkOfATypedPage_othersAreStillRead() {
        long cid = fullPage(open);
        long first = cid & -Page.SLOTS;
        for (int i = 0; i < 5; i++) {
            assertThat(open.memory.resize(first + i, 40)).isTrue();
            open.put(first + i, 40);
        }
        assertThat(delete(first + 2)).isTrue();
        assertThat(delete(first + 100)).isTrue();
        for (int i = 0; i < Page.SLOTS; i++) {
            if (i == 2 || i == 100) {
                assertThat(open.memory.sizeOf(first + i)).isEqualTo(ChunkMemory.ABSENT);
            } else {
                assertThat(open.get(first + i)).isEqualTo(OpenMemory.content(first + i, i < 5 ? 40 : 16));
            }
        }
    }

    @Test
    void delete_readOnlyChunk_theNextOneOfItsLidMayChange() {
        long cid = OpenMemory.foreign(700);
        open.insert(cid + 1, 16);
        open.insert(cid, 16);
        open.memory.setReadOnly(cid);
        assertThat(delete(cid)).isTrue();
        open.insert(cid, 16);
        open.put(cid, 16);
    }

    @Test
    void delete_ownChunks_theirLidsAreGivenAgain() {
        long[] cids = new long[3 * Page.SLOTS];
        for (int i = 0; i < cids.length; i++) {
            cids[i] = open.create(300);
        }
        long mark = open.memory.lidMark();
        for (long cid : cids) {
            assertThat(delete(cid)).isTrue();
        }
        for (int i = 0; i < 2 * Page.SLOTS; i++) {
            open.create(300);
        }
        assertThat(open.memory.lidMark()).isEqualTo(mark);
    }

    private boolean delete(long cid) {
        return removal.delete(open.page(cid), cid);
    }

    /** Creates chunks of 16 B until a page of them is full, typed if the layout is. Returns a CID of it. */
    static long fullPage(OpenMemory open) {
        for (int i = 0; i < 10_000; i++) {
            long cid = open.create(16);
            boolean wanted = open.kind(cid) != Page.PACKED;
            if (wanted && Page.live(open.state(cid)) == Page.SLOTS) {
                return cid;
            }
        }
        throw new AssertionError("no page is full");
    }
}
