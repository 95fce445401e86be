package dev.granary.log.backup;

import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.EntryCursor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The cleaner's index of a zone. For each CID it knows the segment with the newest entry, and how many entries of the
 * CID lie in segments at all. From these the cleaner knows which segments have few live entries, and when a tombstone
 * may go. It is a cache that can be rebuilt from the segments. Used by the disk's thread only.
 *
 * <p>Entries must be added in the order of their versions.
 */
final class SegmentIndex {

    private static final int NONE = -1;
    private static final int MANY = 127;
    private static final int TOMBSTONE = 0x80;
    private static final int BYTES_A_SLOT = 5;

    private final SlotTable slots = new SlotTable();
    private final SegmentMap segments = new SegmentMap();
    private final Map<Long, Long> acked = new HashMap<>();
    private final Map<Long, TokenPlace> tokens = new HashMap<>();
    private int[] newest = filled(1 << 8);
    private byte[] copies = new byte[1 << 8];
    private long usedAt;

    /** The place of the newest token of a lock. */
    private record TokenPlace(long sequence, int ordinal) {}

    private static int[] filled(int length) {
        int[] array = new int[length];
        Arrays.fill(array, NONE);
        return array;
    }

    long sizeBytes() {
        return slots.sizeBytes() + (long) BYTES_A_SLOT * newest.length;
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
        segments.put(segment);
    }

    void removeSegment(Segment segment) {
        segments.remove(segment);
    }

    /** Adds an entry, the newest of its CID so far. */
    void add(Segment segment, EntryCursor entry) {
        segment.countEntry();
        switch (entry.type()) {
            case BatchFormat.TYPE_CHUNK -> place(entry.cid(), segment, 0);
            case BatchFormat.TYPE_TOMBSTONE -> place(entry.cid(), segment, TOMBSTONE);
            case BatchFormat.TYPE_REQUEST -> acked.merge(entry.clientId(), entry.ackedSequence(), Math::max);
            default -> placeToken(entry.cid(), entry.sequence(), segment);
        }
    }

    private void place(long cid, Segment segment, int tombstone) {
        int slot = slotOf(cid);
        if (!isUseless(slot)) {
            unplace(newest[slot]);
        }
        newest[slot] = segment.ordinal();
        copies[slot] = (byte) (tombstone | Math.min(MANY, count(slot) + 1));
        if (!isUseless(slot)) {
            segment.countLive(1);
        }
    }

    private int count(int slot) {
        return copies[slot] & MANY;
    }

    /** Returns whether the only entry of a CID is a tombstone, which may go then. */
    private boolean isUseless(int slot) {
        return (copies[slot] & 0xFF) == (TOMBSTONE | 1);
    }

    private void placeToken(long cid, long sequence, Segment segment) {
        TokenPlace before = tokens.put(cid, new TokenPlace(sequence, segment.ordinal()));
        if (before != null) {
            unplace(before.ordinal);
        }
        segment.countLive(1);
    }

    private void unplace(int ordinal) {
        Segment before = ordinal == NONE ? null : segments.get(ordinal);
        if (before != null) {
            before.countLive(-1);
        }
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
            countNewest(slot, 1);
        }
        if (count(slot) < MANY) {
            copies[slot]++;
        }
    }

    /** Counts the newest entry of a slot as live, or not any more. */
    private void countNewest(int slot, int more) {
        Segment segment = segments.get(newest[slot]);
        if (segment != null) {
            segment.countLive(more);
        }
    }

    /** Returns whether the newest entry of a CID lies in this segment. */
    boolean isIn(long cid, Segment segment) {
        int slot = slots.find(cid);
        return slot >= 0 && slot < newest.length && newest[slot] == segment.ordinal();
    }

    /** Returns the slot of a CID; -1 if it has none. */
    int slot(long cid) {
        return slots.find(cid);
    }

    /** Whether the newest entry of a slot is known, and lies in another segment than that of an ordinal. */
    boolean isElsewhere(int slot, int ordinal) {
        return slot >= 0 && newest[slot] != NONE && newest[slot] != ordinal;
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

    /** Forgets one entry of a CID that is not written again. */
    void forgetCopy(long cid) {
        forgetCopyAt(slots.find(cid));
    }

    /** The same for a slot. */
    void forgetCopyAt(int slot) {
        int count = count(slot);
        if (count > 1 && count < MANY) {
            copies[slot]--;
            if (isUseless(slot)) {
                countNewest(slot, -1);
            }
        }
    }

    /** Returns whether the caller's entry is the only one of its CID. */
    boolean isLastCopy(long cid) {
        return count(slots.find(cid)) == 1;
    }

    /** Forgets a CID with its last entry. */
    void forget(long cid) {
        int slot = slots.find(cid);
        copies[slot] = 0;
        newest[slot] = NONE;
    }

    /** Notes that the newest entry of a CID lies in another segment now. */
    void move(long cid, Segment to) {
        newest[slots.find(cid)] = to.ordinal();
        to.countEntry();
        to.countLive(1);
    }

    void moveToken(long cid, long sequence, Segment to) {
        tokens.put(cid, new TokenPlace(sequence, to.ordinal()));
        to.countEntry();
        to.countLive(1);
    }

    private int slotOf(long cid) {
        int slot = slots.slot(cid);
        if (slot >= newest.length) {
            int before = newest.length;
            int length = Math.max(2 * before, slots.slots());
            newest = Arrays.copyOf(newest, length);
            Arrays.fill(newest, before, length, NONE);
            copies = Arrays.copyOf(copies, length);
        }
        return slot;
    }
}
