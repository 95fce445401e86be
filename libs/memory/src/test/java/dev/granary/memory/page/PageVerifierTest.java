package dev.granary.memory.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.AllocatedBlocks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.paged.OpenMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Damages pages in one place after the other, and repairs them. */
class PageVerifierTest {

    private static final long CID = OpenMemory.foreign(64);

    private final List<OpenMemory> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(OpenMemory::close);
    }

    @Test
    void verify_soundPage_countsWhatIsInIt() {
        OpenMemory open = packed();
        List<String> violations = new ArrayList<>();
        PageVerifier verifier = verifier(open, violations);
        verifier.verify(open.page(CID), (int) (CID >>> 48));
        assertThat(violations).isEmpty();
        assertThat(verifier.chunks()).isEqualTo(4);
        assertThat(verifier.metaBytes()).isEqualTo(Meta.PACKED_BYTES);
        StripeBooks books = verifier.books(Page.owner(open.state(CID)));
        assertThat(books.payloadBytes()).isEqualTo(100 + 200 + 3000);
        assertThat(books.live(200)).isEqualTo(1);
        assertThat(verifier.pins()).isZero();
        open.memory.pin(CID);
        verifier.verify(open.page(CID), (int) (CID >>> 48));
        assertThat(verifier.pins()).isEqualTo(1);
        open.memory.unpin(CID);
    }

    @Test
    void verify_wordsOfAnyPage_areChecked() {
        OpenMemory open = packed();
        long page = open.page(CID);
        Latch.lockShared(open.vmb, page + Page.LATCH);
        assertFound(open, CID, "its latch is held");
        Latch.unlockShared(open.vmb, page + Page.LATCH);

        long state = open.state(CID);
        open.vmb.setRelease(page + Page.STATE, state | Page.LISTED);
        assertFound(open, CID, "it is another peer's, but open or listed");
        open.vmb.setRelease(page + Page.STATE, state + Page.ONE_LIVE);
        assertFound(open, CID, "4 chunks are live, counted are 5");
        open.vmb.setRelease(page + Page.STATE, state);

        long empty = CID + Page.SLOTS;
        open.vmb.setRelease(open.page(empty) + Page.STATE, 1);
        assertFound(open, empty, "it is empty, but its words are 0 and 1");
        open.vmb.setRelease(open.page(empty) + Page.STATE, 0);
    }

    @Test
    void verify_readOnlySlotWithoutAChunk_isFound() {
        OpenMemory open = packed();
        open.memory.setReadOnly(CID);
        long bitmap = Page.meta(open.state(CID)) + Meta.READ_ONLY;
        Meta.set(open.vmb, bitmap, 5);
        assertFound(open, CID, "slot 5 is read-only, but has no chunk");
        Meta.clear(open.vmb, bitmap, 5);
    }

    @Test
    void verify_typedPage_slotsAndFlagsAreChecked() {
        OpenMemory open = open(MemoryLayout.TYPED);
        long cid = 0;
        for (int i = 0; cid == 0 || open.kind(cid) != Page.TYPED; i++) {
            assertThat(i).isLessThan(10_000);
            cid = open.create(16);
        }
        long page = open.page(cid);
        long form = open.form(cid);
        open.vmb.setRelease(page, form | Page.ALL_LIVE);
        assertFound(open, cid, "it says that all slots hold chunks of its size");
        open.vmb.setRelease(page, form);

        assertThat(open.memory.resize(cid, 40)).isTrue();
        List<String> violations = new ArrayList<>();
        PageVerifier verifier = verifier(open, violations);
        verifier.verify(page, open.space.nid);
        assertThat(violations).isEmpty();
        assertThat(verifier.books(0).live(40)).isEqualTo(1);
        int free = Page.slot(cid) + 1;
        long forwards = Page.meta(open.state(cid)) + Meta.FORWARDS;
        Meta.set(open.vmb, forwards, free);
        assertFound(open, cid, "slot %d is forwarded, but not live".formatted(free));
        Meta.clear(open.vmb, forwards, free);
    }

    @Test
    void verify_pageOfEntries_entriesAreChecked() {
        OpenMemory open = open(MemoryLayout.CLASSIC);
        open.insert(CID, 100);
        long at = Page.base(open.form(CID)) + (long) Page.slot(CID) * EntryLayout.BYTES;
        long entry = open.vmb.getAcquire(at);
        open.vmb.setRelease(at, EntryLayout.entry(7, 100));
        assertFound(open, CID, "slot 64 has the impossible entry");
        open.vmb.setRelease(at, EntryLayout.NO_CHUNK);
        assertFound(open, CID, "0 chunks are live, counted are 1");
        open.vmb.setRelease(at, entry);
    }

    private OpenMemory open(MemoryLayout layout) {
        OpenMemory open = new OpenMemory(layout, 4 << 20, 1);
        opened.add(open);
        return open;
    }

    /** Chunks in one group: of 100 B, none, 200 B, and one that is forwarded. */
    private OpenMemory packed() {
        OpenMemory open = open(MemoryLayout.TYPED);
        open.insert(CID, 100);
        open.insert(CID + 1, 0);
        open.insert(CID + 9, 200);
        open.insert(CID + 10, 3000);
        return open;
    }

    private static PageVerifier verifier(OpenMemory open, List<String> violations) {
        return new PageVerifier(open.space, open.stripes, new AllocatedBlocks(), violations);
    }

    private static void assertFound(OpenMemory open, long cid, String violation) {
        List<String> violations = new ArrayList<>();
        verifier(open, violations).verify(open.page(cid), (int) (cid >>> 48));
        assertThat(violations).anyMatch(found -> found.contains(violation));
    }
}
