package dev.granary.storage.data;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Network buffers as memory segments, so that bytes go between them and chunk memory in one copy. A segment and offset
 * are valid as long as the buffer's memory is: until it grows or is released.
 */
final class Segments {

    private static final ValueLayout.OfLong LONG_LE =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT_LE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Segments() {}

    /** The memory behind a buffer; its byte 0 is the buffer's index {@code base}. */
    static MemorySegment of(ByteBuf buffer, int base, int sizeBytes) {
        if (buffer.hasArray()) {
            return MemorySegment.ofArray(buffer.array()).asSlice(buffer.arrayOffset() + base, sizeBytes);
        }
        return MemorySegment.ofBuffer(buffer.internalNioBuffer(base, sizeBytes));
    }

    /** Reads the next {@code count} numbers of a buffer. */
    static void readLongs(ByteBuf in, long[] target, int count) {
        if (count == 1) {
            target[0] = in.readLongLE();
            return;
        }
        int sizeBytes = count * Long.BYTES;
        MemorySegment source = of(in, in.readerIndex(), sizeBytes);
        MemorySegment.copy(source, LONG_LE, 0, target, 0, count);
        in.skipBytes(sizeBytes);
    }

    /** Reads the next {@code count} numbers of a buffer. */
    static void readInts(ByteBuf in, int[] target, int count) {
        if (count == 1) {
            target[0] = in.readIntLE();
            return;
        }
        int sizeBytes = count * Integer.BYTES;
        MemorySegment source = of(in, in.readerIndex(), sizeBytes);
        MemorySegment.copy(source, INT_LE, 0, target, 0, count);
        in.skipBytes(sizeBytes);
    }

    /** Writes numbers over a part of a buffer that is there already. */
    static void setInts(ByteBuf out, int index, int[] source, int count) {
        MemorySegment target = of(out, index, count * Integer.BYTES);
        MemorySegment.copy(source, 0, target, INT_LE, 0, count);
    }

    /** Appends numbers to a buffer. */
    static void writeLongs(ByteBuf out, long[] source, int count) {
        int sizeBytes = count * Long.BYTES;
        out.ensureWritable(sizeBytes);
        MemorySegment target = of(out, out.writerIndex(), sizeBytes);
        MemorySegment.copy(source, 0, target, LONG_LE, 0, count);
        out.writerIndex(out.writerIndex() + sizeBytes);
    }
}
