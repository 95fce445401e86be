package dev.granary.superpeer.state;

import dev.granary.overlay.Arc;
import dev.granary.schema.Code;
import dev.granary.schema.I32;
import dev.granary.schema.RecordTypes;
import java.util.Arrays;

/**
 * Moves a part of an arc from one Raft group to another (ADR 0089). The source seals the part and changes nothing of it
 * any more, the target imports it, and the ring commits the switch. Then the target accepts the part and the source
 * drops it. When the operation is cancelled instead, the source unseals the part and the target discards it.
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
 * The version is that of the first view of the ring that has the operation: an older view says nothing about it.
 */
public sealed interface ArcTransfer extends ArcCommand {

    /** All of them by their types. */
    RecordTypes<ArcTransfer> TYPES = RecordTypes.of("arc command", ArcTransfer.class);

    @Override
    default int type() {
        return TYPES.codeOf(this);
    }

    /** The smallest type. */
    int FIRST_TYPE = 24;

    /** Returns the id of the ring operation to which this command belongs. */
    int operation();

    /** Seals the part: nothing in it changes from now on. */
    @Code(24)
    record Seal(@I32 int operation, Arc arc, long version) implements ArcTransfer {}

    /** Unseals the part: it can change again. */
    @Code(25)
    record Unseal(@I32 int operation) implements ArcTransfer {}

    /** Drops the part, which belongs to another Raft group now. */
    @Code(26)
    record Drop(@I32 int operation) implements ArcTransfer {}

    /**
     * Imports a piece of the part. The first piece starts the import again, each other one follows the one before.
     *
     * @param totalBytes of all pieces
     */
    @Code(27)
    @SuppressWarnings("ArrayRecordComponent") // compared by value below
    record Import(
            @I32 int operation,
            Arc arc,
            long version,
            @I32 int offset,
            @I32 int totalBytes,
            byte[] bytes) implements ArcTransfer {

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

    /** Accepts the imported part, which belongs to this Raft group now. */
    @Code(28)
    record Accept(@I32 int operation) implements ArcTransfer {}

    /** Discards the imported part. */
    @Code(29)
    record Discard(@I32 int operation) implements ArcTransfer {}

    @Override
    default int position() {
        return 0;
    }
}
