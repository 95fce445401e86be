package dev.granary.memory.page;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.BlockArena;
import dev.granary.memory.arena.BlockSource;
import dev.granary.memory.arena.DeferredFrees;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.lock.StripeLock;
import dev.granary.memory.os.LongList;
import dev.granary.memory.os.Padded;
import dev.granary.memory.os.Vmb;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of the independent parts into which creates are spread (ADR 0010): an arena with its lock, the pages in which
 * chunks are created, and counters of the chunks in the pages that it owns. Everything under the lock, unless said.
 */
public final class Stripe extends Padded implements BlockSource {

    final int id;
    public final StripeLock lock = new StripeLock();
    public final BlockArena arena;

    /** The place that was found last. */
    public final Slot slot = new Slot();

    private final Space space;
    private final Vmb vmb;
    private final int maxStride;
    private final StripeBooks books = new StripeBooks();
    private final EntryFiller entries;
    private final @Nullable TypedFiller[] typed = new TypedFiller[TypedFiller.MAX_STRIDE + 1];
    private final @Nullable PackedFiller[] packed = new PackedFiller[PackedFiller.BANDS];
    private final LongList emptyPages = new LongList();
    private final DeferredFrees deferred = new DeferredFrees();
    private final Stripe[] all;
    private boolean exhaustive;
    private final LongList spareNumbers = new LongList();
    private Outcome lastFailure = Outcome.DONE;

    /** The page whose latch is held from one chunk to the next, or 0. */
    private long latched;

    /**
     * A stripe.
     *
     * @param all all of the memory, by id
     */
    Stripe(Space space, BlockArena arena, int id, Stripe[] all) {
        this.space = space;
        this.vmb = space.vmb;
        this.arena = arena;
        this.maxStride = TypedFiller.maxStride(space.extents.extentBytes());
        this.id = id;
        this.all = all;
        this.entries = new EntryFiller(space, this);
    }

    public StripeBooks books() {
        return books;
    }

    public EntryFiller entries() {
        return entries;
    }

    /**
     * Finds a place for a new chunk; {@link #slot} says where. In a packed page, its latch is held until
     * {@link #finish}.
     *
     * @param exhaustively whether to search free lists for long
     */
    public Outcome place(int sizeBytes, boolean exhaustively) {
        prepare(exhaustively);
        if (space.layout == MemoryLayout.CLASSIC) {
            return entries.place(sizeBytes, slot);
        }
        PackedFiller packedFiller = packed(PackedFiller.bandOf(sizeBytes));
        if (suitsTyped(sizeBytes)) {
            // Free LIDs of packed pages come before new pages, or these pages would stay half empty for good.
            boolean mayMake = books.live(sizeBytes) >= TypedFiller.liveNeeded(sizeBytes) && !packedFiller.hasListed();
            TypedFiller typedFiller = mayMake ? typed(sizeBytes) : typed[sizeBytes];
            if (typedFiller != null && typedFiller.place(slot, mayMake)) {
                return Outcome.DONE;
            }
        }
        return packedFiller.place(sizeBytes, slot);
    }

    /** Whether chunks of a size can be in typed pages. */
    boolean suitsTyped(int sizeBytes) {
        return sizeBytes >= TypedFiller.MIN_STRIDE && sizeBytes <= maxStride;
    }

    /** Finds a place in any packed page, whatever sizes it is for: when no LID is left for others. */
    public Outcome placeAnywhere(int sizeBytes) {
        prepare(true);
        for (PackedFiller filler : packed) {
            if (filler != null
                    && (filler.open() != 0 || filler.hasListed())
                    && filler.place(sizeBytes, slot) == Outcome.DONE) {
                return Outcome.DONE;
            }
        }
        return Outcome.NO_LID;
    }

    /**
     * Gives a place back that was found here and not published. Under the page's latch if it is a packed one.
     *
     * <p>The bytes in a group stay with the LID until it is used again: nobody can move the others now.
     */
    public void abandon(Slot place, int sizeBytes) {
        long form = vmb.getAcquire(place.page);
        if (place.entry != EntryLayout.NO_CHUNK) {
            freeChunk(place.entry, sizeBytes);
        } else if (Page.kind(form) == Page.PACKED) {
            long at = Page.base(form) + Meta.GROUPS + ((long) place.index >>> Group.SHIFT << 3);
            long word = vmb.getAcquire(at);
            int index = place.index & (Group.LIDS - 1);
            if (Group.code(vmb, word, index) == Group.forwardCode(word)) {
                freeChunk(Group.locate(vmb, word, index), sizeBytes);
                vmb.setLong(Group.payload(word) + Group.offset(vmb, word, index), EntryLayout.NO_CHUNK);
            }
        }
    }

    /**
     * Makes a chunk known whose place was found here, after its bytes were written. Where the page may not be open any
     * more, the caller tells {@link SparsePages}.
     */
    public void publish(Slot place, int sizeBytes) {
        long state = vmb.getAcquire(place.page + Page.STATE) + Page.ONE_LIVE;
        vmb.setRelease(place.page + Page.STATE, state);
        if (place.entry != EntryLayout.NO_CHUNK) {
            long table = Page.base(vmb.getAcquire(place.page));
            vmb.setRelease(table + (long) place.index * EntryLayout.BYTES, place.entry);
        } else {
            Meta.set(vmb, Page.meta(state), place.index);
            if (Page.live(state) == Page.SLOTS) {
                noteFull(place.page);
            }
        }
        books.created(sizeBytes);
    }

    /**
     * Takes the latch of a page, and keeps it from chunk to chunk.
     *
     * @return false if somebody else has it
     */
    boolean latch(long page) {
        if (latched == page) {
            return true;
        }
        finish();
        if (!Latch.tryExclusive(vmb, page + Page.LATCH)) {
            return false;
        }
        latched = page;
        return true;
    }

    boolean isLatched(long page) {
        return latched == page;
    }

    /** Whether nobody else holds the latch of a page: nobody is filling a slot of it. */
    boolean isIdle(long page) {
        if (latched == page) {
            return true;
        }
        if (!Latch.tryExclusive(vmb, page + Page.LATCH)) {
            return false;
        }
        Latch.unlockExclusive(vmb, page + Page.LATCH);
        return true;
    }

    /** Releases the latch that is held from chunk to chunk. Before the lock is released. */
    public void finish() {
        if (latched != 0) {
            Latch.unlockExclusive(vmb, latched + Page.LATCH);
            latched = 0;
        }
    }

    /** Holds the latch of the page of the place that was found shared from now on. Returns false if it is held. */
    public boolean share() {
        if (latched == slot.page) {
            Latch.downgrade(vmb, latched + Page.LATCH);
            latched = 0;
            return true;
        }
        return Latch.tryShared(vmb, slot.page + Page.LATCH);
    }

    /** The filler that creates chunks in pages like this one. */
    public PageFiller fillerOf(long page) {
        long form = vmb.getAcquire(page);
        return switch (Page.kind(form)) {
            case Page.ENTRIES -> entries;
            case Page.TYPED -> typed(Page.stride(form));
            default -> packed(Page.stride(form));
        };
    }

    /** Takes an own page with free LIDs, after it was loaded. */
    public void adopt(long page) {
        fillerOf(page).pushLast(page);
    }

    /** Notes that an own page of this stripe has free LIDs, unless that is known. */
    public void noteFree(long page) {
        if ((vmb.getAcquire(page + Page.STATE) & (Page.OPEN | Page.LISTED)) == 0) {
            fillerOf(page).push(page);
        }
    }

    /** Ends creating in a page, before its form changes: it is neither open nor listed afterwards. */
    public void forget(long page) {
        PageFiller filler = fillerOf(page);
        filler.close(page);
        if ((vmb.getAcquire(page + Page.STATE) & Page.LISTED) != 0) {
            filler.unlist(page);
        }
    }

    /** Keeps a page without chunks for later. */
    public void giveEmptyPageBack(long page) {
        emptyPages.add(page);
    }

    /** Keeps the number of a page without chunks for later. */
    void giveNumberBack(long number) {
        spareNumbers.add(number);
    }

    /**
     * Takes an own page without chunks, and its latch.
     *
     * @return its directory entry, or 0 if there is none; {@link #lastFailure} says why
     */
    long takeEmptyPage() {
        for (int i = emptyPages.size(); i > 0; i--) {
            long page = emptyPages.removeLast();
            if (isEmptyAndLatched(page)) {
                return page;
            }
            if (isEmpty(page)) {
                emptyPages.add(page);
                break;
            }
        }
        while (true) {
            long number = spareNumbers.size() > 0 ? spareNumbers.removeLast() : takeNumber();
            if (number == PageNumbers.NONE) {
                return failed(Outcome.NO_LID);
            }
            long page = space.table.findOrMake(number << Page.SLOT_BITS, arena, exhaustive);
            if (page == 0) {
                spareNumbers.add(number);
                return failed(Outcome.NO_MEMORY);
            }
            if (isEmptyAndLatched(page)) {
                return page;
            }
            if (isEmpty(page)) {
                emptyPages.add(page);
                return failed(Outcome.BUSY);
            }
        }
    }

    /**
     * Takes the number of a page that is new, and keeps those behind it in the leaf for later: directory entries of
     * neighbours lie in one cache line, or in two that are fetched together, and stripes that write to the same ones
     * would wait for each other.
     */
    private long takeNumber() {
        long first = space.numbers.takeLeaf();
        if (first == PageNumbers.NONE) {
            return space.numbers.take();
        }
        for (long number = first | (PageTable.LEAF_PAGES - 1); number > first; number--) {
            spareNumbers.add(number);
        }
        return first;
    }

    /** Why no page was found. */
    Outcome lastFailure() {
        return lastFailure;
    }

    /** Notes why something could not be made. */
    long failed(Outcome why) {
        lastFailure = why;
        return 0;
    }

    LongList emptyPages() {
        return emptyPages;
    }

    /** To be called before blocks are allocated: frees what others left here. */
    public void prepare(boolean exhaustively) {
        exhaustive = exhaustively;
        deferred.drain(arena);
    }

    @Override
    public long allocate(long sizeBytes, int alignment, int kind) {
        long block = alignment == 1
                ? arena.allocate(sizeBytes, kind, exhaustive)
                : arena.allocateAligned(sizeBytes, alignment, kind, exhaustive);
        if (block == 0) {
            lastFailure = Outcome.NO_MEMORY;
        }
        return block;
    }

    @Override
    public void free(long block, long sizeBytes) {
        Stripe owner = all[space.extents.owner(block)];
        if (owner == this) {
            arena.free(block, sizeBytes);
        } else {
            owner.deferred.add(block, sizeBytes);
        }
    }

    /** Checks that lists and pages agree. */
    void verifyLists(List<String> violations) {
        entries.verify(violations);
        for (TypedFiller filler : typed) {
            if (filler != null) {
                filler.verify(violations);
            }
        }
        for (PackedFiller filler : packed) {
            if (filler != null) {
                filler.verify(violations);
            }
        }
    }

    /** What this takes on the heap. */
    long heapBytes() {
        return emptyPages.heapBytes() + entries.heapBytes() + (long) typed.length * Long.BYTES;
    }

    private TypedFiller typed(int stride) {
        TypedFiller filler = typed[stride];
        if (filler == null) {
            filler = new TypedFiller(space, this, stride);
            typed[stride] = filler;
        }
        return filler;
    }

    private PackedFiller packed(int band) {
        PackedFiller filler = packed[band];
        if (filler == null) {
            filler = new PackedFiller(space, this, band);
            packed[band] = filler;
        }
        return filler;
    }

    /** From now on readers need not look whether a slot of this page is live. */
    private void noteFull(long page) {
        long form = vmb.getAcquire(page);
        if (Page.kind(form) == Page.TYPED && (form & Page.HAS_FORWARDS) == 0) {
            vmb.setRelease(page, form | Page.ALL_LIVE);
        }
    }

    private boolean isEmpty(long page) {
        return Page.kind(vmb.getAcquire(page)) == Page.NONE;
    }

    private boolean isEmptyAndLatched(long page) {
        if (!Latch.tryExclusive(vmb, page + Page.LATCH)) {
            return false;
        }
        if (isEmpty(page)) {
            return true;
        }
        Latch.unlockExclusive(vmb, page + Page.LATCH);
        return false;
    }
}
