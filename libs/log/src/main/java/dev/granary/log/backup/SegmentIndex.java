package dev.granary.log.backup;

import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.EntryCursor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cleaner's index of a zone. For each CID it knows the segment with the newest entry, and how many entries of the
 * CID lie in segments at all. From these the cleaner knows which segments have few live entries, and when a tombstone
 * may go. It is a cache that can be rebuilt from the segments. Used by the disk's thread only.
 *
 * <p>Entries must be added in the order of their versions. The state of a slot is one number, because each entry that
 * is written needs it, and waits for memory:
 *
 * <pre>
 *  bit  31                               8   7           6            0
 *       | number of the newest entry's   | newest is a | entries in    |
 *       | segment, all ones for none     | tombstone   | segments, 127 |
 *       |                                |             | for many      |
 * </pre>
 *
 * <p>A segment has a number while the index has it; the number of one that is gone is given again. No slot has it then:
 * the cleaner has moved or forgotten what was live there.
 */
final class SegmentIndex {

    /** What {@link #add} returns for an entry that is of no chunk. */
    static final int NO_SLOT = -1;

    private static final int NUMBER_SHIFT = 8;
    private static final int NO_NUMBER = 0xFF_FFFF;
    private static final int NOWHERE = NO_NUMBER << NUMBER_SHIFT;
    private static final int MANY = 127;
    private static final int TOMBSTONE = 0x80;
    private static final int LOW_BITS = 0xFF;
    private static final int USELESS = TOMBSTONE | 1;

    private final SlotTable slots = new SlotTable();
    private final Map<Long, Long> acked = new HashMap<>();
    private final Map<Long, TokenPlace> tokens = new HashMap<>();

    /** The segments by their numbers, with gaps. */
    private @Nullable Segment[] segments = new Segment[8];

    private int[] states = nowhere(1 << 8);

    /** The slots of a record's chunks, complemented those of tombstones. */
    private int[] found = new int[1 << 8];

    private long usedAt;

    /** The place of the newest token of a lock. */
    private record TokenPlace(long sequence, Segment segment) {}

    private static int[] nowhere(int length) {
        int[] array = new int[length];
        Arrays.fill(array, NOWHERE);
        return array;
    }

    long sizeBytes() {
        return slots.sizeBytes() + (long) Integer.BYTES * states.length;
    }

    /** Returns when the index was used last, by the caller's counter. */
    long usedAt() {
        return usedAt;
    }

    void used(long now) {
        usedAt = now;
    }

    /** Adds a segment; this must come before its entries. */
    void addSegment(Segment segment) {
        if (has(segment)) {
            return;
        }
        int number = 0;
        while (number < segments.length && segments[number] != null) {
            number++;
        }
        if (number == segments.length) {
            segments = Arrays.copyOf(segments, 2 * number);
        }
        if (number >= NO_NUMBER) {
            throw new IllegalStateException("a zone has more than " + NO_NUMBER + " segments");
        }
        segments[number] = segment;
        segment.setNumber(number);
    }

    private boolean has(Segment segment) {
        int number = segment.number();
        return number >= 0 && number < segments.length && segments[number] == segment;
    }

    void removeSegment(Segment segment) {
        if (has(segment)) {
            segments[segment.number()] = null;
        }
    }

    /**
     * Adds an entry, the newest of its CID so far.
     *
     * @return the slot of its chunk; {@link #NO_SLOT} for an entry of another kind
     */
    int add(Segment segment, EntryCursor entry) {
        segment.countEntry();
        switch (entry.type()) {
            case BatchFormat.TYPE_CHUNK -> {
                return place(entry.cid(), segment, 0);
            }
            case BatchFormat.TYPE_TOMBSTONE -> {
                return place(entry.cid(), segment, TOMBSTONE);
            }
            case BatchFormat.TYPE_REQUEST -> acked.merge(entry.clientId(), entry.ackedSequence(), Math::max);
            default -> placeToken(entry.cid(), entry.sequence(), segment);
        }
        return NO_SLOT;
    }

    /**
     * Adds all entries of a record, the newest of their CIDs so far. It looks for the slots of all before it looks at
     * their states, so that the processor waits for many of them at once.
     *
     * @param notes gets the entries as well, or null
     */
    void addAll(Segment segment, EntryCursor record, @Nullable NotedEntries notes) {
        int count = 0;
        while (record.next()) {
            int type = record.type();
            int slot = NO_SLOT;
            if (type == BatchFormat.TYPE_CHUNK || type == BatchFormat.TYPE_TOMBSTONE) {
                slot = slotOf(record.cid());
                if (count == found.length) {
                    found = Arrays.copyOf(found, 2 * count);
                }
                found[count++] = type == BatchFormat.TYPE_TOMBSTONE ? ~slot : slot;
            } else {
                add(segment, record);
            }
            if (notes != null) {
                notes.entry(record, slot);
            }
        }
        for (int i = 0; i < count; i++) {
            int slot = found[i];
            segment.countEntry();
            boolean tombstone = slot < 0;
            place(tombstone ? ~slot : slot, segment, tombstone ? TOMBSTONE : 0);
        }
    }

    private int place(long cid, Segment segment, int tombstone) {
        int slot = slotOf(cid);
        place(slot, segment, tombstone);
        return slot;
    }

    private void place(int slot, Segment segment, int tombstone) {
        int before = states[slot];
        if ((before & LOW_BITS) != USELESS) {
            countIn(before, -1);
        }
        int state = segment.number() << NUMBER_SHIFT | tombstone | Math.min(MANY, (before & MANY) + 1);
        states[slot] = state;
        if ((state & LOW_BITS) != USELESS) {
            segment.countLive(1);
        }
    }

    /** Counts the newest entry of a state as live, or not any more. */
    private void countIn(int state, int more) {
        int number = state >>> NUMBER_SHIFT;
        Segment segment = number == NO_NUMBER ? null : segments[number];
        if (segment != null) {
            segment.countLive(more);
        }
    }

    private int count(int slot) {
        return states[slot] & MANY;
    }

    /** Returns whether the only entry of a CID is a tombstone, which may go then. */
    private boolean isUseless(int slot) {
        return (states[slot] & LOW_BITS) == USELESS;
    }

    private void placeToken(long cid, long sequence, Segment segment) {
        TokenPlace before = tokens.put(cid, new TokenPlace(sequence, segment));
        if (before != null) {
            before.segment.countLive(-1);
        }
        segment.countLive(1);
    }

    /** Counts an entry that may not be the newest of its CID, while the index is built. */
    void count(Segment segment, EntryCursor entry, boolean newestSoFar) {
        if (newestSoFar) {
            add(segment, entry);
            return;
        }
        segment.countEntry();
        if (entry.type() == BatchFormat.TYPE_TOKEN) {
            return;
        }
        int slot = slotOf(entry.cid());
        if (isUseless(slot)) {
            countIn(states[slot], 1);
        }
        if (count(slot) < MANY) {
            states[slot]++;
        }
    }

    /** Returns the slot of a CID; -1 if it has none. */
    int slot(long cid) {
        return slots.find(cid);
    }

    /** Returns whether the newest entry of a slot lies in a segment. */
    boolean isIn(int slot, Segment segment) {
        return states[slot] >>> NUMBER_SHIFT == segment.number();
    }

    /** Whether an entry of a token is the newest of its lock. */
    boolean isNewestToken(long cid, long sequence) {
        TokenPlace place = tokens.get(cid);
        return place != null && place.sequence == sequence;
    }

    /** Whether the client of a request has seen its answer. */
    boolean isAcked(long clientId, long requestSequence) {
        return acked.getOrDefault(clientId, 0L) >= requestSequence;
    }

    /** Forgets one entry of a slot that is not written again. */
    void forgetCopy(int slot) {
        int count = count(slot);
        if (count > 1 && count < MANY) {
            states[slot]--;
            if (isUseless(slot)) {
                countIn(states[slot], -1);
            }
        }
    }

    /** Returns whether the caller's entry is the only one of its slot. */
    boolean isLastCopy(int slot) {
        return count(slot) == 1;
    }

    /** Forgets a slot with its last entry. */
    void forget(int slot) {
        states[slot] = NOWHERE;
    }

    /** Notes that the newest entry of a slot lies in another segment now. */
    void move(int slot, Segment to) {
        states[slot] = to.number() << NUMBER_SHIFT | (states[slot] & LOW_BITS);
        to.countEntry();
        to.countLive(1);
    }

    void moveToken(long cid, long sequence, Segment to) {
        tokens.put(cid, new TokenPlace(sequence, to));
        to.countEntry();
        to.countLive(1);
    }

    private int slotOf(long cid) {
        int slot = slots.slot(cid);
        if (slot >= states.length) {
            int before = states.length;
            int length = Math.max(2 * before, slots.slots());
            states = Arrays.copyOf(states, length);
            Arrays.fill(states, before, length, NOWHERE);
        }
        return slot;
    }
}
