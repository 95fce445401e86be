package dev.granary.bench.eviction;

import java.util.Arrays;

/** Policies with one queue, which needs two numbers of four bytes an entry: LRU, CLOCK, SIEVE. */
final class QueueCache extends SimulatedCache {

    private static final int LINK_BYTES = 8;

    /** The end of the queue, in both directions; objects are counted from 1. */
    private static final int END = 0;

    /** What happens to an entry that is asked for, and to one that is looked at. */
    enum Kind {
        /** Who is asked for goes to the head. */
        LRU,
        /** Who was asked for goes to the head when its turn has come. */
        CLOCK,
        /** Who was asked for stays where it is when its turn has come (Zhang et al., NSDI 2024). */
        SIEVE
    }

    private final Kind kind;
    private int[] before = {END};
    private int[] behind = {END};
    private boolean[] asked = new boolean[1];
    private int hand = END;

    QueueCache(Kind kind, long capacityBytes) {
        // A ring of entries does for CLOCK.
        super(capacityBytes, kind == Kind.CLOCK ? 0 : LINK_BYTES);
        this.kind = kind;
    }

    @Override
    void grow(int objects) {
        before = Arrays.copyOf(before, objects + 1);
        behind = Arrays.copyOf(behind, objects + 1);
        asked = Arrays.copyOf(asked, objects + 1);
    }

    @Override
    void hit(int object) {
        if (kind == Kind.LRU) {
            unlink(object + 1);
            link(object + 1);
        } else {
            asked[object + 1] = true;
        }
    }

    @Override
    void put(int object) {
        asked[object + 1] = false;
        link(object + 1);
    }

    private void link(int place) {
        int head = behind[END];
        behind[END] = place;
        before[place] = END;
        behind[place] = head;
        before[head] = place;
    }

    private void unlink(int place) {
        behind[before[place]] = behind[place];
        before[behind[place]] = before[place];
    }

    @Override
    int victim() {
        int place = kind == Kind.SIEVE && hand != END ? hand : before[END];
        while (asked[place]) {
            asked[place] = false;
            int next = before[place];
            if (kind == Kind.CLOCK) {
                unlink(place);
                link(place);
            }
            place = next == END || kind == Kind.CLOCK ? before[END] : next;
        }
        hand = before[place];
        unlink(place);
        return place - 1;
    }
}
