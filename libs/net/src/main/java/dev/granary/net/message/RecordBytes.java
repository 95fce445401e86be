package dev.granary.net.message;

import dev.granary.schema.RecordCodec;
import dev.granary.schema.RecordTypes;
import dev.granary.schema.Sink;
import dev.granary.schema.Source;
import io.netty.buffer.ByteBuf;

/** Records in buffers, laid out as their declarations say. */
public final class RecordBytes {

    private RecordBytes() {}

    /** Appends a record. */
    public static void write(Record value, ByteBuf out) {
        RecordCodec.writeRecord(value, new BufSink(out));
    }

    /**
     * Reads a record.
     *
     * @throws IllegalArgumentException when the bytes are not such a record
     * @throws IndexOutOfBoundsException when there are too few
     */
    public static <T extends Record> T read(Class<T> type, ByteBuf in) {
        return RecordCodec.of(type).read(new BufSource(in));
    }

    /**
     * Reads the record with a code.
     *
     * @throws IllegalArgumentException when there is no such code, or the bytes are not such a record
     * @throws IndexOutOfBoundsException when there are too few
     */
    public static <T> T read(RecordTypes<T> types, int code, ByteBuf in) {
        return types.read(code, new BufSource(in));
    }

    private record BufSink(ByteBuf out) implements Sink {

        @Override
        public void putByte(int value) {
            out.writeByte(value);
        }

        @Override
        public void putShort(int value) {
            out.writeShortLE(value);
        }

        @Override
        public void putInt(int value) {
            out.writeIntLE(value);
        }

        @Override
        public void putLong(long value) {
            out.writeLongLE(value);
        }

        @Override
        public void putBytes(byte[] bytes) {
            out.writeBytes(bytes);
        }
    }

    private record BufSource(ByteBuf in) implements Source {

        @Override
        public int getByte() {
            return in.readUnsignedByte();
        }

        @Override
        public int getShort() {
            return in.readUnsignedShortLE();
        }

        @Override
        public int getInt() {
            return in.readIntLE();
        }

        @Override
        public long getLong() {
            return in.readLongLE();
        }

        @Override
        public byte[] getBytes(int sizeBytes) {
            byte[] bytes = new byte[sizeBytes];
            in.readBytes(bytes);
            return bytes;
        }

        @Override
        public int remainingBytes() {
            return in.readableBytes();
        }
    }
}
