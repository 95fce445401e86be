package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.BatchSteps;
import dev.granary.memory.page.Group;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripes;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Readers of pages that are being changed: the words that lead to chunks may then be anything, because the block in
 * which they lay belongs to somebody else. The readers notice that, and read nothing outside the memory before they do.
 */
class TornPageTest {

    private static final long CAPACITY = 16 << 20;

    /** An entry whose size is split: a reader looks for the rest of it in the block, which lies outside the memory. */
    private static final long NO_ENTRY = EntryLayout.entry(EntryLayout.ADDRESS_MASK, EntryLayout.MAX_EMBEDDED_SIZE + 1);

    private static final int ROUNDS = 300_000;

    private final Space[] made = new Space[1];

    private ChunkMemory open(MemoryLayout layout) {
        Space space = Space.make(MemoryTests.config(layout, CAPACITY), 1);
        made[0] = space;
        ChunkMemory memory = PagedChunkMemory.of(space, Stripes.make(space, 1));
        memory.reserveLids(ChunkMemory.MAX_LID + 1);
        return memory;
    }

    private long page(long cid) {
        return made[0].table.find(cid & ChunkMemory.MAX_LID);
    }

    @Test
    void batch_metaBlockBelongsToSomebodyElse_isReadOneByOneInstead() {
        try (ChunkMemory memory = open(MemoryLayout.TYPED)) {
            Space space = made[0];
            Vmb vmb = space.vmb;
            long[] cids = {memory.create(300), memory.create(300)};
            long page = page(cids[0]);
            long at = Page.base(vmb.getAcquire(page)) + Meta.GROUPS;
            long word = vmb.getAcquire(at);

            BatchSteps steps = new BatchSteps(space);
            steps.findPages(cids, 0, 2);
            Latch.lockExclusive(vmb, page + Page.LATCH);
            vmb.setRelease(at, EntryLayout.ADDRESS_MASK);
            boolean computed = steps.locate(cids, 0, 2);
            vmb.setRelease(at, word);
            Latch.unlockExclusive(vmb, page + Page.LATCH);

            assertThat(computed && Latch.isUnchanged(vmb, page + Page.LATCH, steps.latches[0]))
                    .isFalse();
            assertThat(memory.delete(cids, 0, 2, new boolean[2])).isEqualTo(2);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void isUnchanged_wordWasReadWhileThePageWasChanged_neverHolds() {
        try (ChunkMemory memory = open(MemoryLayout.TYPED)) {
            Vmb vmb = made[0].vmb;
            long latch = page(memory.create(300)) + Page.LATCH;
            Latch.lockExclusive(vmb, latch);
            long word = vmb.getAcquire(latch);
            assertThat(Latch.isUnchanged(vmb, latch, word)).isFalse();
            assertThat(Latch.isUnchanged(vmb, latch, Latch.HELD)).isTrue();
            Latch.unlockExclusive(vmb, latch);
            assertThat(Latch.isUnchanged(vmb, latch, word)).isFalse();
            word = vmb.getAcquire(latch);
            assertThat(Latch.isUnchanged(vmb, latch, word)).isTrue();
            Latch.lockShared(vmb, latch);
            assertThat(Latch.isUnchanged(vmb, latch, word)).isTrue();
            Latch.unlockShared(vmb, latch);
        }
    }

    @Test
    void sizeOf_entryIsAnythingWhileThePageIsChanged_saysTheSize() throws Exception {
        try (ChunkMemory memory = open(MemoryLayout.CLASSIC)) {
            Vmb vmb = made[0].vmb;
            long cid = memory.create(300);
            long page = page(cid);
            long at = Page.base(vmb.getAcquire(page)) + (long) Page.slot(cid) * EntryLayout.BYTES;
            long entry = vmb.getAcquire(at);
            besideSizeOf(memory, cid, () -> {
                Latch.lockExclusive(vmb, page + Page.LATCH);
                vmb.setRelease(at, NO_ENTRY);
                spin();
                vmb.setRelease(at, entry);
                Latch.unlockExclusive(vmb, page + Page.LATCH);
            });
        }
    }

    @Test
    void sizeOf_chunkIsJustMadeAForward_saysTheSize() throws Exception {
        try (ChunkMemory memory = open(MemoryLayout.TYPED)) {
            Vmb vmb = made[0].vmb;
            long cid = memory.create(300);
            long page = page(cid);
            long word = vmb.getAcquire(Page.base(vmb.getAcquire(page)) + Meta.GROUPS);
            int index = Page.slot(cid) & (Group.LIDS - 1);
            int code = Group.code(vmb, word, index);
            long at = EntryLayout.address(word) + Group.CODES + index;
            vmb.setLong(Group.payload(word) + Group.offset(vmb, word, index), NO_ENTRY);
            besideSizeOf(memory, cid, () -> {
                Latch.lockExclusive(vmb, page + Page.LATCH);
                vmb.setByte(at, Group.forwardCode(word));
                spin();
                vmb.setByte(at, code);
                Latch.unlockExclusive(vmb, page + Page.LATCH);
            });
        }
    }

    /** For as long as other processors need to see what was written. */
    private static void spin() {
        for (int i = 0; i < 20; i++) {
            Thread.onSpinWait();
        }
    }

    /** One thread changes, this one asks: the page is as it was whenever its latch is free. */
    private static void besideSizeOf(ChunkMemory memory, long cid, Runnable change) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService others = Executors.newCachedThreadPool()) {
            Future<?> changes = others.submit(() -> {
                while (!done.get()) {
                    change.run();
                    spin();
                }
            });
            try {
                byte[] room = new byte[300];
                for (int i = 0; i < ROUNDS; i++) {
                    assertThat(memory.sizeOf(cid)).isEqualTo(300);
                    if (i % 8 == 0) {
                        assertThat(memory.get(cid, MemorySegment.ofArray(room), 0, 300))
                                .isEqualTo(300);
                    }
                }
            } finally {
                done.set(true);
            }
            changes.get();
        }
    }
}
