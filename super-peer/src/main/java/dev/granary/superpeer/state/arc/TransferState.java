package dev.granary.superpeer.state.arc;

import dev.granary.overlay.Arc;
import dev.granary.superpeer.state.ArcTransfer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The part of an arc that is leaving and the part that is coming, at most one of each. Also the part that has left the
 * arc: a leader with a view of the ring from before still counts this part as its own, and must not answer that nothing
 * is there.
 *
 * <p>Invariants: (1) no part is sealed that overlaps the part that is coming; (2) an operation that has ended on one
 * side never begins there again: otherwise a leader that has not heard of the end yet would hand out what the arc does
 * not have any more, or take again what has changed since. Operations have rising numbers.
 */
final class TransferState {

    /**
     * A part that is being imported and is not accepted yet.
     *
     * @param bytes the bytes of the part that have arrived
     */
    record Incoming(int operation, Arc arc, long version, int totalBytes, ByteBuf bytes) {

        boolean isComplete() {
            return bytes.readableBytes() == totalBytes;
        }
    }

    private ArcTransfer.@Nullable Seal sealed;
    private @Nullable Incoming incoming;
    private @Nullable Arc gone;
    private int lastLeft;
    private int lastArrived;

    ArcTransfer.@Nullable Seal sealed() {
        return sealed;
    }

    @Nullable
    Incoming incoming() {
        return incoming;
    }

    /** Whether the state at a NID position may neither be changed nor be answered from memory. */
    boolean isShut(int position) {
        return (sealed != null && sealed.arc().contains(position))
                || (incoming != null && incoming.arc.contains(position))
                || (gone != null && gone.contains(position));
    }

    /**
     * Whether the state at some position of a piece of the ring may neither be changed nor be answered from memory.
     */
    boolean isShutWithin(Arc piece) {
        return (sealed != null && sealed.arc().overlaps(piece))
                || (incoming != null && incoming.arc.overlaps(piece))
                || (gone != null && gone.overlaps(piece));
    }

    /** Whether the part of an operation has been accepted or discarded, whether it has come or not. */
    boolean isArrivalOver(int operation) {
        return operation <= lastArrived;
    }

    /**
     * Seals a part. Returns false when another part is sealed, when the operation has ended, or when the part overlaps
     * the one that is coming: until that is accepted it is not in the state, and would be missing in what is handed
     * out.
     */
    boolean seal(ArcTransfer.Seal command) {
        if (command.operation() <= lastLeft || (incoming != null && incoming.arc.overlaps(command.arc()))) {
            return false;
        }
        if (sealed == null) {
            sealed = command;
        }
        assert invariantsHold() : sealed + ", " + incoming;
        return sealed.operation() == command.operation();
    }

    /** Unseals the part of an operation and returns it; null when the operation has no sealed part. */
    ArcTransfer.@Nullable Seal release(int operation) {
        ArcTransfer.Seal was = sealed;
        if (was == null || was.operation() != operation) {
            return null;
        }
        sealed = null;
        lastLeft = Math.max(lastLeft, operation);
        return was;
    }

    /**
     * Adds a piece of a part that is being imported. Returns false when it does not follow on the pieces before, when
     * its operation has ended, or when another part is coming.
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

    /** Ends the import of an operation and returns what was imported; null when the operation has no import. */
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

    /**
     * Notes that a part belongs to another arc now. Parts leave an arc at its beginning, so all that have left are one
     * piece.
     */
    void left(Arc part) {
        gone = gone == null ? part : new Arc(gone.fromExclusive(), part.toInclusive());
    }

    /**
     * Notes that a part belongs to this arc now. It lies before what this arc had, so only the beginning of what has
     * left can still be elsewhere.
     */
    void came(Arc part) {
        if (gone != null && gone.overlaps(part)) {
            gone = part.contains(gone) ? null : new Arc(gone.fromExclusive(), part.fromExclusive());
        }
    }

    /** Returns all of this as it stands in a snapshot. */
    ArcSnapshot.Transfers snapshot() {
        Incoming in = incoming;
        ArcTransfer.Import arrived = in == null
                ? null
                : new ArcTransfer.Import(
                        in.operation, in.arc, in.version, 0, in.totalBytes, ByteBufUtil.getBytes(in.bytes));
        return new ArcSnapshot.Transfers(sealed, arrived, lastLeft, lastArrived, gone);
    }

    /** Replaces all of this by a {@link #snapshot}. */
    void restore(ArcSnapshot.Transfers snapshot) {
        sealed = snapshot.sealed();
        lastLeft = snapshot.lastLeft();
        lastArrived = snapshot.lastArrived();
        gone = snapshot.gone();
        incoming = null;
        if (snapshot.incoming() != null) {
            add(snapshot.incoming());
        }
        assert invariantsHold() : sealed + ", " + incoming;
    }

    private boolean invariantsHold() {
        ArcTransfer.Seal leaving = sealed;
        Incoming coming = incoming;
        return (leaving == null || leaving.operation() > lastLeft)
                && (coming == null || coming.operation > lastArrived)
                && (leaving == null || coming == null || !leaving.arc().overlaps(coming.arc));
    }
}
