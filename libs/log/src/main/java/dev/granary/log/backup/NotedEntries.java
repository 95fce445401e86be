package dev.granary.log.backup;

import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.EntryCursor;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Notes about the entries of a segment, 4 bytes each, and about the records in which they are. They are made while the
 * segment is written, or when it is read. From them and its index the cleaner knows which entries it must write again,
 * and where these are; a segment without such entries goes without being read (ADR 0144, ADR 0339). Used by the disk's
 * thread only.
 *
 * <pre>
 *  code of an entry | meaning
 *  0 and above      | the slot of the CID of a chunk or a tombstone
 *  -1               | a token
 *  -2               | it does not count, because it was cut, or the index knows nothing of it
 *  -3 - r           | completion r
 * </pre>
 */
final class NotedEntries {

    private static final int TOKEN = -1;
    private static final int CUT = -2;
    private static final int FIRST_REQUEST = -3;
    private static final int LONGS_A_REQUEST = 2;
    private static final int INTS_A_RECORD = 2;
    private static final long[] NONE = new long[0];
    private static final int[] AS_NOTED = new int[0];

    /** The index to which the slots belong; they mean nothing to another index. */
    private final SegmentIndex index;

    private final Segment segment;

    /** Whether versions may come in any order, as in a segment of a base. They are noted, too, then. */
    private final boolean unordered;

    private int[] codes = new int[1 << 8];
    private int count;
    private long[] versions = NONE;

    /** The client and the number of each completion. */
    private long[] requests = new long[LONGS_A_REQUEST];

    private int requestLongs;

    /** Where each record begins in the file, and the number of its first entry. */
    private int[] records = new int[1 << 4];

    private int recordInts;

    private NotedEntries(SegmentIndex index, Segment segment, boolean unordered) {
        this.index = index;
        this.unordered = unordered;
        this.segment = segment;
    }

    /** Notes for a segment that is about to be written, in the order of the versions. */
    static NotedEntries ofWritten(SegmentIndex index, Segment segment) {
        return new NotedEntries(index, segment, false);
    }

    /** Notes for a segment that is about to be read. */
    static NotedEntries ofRead(SegmentIndex index, Segment segment) {
        return new NotedEntries(index, segment, true);
    }

    long sizeBytes() {
        return (long) Integer.BYTES * (codes.length + records.length)
                + (long) Long.BYTES * (requests.length + versions.length);
    }

    /** Begins a record, whose entries come next. */
    void record(int at) {
        if (recordInts == records.length) {
            records = Arrays.copyOf(records, 2 * recordInts);
        }
        records[recordInts++] = at;
        records[recordInts++] = count;
    }

    /** Notes the next entry of the record, after the index has got it. */
    void entry(EntryCursor entry) {
        boolean ofChunk = entry.type() == BatchFormat.TYPE_CHUNK || entry.type() == BatchFormat.TYPE_TOMBSTONE;
        int slot = ofChunk ? index.slot(entry.cid()) : SegmentIndex.NO_SLOT;
        if (ofChunk && slot == SegmentIndex.NO_SLOT) {
            cut();
        } else {
            entry(entry, slot);
        }
    }

    /**
     * The same.
     *
     * @param slot what the index returned for the entry
     */
    void entry(EntryCursor entry, int slot) {
        if (slot != SegmentIndex.NO_SLOT) {
            add(slot, entry.sequence());
        } else if (entry.type() == BatchFormat.TYPE_REQUEST) {
            request(entry);
        } else {
            add(TOKEN, entry.sequence());
        }
    }

    /** The same for an entry that was cut. */
    void cut() {
        add(CUT, 0);
    }

    private void request(EntryCursor entry) {
        if (requestLongs == requests.length) {
            requests = Arrays.copyOf(requests, 2 * requestLongs);
        }
        add(FIRST_REQUEST - requestLongs / LONGS_A_REQUEST, entry.sequence());
        requests[requestLongs++] = entry.clientId();
        requests[requestLongs++] = entry.requestSequence();
    }

    private void add(int code, long version) {
        if (count == codes.length) {
            codes = Arrays.copyOf(codes, 2 * count);
        }
        if (unordered) {
            if (count >= versions.length) {
                versions = Arrays.copyOf(versions, codes.length);
            }
            versions[count] = version;
        }
        codes[count++] = code;
    }

    boolean isOf(SegmentIndex by) {
        return by == index;
    }

    /** Returns the numbers of the entries that must be written again when the segment goes; of tokens all. */
    BitSet live() {
        BitSet live = new BitSet();
        boolean twice = collectLive(live, AS_NOTED);
        if (twice && unordered) {
            live.clear();
            collectLive(live, byVersion());
        }
        return live;
    }

    /** Returns whether some CID whose newest entry is in this segment has others here. The last of them is live. */
    private boolean collectLive(BitSet live, int[] order) {
        BitSet seen = new BitSet();
        boolean twice = false;
        for (int i = count - 1; i >= 0; i--) {
            int number = order == AS_NOTED ? i : order[i];
            int code = codes[number];
            boolean newest = code >= 0 && index.isIn(code, segment);
            twice |= newest && seen.get(code);
            if (newest ? !seen.get(code) : isLive(code)) {
                live.set(number);
            }
            if (newest) {
                seen.set(code);
            }
        }
        return twice;
    }

    private boolean isLive(int code) {
        if (code <= FIRST_REQUEST) {
            int at = (FIRST_REQUEST - code) * LONGS_A_REQUEST;
            return !index.isAcked(requests[at], requests[at + 1]);
        }
        return code == TOKEN;
    }

    /** Returns the numbers of the entries by rising versions. */
    private int[] byVersion() {
        return IntStream.range(0, count)
                .boxed()
                .sorted(Comparator.comparingLong(i -> versions[i]))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Takes all entries of chunks out of the index but those that are written again. */
    void forgetAllBut(BitSet live) {
        for (int i = 0; i < count; i++) {
            if (codes[i] >= 0 && !live.get(i)) {
                index.forgetCopy(codes[i]);
            }
        }
    }

    int records() {
        return recordInts / INTS_A_RECORD;
    }

    /** Returns where a record begins in the file. */
    int recordAt(int record) {
        return records[record * INTS_A_RECORD];
    }

    /** Returns the number of a record's first entry; behind the last record the number of all entries. */
    int firstEntry(int record) {
        return record == records() ? count : records[record * INTS_A_RECORD + 1];
    }

    /** Returns the slot of an entry of a chunk. */
    int slot(int number) {
        return codes[number];
    }
}
