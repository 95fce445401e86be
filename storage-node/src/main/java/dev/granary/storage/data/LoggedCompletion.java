package dev.granary.storage.data;

import dev.granary.net.message.ChunkStatus;
import java.util.Arrays;

/**
 * The format of a completion record in the log of a zone. It has the outcome for the chunks of the request that are in
 * the zone, so that a peer that recovers the zone does not carry the request out again (SAFETY rule "retries").
 *
 * <pre>
 *   +------+--------+--------+----------------------------+
 *   | kind | status | count  | count times                |
 *   |      |        | varint | CID varint [, status u8]   |
 *   +------+--------+--------+----------------------------+
 *    u8     u8
 *
 *   kind  0  all chunks have the status in front
 *         1  each has its own
 *         2  nobody knows whether the request was carried out    (neither status nor chunks)
 *         3  nothing of this client up to this sequence may be carried out
 * </pre>
 *
 * CIDs are differences to the CID before, in zigzag form, and so are small for chunks that were created together.
 */
final class LoggedCompletion {

    static final int SAME = 0;
    static final int EACH = 1;
    static final int UNKNOWN = 2;
    static final int FLOOR = 3;

    private static final int MAX_BYTES_PER_CHUNK = 11;

    private byte[] bytes = new byte[256];
    private int size;

    byte[] bytes() {
        return bytes;
    }

    int sizeBytes() {
        return size;
    }

    /** Becomes a record of a kind that names no chunks. */
    void set(int kind) {
        bytes[0] = (byte) kind;
        size = 1;
    }

    /**
     * Becomes the record for the chunks of a group that this peer owns.
     *
     * @return false when it owns none of them
     */
    boolean set(ZoneGroups groups, int group, long[] cids, int[] statuses) {
        return set(groups, group, groups.end(group), cids, statuses);
    }

    /** The same for the chunks of a group up to a place, exclusive. */
    boolean set(ZoneGroups groups, int group, int endPlace, long[] cids, int[] statuses) {
        int count = 0;
        int common = -1;
        boolean same = true;
        for (int place = groups.start(group); place < endPlace; place++) {
            int status = statuses[groups.at(place)];
            if (status != ChunkStatus.WRONG_OWNER) {
                same &= count == 0 || status == common;
                common = status;
                count++;
            }
        }
        begin(count, same, common);
        long before = 0;
        for (int place = groups.start(group); place < endPlace; place++) {
            int index = groups.at(place);
            if (statuses[index] != ChunkStatus.WRONG_OWNER) {
                before = add(cids[index], before, same, statuses[index]);
            }
        }
        return count > 0;
    }

    /** Becomes the record of a completion. */
    void set(Completion completion) {
        long[] cids = completion.cids();
        byte[] statuses = completion.answer();
        begin(cids.length, false, 0);
        long before = 0;
        for (int i = 0; i < cids.length; i++) {
            before = add(cids[i], before, false, statuses[i]);
        }
    }

    private void begin(int count, boolean same, int status) {
        int most = 8 + MAX_BYTES_PER_CHUNK * count;
        if (bytes.length < most) {
            bytes = new byte[most];
        }
        bytes[0] = (byte) (same ? SAME : EACH);
        bytes[1] = (byte) (same ? status : 0);
        size = 2;
        putVarint(count);
    }

    private long add(long cid, long before, boolean same, int status) {
        long difference = cid - before;
        putVarint((difference << 1) ^ (difference >> 63));
        if (!same) {
            bytes[size++] = (byte) status;
        }
        return cid;
    }

    private void putVarint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    /**
     * Reads a record and passes it to a visitor.
     *
     * @throws IllegalArgumentException when the bytes are not a completion record
     */
    static void read(long clientId, long sequence, byte[] logged, TravellingRequests.Visitor visitor) {
        if (logged.length == 0) {
            throw new IllegalArgumentException("an empty completion");
        }
        switch (logged[0]) {
            case SAME, EACH -> visitor.completed(clientId, sequence, new Reader(logged).read());
            case UNKNOWN -> visitor.unknown(clientId, sequence);
            case FLOOR -> visitor.floor(clientId, sequence);
            default -> throw new IllegalArgumentException("a completion of the kind " + logged[0]);
        }
    }

    private static final class Reader {

        private final byte[] bytes;
        private int at = 2;

        private Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        private Completion read() {
            long count = varint();
            if (count < 0 || count > bytes.length - at) {
                throw new IllegalArgumentException(count + " chunks in " + bytes.length + " bytes");
            }
            long[] cids = new long[(int) count];
            byte[] statuses = new byte[(int) count];
            if (bytes[0] == SAME) {
                Arrays.fill(statuses, bytes[1]);
            }
            long before = 0;
            for (int i = 0; i < count; i++) {
                long zigzag = varint();
                before += (zigzag >>> 1) ^ -(zigzag & 1);
                cids[i] = before;
                if (bytes[0] == EACH) {
                    statuses[i] = next();
                }
            }
            return new Completion(statuses, cids);
        }

        private long varint() {
            long value = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                byte read = next();
                value |= (long) (read & 0x7F) << shift;
                if (read >= 0) {
                    return value;
                }
            }
            throw new IllegalArgumentException("a number that does not end");
        }

        private byte next() {
            if (at >= bytes.length) {
                throw new IllegalArgumentException("a completion that is cut off");
            }
            return bytes[at++];
        }
    }
}
