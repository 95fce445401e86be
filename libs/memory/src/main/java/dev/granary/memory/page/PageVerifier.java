package dev.granary.memory.page;

import dev.granary.memory.VerifierReport;
import dev.granary.memory.arena.AllocatedBlocks;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import java.util.List;

/** Checks pages one by one, and adds up what is in them. */
final class PageVerifier {

    private final Space space;
    private final Vmb vmb;
    private final AllocatedBlocks blocks;
    private final List<String> violations;
    private final StripeBooks[] books;
    private final long[] deadBytes;
    private final int[] fixed;
    private long metaBytes;
    private long pins;
    private long chunks;

    PageVerifier(Space space, Stripes stripes, AllocatedBlocks blocks, List<String> violations) {
        this.space = space;
        this.vmb = space.vmb;
        this.blocks = blocks;
        this.violations = violations;
        this.deadBytes = new long[space.extents.count()];
        this.fixed = new int[space.extents.count()];
        this.books = new StripeBooks[stripes.count()];
        for (int i = 0; i < books.length; i++) {
            books[i] = new StripeBooks();
        }
    }

    long metaBytes() {
        return metaBytes;
    }

    long pins() {
        return pins;
    }

    long chunks() {
        return chunks;
    }

    /** What the books of a stripe should say. */
    StripeBooks books(int stripe) {
        return books[stripe];
    }

    /** What {@link dev.granary.memory.arena.Segments} should say of a segment. */
    long deadBytes(int segment) {
        return deadBytes[segment];
    }

    /** What {@link dev.granary.memory.arena.Segments} should say of a segment. */
    int fixed(int segment) {
        return fixed[segment];
    }

    /** A node of a table lies here. */
    void addNode(long address) {
        fixed[space.extents.segmentOf(address)]++;
    }

    /** Checks a page of the table of a NID. */
    void verify(long page, int nid) {
        long form = vmb.getAcquire(page);
        long state = vmb.getAcquire(page + Page.STATE);
        long number = Page.number(vmb.getAcquire(page + Page.NUMBER));
        long numberAndPins = vmb.getAcquire(page + Page.NUMBER);
        pins += Page.pins(numberAndPins);
        if (Page.kind(form) == Page.TYPED) {
            int segment = space.extents.segmentOf(Page.base(form));
            deadBytes[segment] += SparsePages.deadBytes(form, state, numberAndPins);
            fixed[segment] += SparsePages.isFixed(form, numberAndPins) ? 1 : 0;
        }
        if (Latch.isHeld(vmb.getAcquire(page + Page.LATCH))) {
            violation(number, "its latch is held");
        }
        if (nid != space.nid && (state & (Page.OPEN | Page.LISTED)) != 0) {
            violation(number, "it is another peer's, but open or listed");
        }
        int live =
                switch (Page.kind(form)) {
                    case Page.NONE -> verifyNone(form, state, number);
                    case Page.ENTRIES -> verifyEntries(form, number, state);
                    case Page.TYPED -> verifyTyped(form, number, state);
                    case Page.PACKED -> verifyPacked(form, number, state);
                    default -> -1;
                };
        chunks += live;
        if (live != Page.live(state)) {
            violation(number, "%d chunks are live, counted are %d".formatted(live, Page.live(state)));
        }
        if (Page.kind(form) == Page.TYPED || Page.kind(form) == Page.PACKED) {
            int size = Meta.sizeBytes(form, state);
            blocks.add(Page.meta(state), size, Marker.OTHER);
            metaBytes += size;
        }
    }

    private int verifyNone(long form, long state, long number) {
        if (form != 0 || state != 0) {
            violation(number, "it is empty, but its words are %x and %x".formatted(form, state));
        }
        return 0;
    }

    private int verifyEntries(long form, long number, long state) {
        blocks.add(Page.base(form), Space.ENTRY_TABLE_BYTES, Marker.OTHER);
        int live = 0;
        for (int i = 0; i < Page.SLOTS; i++) {
            long entry = vmb.getAcquire(Page.base(form) + (long) i * EntryLayout.BYTES);
            if (entry != EntryLayout.NO_CHUNK) {
                live++;
                books[Page.owner(state)].created(claim(entry, number, i));
            }
        }
        return live;
    }

    private int verifyTyped(long form, long number, long state) {
        int stride = Page.stride(form);
        blocks.add(Page.base(form), Space.typedBytes(stride), Marker.OTHER);
        long meta = Page.meta(state);
        boolean extended = (state & Page.EXTENDED) != 0;
        int live = 0;
        for (int i = 0; i < Page.SLOTS; i++) {
            boolean isLive = Meta.isSet(vmb, meta, i);
            boolean forward = extended && Meta.isSet(vmb, meta + Meta.FORWARDS, i);
            if (forward && (!isLive || (form & Page.HAS_FORWARDS) == 0)) {
                violation(number, "slot %d is forwarded, but not live or the page says otherwise".formatted(i));
            }
            if (isLive) {
                live++;
                long slot = Page.base(form) + (long) i * stride;
                books[Page.owner(state)].created(forward ? claim(vmb.getLong(slot), number, i) : stride);
            }
            checkReadOnly(extended, meta, i, isLive, number);
        }
        if ((form & Page.ALL_LIVE) != 0 && (live < Page.SLOTS || (form & Page.HAS_FORWARDS) != 0)) {
            violation(number, "it says that all slots hold chunks of its size: %d are live".formatted(live));
        }
        return live;
    }

    private int verifyPacked(long form, long number, long state) {
        if (Page.base(form) != Page.meta(state)) {
            violation(number, "form and state lead to different meta blocks");
        }
        int live = 0;
        for (int group = 0; group < Group.PER_PAGE; group++) {
            long bits = vmb.getAcquire(Page.meta(state) + 8L * group);
            live += Long.bitCount(bits);
            long word = vmb.getAcquire(Page.meta(state) + Meta.GROUPS + 8L * group);
            if (word != 0) {
                verifyGroup(word, bits, number, group, state);
            } else if (bits != 0) {
                violation(number, "group %d has live chunks, but no block".formatted(group));
            }
        }
        boolean extended = (state & Page.EXTENDED) != 0;
        for (int i = 0; i < Page.SLOTS; i++) {
            checkReadOnly(extended, Page.meta(state), i, Meta.isSet(vmb, Page.meta(state), i), number);
        }
        return live;
    }

    private void verifyGroup(long word, long live, long number, int group, long state) {
        blocks.add(EntryLayout.address(word), Group.blockBytes(vmb, word), Marker.OTHER);
        int end = 0;
        for (int i = 0; i < Group.LIDS; i++) {
            int code = Group.code(vmb, word, i);
            boolean isLive = (live & 1L << i) != 0;
            if (Group.offset(vmb, word, i) != end) {
                violation(number, "group %d: LID %d is not where the sum of sizes says".formatted(group, i));
            }
            if (isLive && code == 0) {
                violation(number, "group %d: LID %d is live, but has no code".formatted(group, i));
            }
            if (isLive && code == Group.forwardCode(word)) {
                long entry = vmb.getLong(Group.payload(word) + end);
                books[Page.owner(state)].created(claim(entry, number, group * Group.LIDS + i));
            } else if (isLive) {
                books[Page.owner(state)].created(Group.bytes(word, code));
            }
            end += Group.bytes(word, code);
        }
        if (end != space.groups.end(word) || end > space.groups.capacity(word)) {
            violation(
                    number,
                    "group %d has %d B, says %d, has room for %d"
                            .formatted(group, end, space.groups.end(word), space.groups.capacity(word)));
        }
    }

    /** Notes the block of an entry and returns the chunk's size. */
    private int claim(long entry, long number, int index) {
        long address = EntryLayout.address(entry);
        int size = Chunks.size(vmb, entry);
        if (address != EntryLayout.EMPTY_CHUNK) {
            if (address < 16 || size < 1) {
                violation(number, "slot %d has the impossible entry %x".formatted(index, entry));
            } else {
                blocks.add(address, Chunks.blockBytes(size), Marker.chunk(size));
            }
        }
        return size;
    }

    private void checkReadOnly(boolean extended, long meta, int index, boolean live, long number) {
        if (extended && !live && Meta.isSet(vmb, meta + Meta.READ_ONLY, index)) {
            violation(number, "slot %d is read-only, but has no chunk".formatted(index));
        }
    }

    private void violation(long number, String text) {
        if (violations.size() < VerifierReport.MAX_VIOLATIONS) {
            violations.add("page %d: %s".formatted(number, text));
        }
    }
}
