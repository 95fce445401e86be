package dev.granary.log.batch;

import java.util.zip.CRC32C;

/** The header of a batch, or of a record of the cleaner, in an array. Reusable; not thread-safe. */
public final class RecordView {

    private final CRC32C crc = new CRC32C();
    private int begin;
    private int entriesAt;
    private int end;
    private byte kind;
    private int zone;
    private long epoch;
    private long sequence;
    private int varintEnd;

    /** Stands at nothing yet. */
    public RecordView() {}

    public int begin() {
        return begin;
    }

    int entriesAt() {
        return entriesAt;
    }

    public int end() {
        return end;
    }

    public byte kind() {
        return kind;
    }

    public int zone() {
        return zone;
    }

    public long epoch() {
        return epoch;
    }

    public long sequence() {
        return sequence;
    }

    /** Whether an intact record of a known kind begins at an offset and ends at the limit or before it. */
    public boolean isIntactAt(byte[] bytes, int at, int limit) {
        if (!parse(bytes, at, limit)) {
            return false;
        }
        crc.reset();
        crc.update(bytes, at + BatchFormat.CRC_BYTES, end - at - BatchFormat.CRC_BYTES);
        return (int) crc.getValue() == (int) BatchFormat.INT.get(bytes, at);
    }

    /** Reads a header without looking at the checksum; false when it cannot be one. */
    public boolean parse(byte[] bytes, int at, int limit) {
        if (limit - at < BatchFormat.MIN_BATCH_BYTES) {
            return false;
        }
        begin = at;
        kind = bytes[at + BatchFormat.KIND_AT];
        if (kind != BatchFormat.KIND_BATCH && kind != BatchFormat.KIND_CLEANED) {
            return false;
        }
        long size = varint(bytes, at + BatchFormat.SIZE_AT, limit);
        if (varintEnd < 0 || size < Integer.BYTES + 2 || size > limit - varintEnd) {
            return false;
        }
        end = varintEnd + (int) size;
        zone = (int) BatchFormat.INT.get(bytes, varintEnd);
        epoch = varint(bytes, varintEnd + Integer.BYTES, end);
        if (varintEnd < 0) {
            return false;
        }
        sequence = varint(bytes, varintEnd, end);
        entriesAt = varintEnd;
        return varintEnd >= 0 && epoch >= 0 && sequence >= 0;
    }

    /** Whether the entries fill the record exactly. What a correct writer made always does. */
    boolean hasWholeEntries(byte[] bytes) {
        EntryCursor cursor = new EntryCursor(bytes);
        cursor.reset(this);
        while (cursor.next()) {
            // Only the way to the end matters.
        }
        return !cursor.isMalformed();
    }

    private long varint(byte[] bytes, int at, int limit) {
        long value = 0;
        int offset = at;
        for (int shift = 0; shift < 64 && offset < limit; shift += 7) {
            byte next = bytes[offset++];
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                varintEnd = offset;
                return value;
            }
        }
        varintEnd = -1;
        return -1;
    }
}
