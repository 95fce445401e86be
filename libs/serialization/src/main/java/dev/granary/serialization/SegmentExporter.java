package dev.granary.serialization;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** An {@link Exporter} into a part of a memory segment, on or off the heap. */
public final class SegmentExporter implements Exporter {

    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment segment;
    private final long start;
    private final long end;
    private long position;

    /**
     * Writes from an offset on.
     *
     * @param capacityBytes how many bytes may be written
     * @throws IndexOutOfBoundsException if the segment ends before offset + capacity
     */
    public SegmentExporter(MemorySegment segment, long offset, long capacityBytes) {
        Objects.checkFromIndexSize(offset, capacityBytes, segment.byteSize());
        this.segment = segment;
        this.start = offset;
        this.end = offset + capacityBytes;
        this.position = offset;
    }

    /** How many bytes have been written. */
    public long writtenBytes() {
        return position - start;
    }

    @Override
    public void writeByte(int value) {
        segment.set(JAVA_BYTE, advance(1), (byte) value);
    }

    @Override
    public void writeBoolean(boolean value) {
        writeByte(value ? 1 : 0);
    }

    @Override
    public void writeShort(int value) {
        segment.set(SHORT, advance(2), (short) value);
    }

    @Override
    public void writeInt(int value) {
        segment.set(INT, advance(4), value);
    }

    @Override
    public void writeLong(long value) {
        segment.set(LONG, advance(8), value);
    }

    @Override
    public void writeFloat(float value) {
        writeInt(Float.floatToRawIntBits(value));
    }

    @Override
    public void writeDouble(double value) {
        writeLong(Double.doubleToRawLongBits(value));
    }

    @Override
    public void writeCompact(int value) {
        int bytes = Exporter.compactSizeBytes(value);
        long at = advance(bytes);
        int rest = value;
        for (int i = 0; i < bytes - 1; i++) {
            segment.set(JAVA_BYTE, at + i, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        segment.set(JAVA_BYTE, at + bytes - 1, (byte) rest);
    }

    @Override
    public void writeBytes(byte[] source, int from, int count) {
        Objects.checkFromIndexSize(from, count, source.length);
        MemorySegment.copy(source, from, segment, JAVA_BYTE, advance(count), count);
    }

    @Override
    public void writeInts(int[] source, int from, int count) {
        Objects.checkFromIndexSize(from, count, source.length);
        MemorySegment.copy(source, from, segment, INT, advance(4L * count), count);
    }

    @Override
    public void writeLongs(long[] source, int from, int count) {
        Objects.checkFromIndexSize(from, count, source.length);
        MemorySegment.copy(source, from, segment, LONG, advance(8L * count), count);
    }

    @Override
    public void writeString(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        writeCompact(bytes.length);
        writeBytes(bytes, 0, bytes.length);
    }

    private long advance(long bytes) {
        long at = position;
        if (bytes > end - at) {
            throw new BufferTooSmallException(at - start + bytes, end - start);
        }
        position = at + bytes;
        return at;
    }
}
