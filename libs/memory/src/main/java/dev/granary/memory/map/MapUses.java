package dev.granary.memory.map;

/**
 * Which entries have been got since the hand of their group passed them: SIEVE (Zhang and others, "SIEVE is simpler
 * than LRU", NSDI 2024) for each group by itself. A group keeps its entries in the order in which they came, so that it
 * is the queue, and needs one bit an entry and the hand's place:
 *
 * <pre>
 * 0                                  8                            15        16
 * +----------------------------------+----------------------------+---------+
 * | entries 0 to 63, one bit each    | entries 64 to 119          | hand    |
 * +----------------------------------+----------------------------+---------+
 * </pre>
 *
 * Entries from 119 on, which hardly any group has, share the last bit.
 *
 * <p>Readers mark entries without the group's latch, at a place that never moves. A mark that comes beside a change may
 * be lost or hit a neighbour; it is a hint. A map that does not evict by use has no such words and keeps nothing.
 */
final class MapUses {

    static final int BYTES = 16;

    private static final int LAST = 119;
    private static final int HAND_SHIFT = 56;
    private static final long HAND_MASK = 0xffL << HAND_SHIFT;

    private final MapMemory memory;
    private final long start;
    private final boolean kept;

    /** @param kept whether there are words; all of them are zero */
    MapUses(MapMemory memory, long start, boolean kept) {
        this.memory = memory;
        this.start = start;
        this.kept = kept;
    }

    /** Notes nothing. */
    static MapUses none(MapMemory memory) {
        return new MapUses(memory, 0, false);
    }

    /** What it takes for each group. */
    int bytesPerGroup() {
        return kept ? BYTES : 0;
    }

    /** Somebody got an entry. Needs no latch. */
    void mark(long group, int index) {
        if (kept) {
            int bit = Math.min(index, LAST);
            long place = word(group, bit);
            long word = memory.word(place);
            // Written once only: entries that are got again and again cost a read.
            if ((word & (1L << bit)) == 0) {
                memory.setWord(place, word | (1L << bit));
            }
        }
    }

    boolean isMarked(long group, int index) {
        int bit = Math.min(index, LAST);
        return kept && (memory.word(word(group, bit)) & (1L << bit)) != 0;
    }

    /** An entry came, with this index, which nobody has got. Under the latch, like all below. */
    void added(long group, int index) {
        if (kept && index < LAST) {
            clear(group, index);
        }
    }

    /** An entry went: those behind it move up, and the hand with them. */
    void removed(long group, int index) {
        if (!kept || index > LAST) {
            return;
        }
        long low = memory.word(start + group * BYTES);
        long high = memory.word(start + group * BYTES + 8);
        int hand = hand(group);
        long bits = high & ~HAND_MASK;
        if (index < Long.SIZE) {
            long before = (1L << index) - 1;
            low = (low & before) | ((low >>> 1) & ~before) | (bits << 63);
            bits >>>= 1;
        } else {
            long before = (1L << index) - 1;
            bits = (bits & before) | ((bits >>> 1) & ~before);
        }
        memory.setWord(start + group * BYTES, low);
        memory.setWord(start + group * BYTES + 8, bits | (long) (index < hand ? hand - 1 : hand) << HAND_SHIFT);
    }

    /** The entry that has to go. The hand passes those that were got; they must be got again before it comes back. */
    int victim(long group, int entries) {
        int index = hand(group);
        for (int steps = 0; ; steps++) {
            if (index >= entries) {
                index = 0;
            }
            if (steps > entries || !isMarked(group, index)) {
                break;
            }
            clear(group, Math.min(index, LAST));
            index++;
        }
        long place = start + group * BYTES + 8;
        memory.setWord(place, (memory.word(place) & ~HAND_MASK) | (long) index << HAND_SHIFT);
        return index;
    }

    int hand(long group) {
        return kept ? (int) (memory.word(start + group * BYTES + 8) >>> HAND_SHIFT) : 0;
    }

    /** Forgets a group whose entries are elsewhere now, or come one by one. */
    void reset(long group) {
        if (kept) {
            memory.setWord(start + group * BYTES, 0);
            memory.setWord(start + group * BYTES + 8, 0);
        }
    }

    private void clear(long group, int bit) {
        long place = word(group, bit);
        memory.setWord(place, memory.word(place) & ~(1L << bit));
    }

    private long word(long group, int bit) {
        return start + group * BYTES + (bit < Long.SIZE ? 0 : 8);
    }
}
