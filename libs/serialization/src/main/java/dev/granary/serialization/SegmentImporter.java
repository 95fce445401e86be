package dev.granary.serialization;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** An {@link Importer} from a part of a memory segment, on or off the heap. */
public final class SegmentImporter implements Importer {

    private final MemorySegment segment;
    private final long start;
    private final long end;
    private long position;

    /**
     * Reads from an offset on.
     *
     * @param sizeBytes how many bytes may be read
     * @throws IndexOutOfBoundsException if the segment ends before offset + size
     */
    public SegmentImporter(MemorySegment segment, long offset, long sizeBytes) {
        Objects.checkFromIndexSize(offset, sizeBytes, segment.byteSize());
        this.segment = segment;
        this.start = offset;
        this.end = offset + sizeBytes;
        this.position = offset;
    }

    @Override
    public byte readByte() {
        return segment.get(JAVA_BYTE, advance(1));
    }

    @Override
    public boolean readBoolean() {
        byte value = readByte();
        if (value != 0 && value != 1) {
            throw new MalformedDataException("a boolean is 0 or 1, not " + value + where());
        }
        return value == 1;
    }

    @Override
    public short readShort() {
        return segment.get(SegmentExporter.SHORT, advance(2));
    }

    @Override
    public int readInt() {
        return segment.get(SegmentExporter.INT, advance(4));
    }

    @Override
    public long readLong() {
        return segment.get(SegmentExporter.LONG, advance(8));
    }

    @Override
    public float readFloat() {
        return Float.intBitsToFloat(readInt());
    }

    @Override
    public double readDouble() {
        return Double.longBitsToDouble(readLong());
    }

    @Override
    public int readCompact() {
        long value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            byte next = readByte();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                boolean longerThanNeeded = next == 0 && shift > 0;
                if (longerThanNeeded || value > Integer.MAX_VALUE) {
                    break;
                }
                return (int) value;
            }
        }
        throw new MalformedDataException("no compact number" + where());
    }

    @Override
    public void readBytes(byte[] target, int from, int count) {
        Objects.checkFromIndexSize(from, count, target.length);
        MemorySegment.copy(segment, JAVA_BYTE, advance(count), target, from, count);
    }

    @Override
    public void readInts(int[] target, int from, int count) {
        Objects.checkFromIndexSize(from, count, target.length);
        MemorySegment.copy(segment, SegmentExporter.INT, advance(4L * count), target, from, count);
    }

    @Override
    public void readLongs(long[] target, int from, int count) {
        Objects.checkFromIndexSize(from, count, target.length);
        MemorySegment.copy(segment, SegmentExporter.LONG, advance(8L * count), target, from, count);
    }

    @Override
    public String readString() {
        int length = readCompact();
        // Before the array is made: a damaged length must not make a huge one.
        long at = advance(length);
        byte[] bytes = new byte[length];
        MemorySegment.copy(segment, JAVA_BYTE, at, bytes, 0, length);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MalformedDataException("a string is no UTF-8" + where());
        }
    }

    @Override
    public long remainingBytes() {
        return end - position;
    }

    private long advance(long bytes) {
        long at = position;
        if (bytes > end - at) {
            throw new MalformedDataException("needs " + bytes + " B, but " + (end - at) + " B are left" + where());
        }
        position = at + bytes;
        return at;
    }

    private String where() {
        return " at byte " + (position - start) + " of " + (end - start);
    }
}
