package dev.granary.memory.page;

import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import java.util.function.LongConsumer;

/**
 * Places new chunks of similar sizes in packed pages, group by group. The latch of the page in use stays held between
 * chunks until {@link Stripe#finish}. Under the stripe's lock.
 */
public final class PackedFiller extends PageFiller {

    /** Bands of sizes, so that the sizes of a group fit a byte; the last band is for forwards. */
    public static final int BANDS = Group.MAX_SIZE / Group.BAND + 2;

    private static final int FORWARDS = BANDS - 1;

    /** A first guess of how many chunks of the size of the first one a group's block should have room for. */
    private static final int FIRST_CHUNKS = 8;

    /** What a full group may waste. */
    private static final int TOLERATED_BYTES = 16;

    private static final int TRIES = 3;

    private final int band;
    private final PageList listed;
    private int cursor;

    /** Payload of the last full group, a guess for the next one. */
    private int lastPayload;

    PackedFiller(Space space, Stripe stripe, int band) {
        super(space, stripe);
        this.band = band;
        this.listed = new PageList(space.vmb);
    }

    /** The band for chunks of a size. */
    public static int bandOf(int sizeBytes) {
        return sizeBytes > Group.MAX_SIZE ? FORWARDS : sizeBytes / Group.BAND;
    }

    /** Leaves the page's latch held by the stripe. */
    Outcome place(int sizeBytes, Slot to) {
        long entry = EntryLayout.NO_CHUNK;
        if (sizeBytes > Group.MAX_SIZE) {
            // The block before the page: a chunk that is too large leaves nothing behind.
            entry = stripe.allocateChunk(vmb, sizeBytes);
            if (entry == EntryLayout.NO_CHUNK) {
                return Outcome.NO_MEMORY;
            }
        }
        Outcome outcome = place(sizeBytes, entry, to);
        if (outcome != Outcome.DONE && entry != EntryLayout.NO_CHUNK) {
            stripe.freeChunk(entry, sizeBytes);
        }
        return outcome;
    }

    private Outcome place(int sizeBytes, long entry, Slot to) {
        for (int tries = 0; tries < TRIES; tries++) {
            int index = take(true);
            if (index < 0) {
                return stripe.lastFailure();
            }
            long page = open();
            if (stripe.latch(page)) {
                return entry == EntryLayout.NO_CHUNK && !fits(page, index, sizeBytes)
                        ? placeForwarded(page, index, sizeBytes, to)
                        : place(page, index, sizeBytes, entry, to);
            }
            close(page);
        }
        return Outcome.BUSY;
    }

    @Override
    int nextFree(long page, long number, boolean whole) {
        long live = Page.meta(vmb.getAcquire(page + Page.STATE));
        long mask = -1L << cursor;
        for (int word = cursor >>> Group.SHIFT; word < Group.PER_PAGE; word++) {
            long free = ~vmb.getAcquire(live + 8L * word) & mask;
            if (!whole) {
                free &= space.numbers.usable(number, word);
            }
            if (free != 0) {
                return (word << Group.SHIFT) + Long.numberOfTrailingZeros(free);
            }
            mask = -1L;
        }
        return -1;
    }

    @Override
    void begin(long page) {
        cursor = 0;
    }

    @Override
    void end(long page) {
        if (cursor > 0) {
            trimLast(page);
        }
    }

    @Override
    boolean make(long page) {
        return PageMaker.makePacked(space, stripe, page, band, stripe.id);
    }

    @Override
    boolean hasListed() {
        return listed.first() != 0;
    }

    @Override
    public void push(long page) {
        listed.addFirst(page);
    }

    @Override
    void pushLast(long page) {
        listed.addLast(page);
    }

    @Override
    public void unlist(long page) {
        listed.remove(page);
    }

    @Override
    void forEachListed(LongConsumer visitor) {
        for (long page = listed.first(); page != 0; page = listed.next(page)) {
            visitor.accept(page);
        }
    }

    @Override
    long pop() {
        long page = listed.first();
        listed.remove(page);
        return page;
    }

    private boolean fits(long page, int index, int sizeBytes) {
        long word = vmb.getAcquire(groupWord(page, index >>> Group.SHIFT));
        return space.groupBlocks.fits(word, index & (Group.LIDS - 1), sizeBytes);
    }

    /** For a chunk that is not too large for a group, but for this one. */
    private Outcome placeForwarded(long page, int index, int sizeBytes, Slot to) {
        long entry = stripe.allocateChunk(vmb, sizeBytes);
        if (entry == EntryLayout.NO_CHUNK) {
            return Outcome.NO_MEMORY;
        }
        Outcome outcome = place(page, index, sizeBytes, entry, to);
        if (outcome != Outcome.DONE) {
            stripe.freeChunk(entry, sizeBytes);
        }
        return outcome;
    }

    /** Places a chunk in a group, or the entry of one that has a block. */
    private Outcome place(long page, int index, int sizeBytes, long entry, Slot to) {
        int group = index >>> Group.SHIFT;
        if (cursor > 0 && (cursor - 1) >>> Group.SHIFT != group) {
            trimLast(page);
        }
        long at = groupWord(page, group);
        int inGroup = index & (Group.LIDS - 1);
        boolean forward = entry != EntryLayout.NO_CHUNK;
        int packed = forward ? EntryLayout.BYTES : sizeBytes;
        long word = space.groupBlocks.prepare(stripe, at, inGroup, packed, forward, wanted(page, at, group, packed));
        if (word == 0) {
            return Outcome.NO_MEMORY;
        }
        cursor = index + 1;
        int code = forward ? Group.forwardCode(word) : Group.codeOf(word, sizeBytes);
        long payload = space.groups.setCode(word, inGroup, code);
        if (forward) {
            vmb.setLong(payload, entry);
            payload = Chunks.payloadOf(entry, sizeBytes);
        }
        to.set(page, index, EntryLayout.NO_CHUNK, payload);
        return Outcome.DONE;
    }

    /** How much room a group should have, if it needs a new block: for as many chunks as it can have, like these. */
    private int wanted(long page, long at, int group, int payloadSize) {
        long word = vmb.getAcquire(at);
        if (word == 0) {
            return lastPayload != 0 ? lastPayload : FIRST_CHUNKS * payloadSize;
        }
        long live = vmb.getAcquire(Page.meta(vmb.getAcquire(page + Page.STATE)) + 8L * group);
        int used = Long.bitCount(live) + 1;
        int bytes = space.groups.end(word) + payloadSize;
        return Math.min(2 * bytes, bytes * Group.LIDS / used);
    }

    /** Cuts the block of the group to which the last chunk went. */
    private void trimLast(long page) {
        boolean held = stripe.isLatched(page);
        if (!held && !Latch.tryExclusive(vmb, page + Page.LATCH)) {
            return;
        }
        try {
            long at = groupWord(page, (cursor - 1) >>> Group.SHIFT);
            long word = vmb.getAcquire(at);
            if (word != 0) {
                int end = space.groups.end(word);
                lastPayload = end;
                space.groupBlocks.trim(stripe, at, TOLERATED_BYTES);
            }
        } finally {
            if (!held) {
                Latch.unlockExclusive(vmb, page + Page.LATCH);
            }
        }
    }

    private long groupWord(long page, int group) {
        return Page.meta(vmb.getAcquire(page + Page.STATE)) + Meta.GROUPS + 8L * group;
    }
}
