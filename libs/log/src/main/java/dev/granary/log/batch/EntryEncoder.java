package dev.granary.log.batch;

import static dev.granary.log.batch.BatchFormat.LONG;
import static dev.granary.log.batch.BatchFormat.MAX_BATCH_BYTES;
import static dev.granary.log.batch.BatchFormat.MAX_HEADER_BYTES;
import static dev.granary.log.batch.BatchFormat.SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Encodes the entries of one record into an array that grows. The header, whose length is known only at the end, is put
 * right before the entries. Not thread-safe. Format: {@link BatchFormat}.
 */
public final class EntryEncoder {

    private final CRC32C crc = new CRC32C();
    private byte[] bytes;
    private int end;
    private int zone;
    private int entries;

    public EntryEncoder(int capacityBytes) {
        bytes = new byte[MAX_HEADER_BYTES + capacityBytes];
    }

    public void start(int ofZone) {
        zone = ofZone;
        end = MAX_HEADER_BYTES;
        entries = 0;
    }

    int entries() {
        return entries;
    }

    /** The bytes of the entries so far. */
    public int entryBytes() {
        return end - MAX_HEADER_BYTES;
    }

    public byte[] array() {
        return bytes;
    }

    public int endOffset() {
        return end;
    }

    /** Writes what stands before an entry of the cleaner. */
    public void sequenceDelta(long delta) {
        reserve(10);
        end = BatchFormat.putVarint(bytes, end, delta);
    }

    public void chunk(long cid, MemorySegment source, long offset, int length) {
        int at = startChunk(cid, length);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset, bytes, at, length);
    }

    public void chunk(long cid, byte[] source, int offset, int length) {
        int at = startChunk(cid, length);
        System.arraycopy(source, offset, bytes, at, length);
    }

    public void tombstone(long cid) {
        reserve(9);
        startCid(cid, BatchFormat.TYPE_TOMBSTONE);
    }

    public void token(long cid, long token) {
        reserve(19);
        startCid(cid, BatchFormat.TYPE_TOKEN);
        end = BatchFormat.putVarint(bytes, end, token);
    }

    public void request(
            long clientId, long requestSequence, long ackedSequence, MemorySegment source, long offset, int length) {
        reserve(1 + 8 + 10 + 10 + 5 + (long) length);
        bytes[end++] = BatchFormat.TYPE_REQUEST;
        LONG.set(bytes, end, clientId);
        end = BatchFormat.putVarint(bytes, end + Long.BYTES, requestSequence);
        end = BatchFormat.putVarint(bytes, end, ackedSequence);
        end = BatchFormat.putVarint(bytes, end, length);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset, bytes, end, length);
        end += length;
        entries++;
    }

    /**
     * Puts the header before the entries.
     *
     * @return where the record begins in {@link #array}; it ends at {@link #endOffset}
     */
    public int finish(byte kind, long epoch, long sequence) {
        int afterSize = Integer.BYTES
                + BatchFormat.varintBytes(epoch)
                + BatchFormat.varintBytes(sequence)
                + (end - MAX_HEADER_BYTES);
        int begin = end - afterSize - BatchFormat.varintBytes(afterSize) - BatchFormat.SIZE_AT;
        bytes[begin + BatchFormat.KIND_AT] = kind;
        int at = BatchFormat.putVarint(bytes, begin + BatchFormat.SIZE_AT, afterSize);
        BatchFormat.INT.set(bytes, at, zone);
        at = BatchFormat.putVarint(bytes, at + Integer.BYTES, epoch);
        BatchFormat.putVarint(bytes, at, sequence);
        crc.reset();
        crc.update(bytes, begin + BatchFormat.CRC_BYTES, end - begin - BatchFormat.CRC_BYTES);
        BatchFormat.INT.set(bytes, begin, (int) crc.getValue());
        return begin;
    }

    private int startChunk(long cid, int length) {
        reserve(13 + (long) length);
        int tagAt = end;
        startCid(cid, BatchFormat.TYPE_CHUNK);
        if (length == 0) {
            return end;
        }
        if (length < 1 << 8) {
            bytes[tagAt] |= (byte) (1 << BatchFormat.LENGTH_SHIFT);
            bytes[end++] = (byte) length;
        } else if (length < 1 << 16) {
            bytes[tagAt] |= (byte) (2 << BatchFormat.LENGTH_SHIFT);
            SHORT.set(bytes, end, (short) length);
            end += Short.BYTES;
        } else {
            bytes[tagAt] |= (byte) (3 << BatchFormat.LENGTH_SHIFT);
            BatchFormat.INT.set(bytes, end, length);
            end += Integer.BYTES;
        }
        int at = end;
        end += length;
        return at;
    }

    /** Writes the tag, a NID if it is another one than the zone's, and the LID. Needs nine bytes of room. */
    private void startCid(long cid, int type) {
        long lid = cid & BatchFormat.MAX_LID;
        int lidBytes = (71 - Long.numberOfLeadingZeros(lid | 1)) >>> 3;
        int tagAt = end++;
        int tag = type | ((lidBytes - 1) << BatchFormat.LID_SHIFT);
        int nid = (int) (cid >>> BatchFormat.LID_BITS);
        if (nid != BatchFormat.nid(zone)) {
            tag |= BatchFormat.OTHER_NID;
            SHORT.set(bytes, end, (short) nid);
            end += Short.BYTES;
        }
        bytes[tagAt] = (byte) tag;
        for (int i = 0; i < lidBytes; i++) {
            bytes[end++] = (byte) (lid >>> (8 * i));
        }
        entries++;
    }

    private void reserve(long moreBytes) {
        long needed = end + moreBytes;
        if (needed <= bytes.length) {
            return;
        }
        if (needed > MAX_BATCH_BYTES) {
            throw new IllegalArgumentException(
                    "a batch of more than " + needed + " bytes; at most " + MAX_BATCH_BYTES + " are allowed");
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(MAX_BATCH_BYTES, Math.max(needed, 2L * bytes.length)));
    }
}
