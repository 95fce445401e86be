package dev.granary.superpeer.state.arc;

import dev.granary.overlay.Arc;
import dev.granary.superpeer.state.ArcTransfer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The part of an arc that is on its way out, and the one that is on its way in. At most one of each. And the part that
 * has left the arc: a leader whose view of the ring is from before that takes it for its own,
 * and must not say that nothing is there.
 *
 * <p>Invariants: (1) nothing is sealed of which something is on its way in; (2) an operation that has ended on one side
 * never begins there again: a leader that has not heard of the end yet would otherwise hand out what is not there any
 * more, or take again what was changed since. Operations have rising numbers.
 *
 * <pre>
 * in snapshots: sealed u8, [operation i32, arc, version i64], incoming u8, [operation i32, arc, version i64, total i32,
 *               length i32, bytes], then only if any operation has ended: last ended on the way out i32, on the way
 *               in i32, then only if a part has left and has not come back: arc
 * </pre>
 */
final class TransferState {

    /** A part that is sealed. */
    record Sealed(int operation, Arc arc, long version) {}

    /**
     * A part that is imported, not accepted yet.
     *
     * @param bytes of it that are there
     */
    record Incoming(int operation, Arc arc, long version, int totalBytes, ByteBuf bytes) {

        boolean isComplete() {
            return bytes.readableBytes() == totalBytes;
        }
    }

    private @Nullable Sealed sealed;
    private @Nullable Incoming incoming;
    private @Nullable Arc gone;
    private int lastLeft;
    private int lastArrived;

    @Nullable
    Sealed sealed() {
        return sealed;
    }

    @Nullable
    Incoming incoming() {
        return incoming;
    }

    /** Whether things at a NID position may neither be changed nor be told from memory. */
    boolean isShut(int position) {
        return (sealed != null && sealed.arc.contains(position))
                || (incoming != null && incoming.arc.contains(position))
                || (gone != null && gone.contains(position));
    }

    /** Whether things at some position of a piece of the ring may neither be changed nor be told from memory. */
    boolean isShutWithin(Arc piece) {
        return (sealed != null && sealed.arc.overlaps(piece))
                || (incoming != null && incoming.arc.overlaps(piece))
                || (gone != null && gone.overlaps(piece));
    }

    /** Whether what came or was to come by an operation has been accepted or discarded. */
    boolean isArrivalOver(int operation) {
        return operation <= lastArrived;
    }

    /**
     * Seals a part; false when another one is sealed or the operation has ended, or when something of it is still on
     * its way in: until that is accepted it is not in the state, and would be missing in what is handed out.
     */
    boolean seal(ArcTransfer.Seal command) {
        if (command.operation() <= lastLeft || (incoming != null && incoming.arc.overlaps(command.arc()))) {
            return false;
        }
        if (sealed == null) {
            sealed = new Sealed(command.operation(), command.arc(), command.version());
        }
        assert invariantsHold() : sealed + ", " + incoming;
        return sealed.operation == command.operation();
    }

    /** The sealed part is sealed no more; null when it is not that of the operation. */
    @Nullable
    Sealed release(int operation) {
        Sealed was = sealed;
        if (was == null || was.operation != operation) {
            return null;
        }
        sealed = null;
        lastLeft = Math.max(lastLeft, operation);
        return was;
    }

    /**
     * Takes a piece; false when it does not follow on what is there, its operation has ended,
     * or another part is on its way in.
     */
    boolean add(ArcTransfer.Import piece) {
        Incoming present = incoming;
        if (isArrivalOver(piece.operation()) || (present != null && present.operation != piece.operation())) {
            return false;
        }
        if (present != null && present.isComplete()) {
            return true;
        }
        if (piece.offset() == 0) {
            present = new Incoming(
                    piece.operation(), piece.arc(), piece.version(), piece.totalBytes(), Unpooled.buffer());
            incoming = present;
            assert invariantsHold() : sealed + ", " + incoming;
        }
        if (present == null || present.bytes.readableBytes() != piece.offset()) {
            return false;
        }
        present.bytes.writeBytes(piece.bytes());
        return true;
    }

    /** What was imported by an operation is on its way in no more; null when there is none of it. */
    @Nullable
    Incoming take(int operation) {
        Incoming was = incoming;
        if (was == null || was.operation != operation) {
            return null;
        }
        incoming = null;
        lastArrived = Math.max(lastArrived, operation);
        return was;
    }

    /** A part is another arc's now. Parts leave an arc at its beginning, so that those that have left are one piece. */
    void left(Arc part) {
        gone = gone == null ? part : new Arc(gone.fromExclusive(), part.toInclusive());
    }

    /**
     * A part is this arc's now. It is before what this arc had,
     * so that only the beginning of what has left can be elsewhere still.
     */
    void came(Arc part) {
        if (gone != null && gone.overlaps(part)) {
            gone = part.contains(gone) ? null : new Arc(gone.fromExclusive(), part.fromExclusive());
        }
    }

    void write(ByteBuf out) {
        Sealed leaving = sealed;
        out.writeBoolean(leaving != null);
        if (leaving != null) {
            out.writeIntLE(leaving.operation);
            ArcTransfer.writeArc(out, leaving.arc);
            out.writeLongLE(leaving.version);
        }
        Incoming in = incoming;
        out.writeBoolean(in != null);
        if (in != null) {
            out.writeIntLE(in.operation);
            ArcTransfer.writeArc(out, in.arc);
            byte[] bytes = ByteBufUtil.getBytes(in.bytes);
            out.writeLongLE(in.version)
                    .writeIntLE(in.totalBytes)
                    .writeIntLE(bytes.length)
                    .writeBytes(bytes);
        }
        if (lastLeft != 0 || lastArrived != 0) {
            out.writeIntLE(lastLeft).writeIntLE(lastArrived);
        }
        if (gone != null) {
            ArcTransfer.writeArc(out, gone);
        }
    }

    void read(ByteBuf in) {
        sealed = in.readBoolean() ? new Sealed(in.readIntLE(), ArcTransfer.readArc(in), in.readLongLE()) : null;
        incoming = null;
        if (in.readBoolean()) {
            int operation = in.readIntLE();
            Arc arc = ArcTransfer.readArc(in);
            long version = in.readLongLE();
            int totalBytes = in.readIntLE();
            byte[] bytes = new byte[in.readIntLE()];
            in.readBytes(bytes);
            incoming = new Incoming(
                    operation, arc, version, totalBytes, Unpooled.buffer().writeBytes(bytes));
        }
        boolean ended = in.isReadable();
        lastLeft = ended ? in.readIntLE() : 0;
        lastArrived = ended ? in.readIntLE() : 0;
        gone = in.isReadable() ? ArcTransfer.readArc(in) : null;
        assert invariantsHold() : sealed + ", " + incoming;
    }

    private boolean invariantsHold() {
        Sealed leaving = sealed;
        Incoming coming = incoming;
        return (leaving == null || leaving.operation > lastLeft)
                && (coming == null || coming.operation > lastArrived)
                && (leaving == null || coming == null || !leaving.arc.overlaps(coming.arc));
    }
}
