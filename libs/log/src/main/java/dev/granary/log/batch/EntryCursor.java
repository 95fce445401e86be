package dev.granary.log.batch;

import java.lang.foreign.MemorySegment;

/**
 * Walks over the entries of a record in an array. Reusable for all records of one array; not thread-safe.
 *
 * <pre>
 *     cursor.reset(record);
 *     while (cursor.next()) { ... cursor.type(), cursor.cid() ... }
 * </pre>
 */
public final class EntryCursor {

    private final byte[] bytes;
    private final MemorySegment segment;
    private int at;
    private int end;
    private boolean malformed;
    private boolean cleaned;
    private long nidBits;
    private long epoch;
    private long baseSequence;

    private int entryAt;
    private int type;
    private long sequence;
    private long cid;
    private int contentAt;
    private int length;
    private long first;
    private long second;

    public EntryCursor(byte[] bytes) {
        this.bytes = bytes;
        this.segment = MemorySegment.ofArray(bytes);
    }

    public byte[] array() {
        return bytes;
    }

    public void reset(RecordView record) {
        at = record.entriesAt();
        end = record.end();
        malformed = false;
        cleaned = record.kind() == BatchFormat.KIND_CLEANED;
        nidBits = BatchFormat.nidBits(record.zone());
        epoch = record.epoch();
        baseSequence = record.sequence();
        sequence = baseSequence;
    }

    /** Goes to the next entry; false behind the last one, and at one that is malformed. */
    public boolean next() {
        if (at >= end) {
            return false;
        }
        try {
            decode();
        } catch (IndexOutOfBoundsException e) {
            // The last record of an array, which is malformed.
            malformed = true;
        }
        if (malformed || at > end) {
            malformed = true;
            at = end;
            return false;
        }
        return true;
    }

    boolean isMalformed() {
        return malformed;
    }

    public int type() {
        return type;
    }

    public long cid() {
        return cid;
    }

    public long epoch() {
        return epoch;
    }

    public long sequence() {
        return sequence;
    }

    /** Where the content of a chunk or a request begins in the array. */
    public int contentAt() {
        return contentAt;
    }

    /** The length of the content of a chunk or a request. */
    public int length() {
        return length;
    }

    public long clientId() {
        return cid;
    }

    public long requestSequence() {
        return first;
    }

    public long ackedSequence() {
        return second;
    }

    public long token() {
        return first;
    }

    public MemorySegment segment() {
        return segment;
    }

    /** All bytes of the entry, its content included. */
    int entryBytes() {
        return at - entryAt;
    }

    /** Tells a visitor this entry. */
    public void tell(EntryVisitor visitor) {
        switch (type) {
            case BatchFormat.TYPE_CHUNK -> visitor.chunk(cid, epoch, sequence, segment, contentAt, length);
            case BatchFormat.TYPE_TOMBSTONE -> visitor.tombstone(cid, epoch, sequence);
            case BatchFormat.TYPE_REQUEST ->
                visitor.request(cid, first, second, epoch, sequence, segment, contentAt, length);
            default -> visitor.token(cid, first, epoch, sequence);
        }
    }

    void tellAll(RecordView record, EntryVisitor visitor) {
        reset(record);
        while (next()) {
            tell(visitor);
        }
    }

    private void decode() {
        entryAt = at;
        if (cleaned) {
            sequence = baseSequence + varint();
        }
        int tag = bytes[at++];
        type = tag & BatchFormat.TYPE_MASK;
        if (type == BatchFormat.TYPE_REQUEST) {
            decodeRequest();
            return;
        }
        long nid = nidBits;
        if ((tag & BatchFormat.OTHER_NID) != 0) {
            nid = ((short) BatchFormat.SHORT.get(bytes, at) & 0xFFFFL) << BatchFormat.LID_BITS;
            at += Short.BYTES;
        }
        cid = nid | lid(((tag >>> BatchFormat.LID_SHIFT) & BatchFormat.LID_MASK) + 1);
        if (type == BatchFormat.TYPE_CHUNK) {
            length = length((tag & 0xFF) >>> BatchFormat.LENGTH_SHIFT);
            contentAt = at;
            skip(length);
        } else if (type == BatchFormat.TYPE_TOKEN) {
            first = varint();
        }
    }

    private void decodeRequest() {
        cid = (long) BatchFormat.LONG.get(bytes, at);
        at += Long.BYTES;
        first = varint();
        second = varint();
        length = (int) varint();
        contentAt = at;
        skip(length);
    }

    private void skip(int count) {
        malformed |= count < 0 || count > end - at;
        if (!malformed) {
            at += count;
        }
    }

    private long lid(int lidBytes) {
        if (lidBytes > 6) {
            malformed = true;
            return 0;
        }
        int from = at;
        at += lidBytes;
        if (bytes.length - from >= Long.BYTES) {
            return (long) BatchFormat.LONG.get(bytes, from) & (-1L >>> (64 - 8 * lidBytes));
        }
        long lid = 0;
        for (int i = 0; i < lidBytes; i++) {
            lid |= (bytes[from + i] & 0xFFL) << (8 * i);
        }
        return lid;
    }

    private int length(int code) {
        switch (code) {
            case 0 -> {
                return 0;
            }
            case 1 -> {
                return bytes[at++] & 0xFF;
            }
            case 2 -> {
                int value = (short) BatchFormat.SHORT.get(bytes, at) & 0xFFFF;
                at += Short.BYTES;
                return value;
            }
            default -> {
                int value = (int) BatchFormat.INT.get(bytes, at);
                at += Integer.BYTES;
                return value;
            }
        }
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte next = bytes[at++];
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        malformed = true;
        return value;
    }
}
