package dev.granary.overlay.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Owner and epoch of placement records by their number. They are packed apart from the other columns because a lookup
 * reads only these: a million records of a few owners and epochs take a megabyte or two, which stays in a core's cache.
 * Rows lie in segments of {@value #SEGMENT_ROWS}. All owners of a segment share the bits above the lowest few, and so
 * do all epochs; only those few are stored for each row. Source: ADR 0062.
 *
 * <pre>
 *  row, ownerBits + epochBits, without padding    descriptor of a segment
 *  +-----------------+------------------+    +-----------+-----------+----------+-----------------+----------------+
 *  | low bits, owner | low bits, epoch  |    | ownerBits | epochBits | room - 1 | epoch, rest 0   | owner, rest 0  |
 *  +-----------------+------------------+    | 5 bits    | 6 bits    | 5 bits   | u32             | u16            |
 *    from bit 0 on                           +-----------+-----------+----------+-----------------+----------------+
 *                                              bit 63 down to 0; room for rows in steps of 128
 * </pre>
 *
 * An owner is a 16-bit number, an epoch one of 32 bits. Widths only grow, so a segment is widened 48 times at most. Not
 * thread-safe for writers; a racing reader may throw or read nonsense, and must validate.
 */
final class OwnerEpochs {

    static final int SEGMENT_ROWS = 1 << 12;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int SEGMENT_SHIFT = 12;
    private static final int ROW_MASK = SEGMENT_ROWS - 1;
    private static final int OWNER_BITS = 16;
    private static final int ROOM_SHIFT = 48;
    private static final int ROOM_MASK = 0x1F;
    private static final int EPOCH_BITS_SHIFT = 53;
    private static final int EPOCH_BITS_MASK = 0x3F;
    private static final int OWNER_BITS_SHIFT = 59;
    private static final long VALUE_MASK = (1L << ROOM_SHIFT) - 1;

    /** A segment grows by this many rows. */
    private static final int ROW_STEP = 1 << 7;

    private static final int ARRAY_HEADER_BYTES = 16;
    private static final int REFERENCE_BYTES = 4;
    private static final byte[] NO_ROWS = {};
    private static final byte[][] NO_SEGMENTS = {};

    private byte[][] segments = NO_SEGMENTS;
    private long[] descriptors = {};

    /** The owner in the low 16 bits, the epoch above them. The row must have been set. */
    long get(int row) {
        int number = row >> SEGMENT_SHIFT;
        return get(segments[number], descriptors[number], row & ROW_MASK);
    }

    private static long get(byte[] segment, long descriptor, int row) {
        int ownerBits = ownerBits(descriptor);
        int epochBits = epochBits(descriptor);
        long position = (long) row * (ownerBits + epochBits);
        // At most 48 bits, which begin at one of the first 8 bits: they lie within eight bytes.
        long bits = (long) LONGS.get(segment, (int) (position >>> 3)) >>> (position & 7);
        long stored = (bits & mask(ownerBits)) | (((bits >>> ownerBits) & mask(epochBits)) << OWNER_BITS);
        return (descriptor & VALUE_MASK) | stored;
    }

    /**
     * Sets a row, whatever it had before.
     *
     * @param owner of 16 bits
     * @param epoch of 32 bits
     */
    void set(int row, int owner, long epoch) {
        int number = row >> SEGMENT_SHIFT;
        int inSegment = row & ROW_MASK;
        long value = (epoch << OWNER_BITS) | owner;
        ensureSegment(number, value);
        long descriptor = descriptors[number];
        long differing = (value ^ descriptor) & VALUE_MASK;
        int ownerBits = Math.max(ownerBits(descriptor), bitsOf(differing & mask(OWNER_BITS)));
        int epochBits = Math.max(epochBits(descriptor), bitsOf(differing >>> OWNER_BITS));
        int rows = Math.max(roomOf(descriptor), roundedUp(inSegment + 1));
        if (ownerBits != ownerBits(descriptor) || epochBits != epochBits(descriptor) || rows != roomOf(descriptor)) {
            repack(number, ownerBits, epochBits, rows);
        }
        store(segments[number], descriptors[number], inSegment, value);
    }

    /** Forgets all rows. */
    void clear() {
        segments = NO_SEGMENTS;
        descriptors = new long[0];
    }

    /** The bytes of heap. */
    long footprintBytes() {
        long bytes = 2L * ARRAY_HEADER_BYTES + (REFERENCE_BYTES + Long.BYTES) * (long) segments.length;
        for (byte[] segment : segments) {
            bytes += segment == NO_ROWS ? 0 : ARRAY_HEADER_BYTES + segment.length;
        }
        return bytes;
    }

    private void ensureSegment(int number, long firstValue) {
        if (number >= segments.length) {
            int old = segments.length;
            int length = number + 1 + number / 8;
            descriptors = Arrays.copyOf(descriptors, length);
            segments = Arrays.copyOf(segments, length);
            Arrays.fill(segments, old, length, NO_ROWS);
        }
        if (segments[number] == NO_ROWS) {
            descriptors[number] = firstValue;
            segments[number] = new byte[bytesFor(ROW_STEP, 0)];
        }
    }

    private void repack(int number, int ownerBits, int epochBits, int rows) {
        byte[] old = segments[number];
        long oldDescriptor = descriptors[number];
        byte[] packed = new byte[bytesFor(rows, ownerBits + epochBits)];
        long shared = ~((mask(epochBits) << OWNER_BITS) | mask(ownerBits)) & VALUE_MASK;
        long descriptor = ((long) ownerBits << OWNER_BITS_SHIFT)
                | ((long) epochBits << EPOCH_BITS_SHIFT)
                | ((long) (rows / ROW_STEP - 1) << ROOM_SHIFT)
                | (oldDescriptor & shared);
        for (int row = 0; row < roomOf(oldDescriptor); row++) {
            store(packed, descriptor, row, get(old, oldDescriptor, row));
        }
        segments[number] = packed;
        descriptors[number] = descriptor;
    }

    private static void store(byte[] segment, long descriptor, int row, long value) {
        int ownerBits = ownerBits(descriptor);
        int width = ownerBits + epochBits(descriptor);
        long position = (long) row * width;
        int at = (int) (position >>> 3);
        int shift = (int) position & 7;
        long bits = ((value & mask(ownerBits)) | ((value >>> OWNER_BITS) << ownerBits)) & mask(width);
        long kept = (long) LONGS.get(segment, at) & ~(mask(width) << shift);
        LONGS.set(segment, at, kept | (bits << shift));
    }

    /** The number of rows for which there is room. */
    private static int roomOf(long descriptor) {
        return (1 + ((int) (descriptor >>> ROOM_SHIFT) & ROOM_MASK)) * ROW_STEP;
    }

    /** Returns the length of an array for a number of rows. The last row is read as eight bytes. */
    private static int bytesFor(int rows, int width) {
        return rows * width / Byte.SIZE + Long.BYTES;
    }

    private static int roundedUp(int rows) {
        return (rows + ROW_STEP - 1) / ROW_STEP * ROW_STEP;
    }

    private static int ownerBits(long descriptor) {
        return (int) (descriptor >>> OWNER_BITS_SHIFT);
    }

    private static int epochBits(long descriptor) {
        return (int) (descriptor >>> EPOCH_BITS_SHIFT) & EPOCH_BITS_MASK;
    }

    private static int bitsOf(long value) {
        return Long.SIZE - Long.numberOfLeadingZeros(value);
    }

    private static long mask(int width) {
        return (1L << width) - 1;
    }
}
