package dev.granary.superpeer.state;

import dev.granary.overlay.Arc;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * What moves a part of an arc from one group to another (ADR 0089): the source seals it and changes nothing of it any
 * more, the target imports it, the ring commits the switch, then the target accepts and the source drops it. When the
 * operation is cancelled instead, the source unseals and the target discards it.
 *
 * <pre>
 *  24 seal       operation i32, arc, version i64
 *  25 unseal     operation i32
 *  26 drop       operation i32
 *  27 import     operation i32, arc, version i64, offset i32, total i32, length i32, bytes
 *  28 accept     operation i32
 *  29 discard    operation i32
 *
 *  arc           fromExclusive u16, toInclusive u16
 * </pre>
 *
 * The version is that of the ring's view that has the operation first: an older view says nothing about it.
 */
public sealed interface ArcTransfer extends ArcCommand {

    /** The smallest type. */
    int FIRST_TYPE = 24;

    /** The operation of the ring that it belongs to. */
    int operation();

    /** The part is frozen from now on. */
    record Seal(int operation, Arc arc, long version) implements ArcTransfer {}

    /** The part is as before. */
    record Unseal(int operation) implements ArcTransfer {}

    /** The part is another group's now. */
    record Drop(int operation) implements ArcTransfer {}

    /**
     * A piece of the part; the first one starts afresh, each other one follows on the last.
     *
     * @param totalBytes of all pieces
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by value below
    record Import(int operation, Arc arc, long version, int offset, int totalBytes, byte[] bytes)
            implements ArcTransfer {

        @Override
        public boolean equals(Object other) {
            return other instanceof Import that
                    && operation == that.operation
                    && arc.equals(that.arc)
                    && version == that.version
                    && offset == that.offset
                    && totalBytes == that.totalBytes
                    && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return 31 * operation + Arrays.hashCode(bytes);
        }
    }

    /** The part that was imported is this group's now. */
    record Accept(int operation) implements ArcTransfer {}

    /** What was imported is forgotten. */
    record Discard(int operation) implements ArcTransfer {}

    @Override
    default int type() {
        return switch (this) {
            case Seal _ -> 24;
            case Unseal _ -> 25;
            case Drop _ -> 26;
            case Import _ -> 27;
            case Accept _ -> 28;
            case Discard _ -> 29;
        };
    }

    @Override
    default int position() {
        return 0;
    }

    @Override
    default void writeFields(ByteBuf out) {
        out.writeIntLE(operation());
        switch (this) {
            case Seal seal -> {
                writeArc(out, seal.arc);
                out.writeLongLE(seal.version);
            }
            case Import part -> {
                writeArc(out, part.arc);
                out.writeLongLE(part.version).writeIntLE(part.offset).writeIntLE(part.totalBytes);
                out.writeIntLE(part.bytes.length).writeBytes(part.bytes);
            }
            case Unseal _, Drop _, Accept _, Discard _ -> {}
        }
    }

    /**
     * Reads what {@link #writeFields} wrote.
     *
     * @throws IllegalArgumentException when the type is unknown
     */
    static ArcTransfer read(int type, ByteBuf in) {
        int operation = in.readIntLE();
        return switch (type) {
            case 24 -> new Seal(operation, readArc(in), in.readLongLE());
            case 25 -> new Unseal(operation);
            case 26 -> new Drop(operation);
            case 27 -> {
                Arc arc = readArc(in);
                long version = in.readLongLE();
                int offset = in.readIntLE();
                int totalBytes = in.readIntLE();
                byte[] bytes = new byte[in.readIntLE()];
                in.readBytes(bytes);
                yield new Import(operation, arc, version, offset, totalBytes, bytes);
            }
            case 28 -> new Accept(operation);
            case 29 -> new Discard(operation);
            default -> throw new IllegalArgumentException("arc command of the unknown type " + type);
        };
    }

    static void writeArc(ByteBuf out, Arc arc) {
        out.writeShortLE(arc.fromExclusive()).writeShortLE(arc.toInclusive());
    }

    static Arc readArc(ByteBuf in) {
        return new Arc(in.readUnsignedShortLE(), in.readUnsignedShortLE());
    }
}
