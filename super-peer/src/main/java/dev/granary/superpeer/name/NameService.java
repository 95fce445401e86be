package dev.granary.superpeer.name;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.ChangeNameReply;
import dev.granary.net.message.NameMessages.GetName;
import dev.granary.net.message.NameMessages.GetNameReply;
import dev.granary.net.message.NameMessages.ListNames;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Ring;
import dev.granary.overlay.name.NamePosition;
import dev.granary.overlay.name.NameTrie;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.Responsibility;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.name.NameCommand;
import dev.granary.superpeer.state.name.NameResult;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers requests about the names of one arc (ADR 0096). Runs as tasks of the node's scheduler. */
public final class NameService {

    private static final long RING_CHANGED_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long NO_ROOM_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * A client with at most this many unacknowledged answers may remove and change names, however little room there is.
     */
    private static final int ANSWERS_WITHOUT_ROOM = 16;

    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final Responsibility responsibility;
    private final Supplier<@Nullable Ring> ring;
    private final Runnable onChange;
    private final BooleanSupplier room;

    /**
     * A service of one arc.
     *
     * @param commit through which all changes of the state go
     * @param ring gives the newest ring that is known here, null when there is none
     * @param onChange called when a change was carried out
     * @param room whether the state may become larger
     */
    public NameService(
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            Responsibility responsibility,
            Supplier<@Nullable Ring> ring,
            Runnable onChange,
            BooleanSupplier room) {
        this.state = state;
        this.commit = commit;
        this.responsibility = responsibility;
        this.ring = ring;
        this.onChange = onChange;
        this.room = room;
    }

    public void change(RpcRequest request, ChangeName change) {
        String problem = problemOf(change);
        if (problem != null) {
            request.fail(ErrorCode.BAD_REQUEST, problem);
            return;
        }
        if (!responsibility.answersFor(request, NamePosition.of(change.name()))) {
            return;
        }
        if (makesLarger(change) && !room.getAsBoolean()) {
            refuseForWantOfRoom(request, change);
            return;
        }
        NameCommand command = new NameCommand(
                change.clientId(),
                change.sequence(),
                change.ackedSequence(),
                change.repeated(),
                change.name(),
                change.cid(),
                change.condition(),
                change.expectedCid());
        Answers.whenCommitted(request, commit.apply(command), result -> {
            switch (result) {
                case NameResult.Changed changed -> {
                    request.reply(new ChangeNameReply(changed.done(), changed.previousCid()));
                    onChange.run();
                }
                case NameResult.OutcomeUnknown unknown ->
                    request.fail(
                            ErrorCode.UNKNOWN_OUTCOME,
                            "the change of the name may have been carried out before, its answer is not known any more");
                case NameResult.Full full ->
                    request.fail(ErrorCode.OUT_OF_MEMORY, "this super-peer has no room for another name");
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    /** Whether the state needs more room: for a name, or for the answers that a client has not acknowledged. */
    private boolean makesLarger(ChangeName change) {
        boolean isNew = change.cid() != Cid.NONE && state.cidOf(change.name()).isEmpty();
        return isNew || change.sequence() - change.ackedSequence() > ANSWERS_WITHOUT_ROOM;
    }

    /**
     * Refuses a change for want of room. A repeated request may have been carried out before, so its refusal does not
     * say that it was not.
     */
    private static void refuseForWantOfRoom(RpcRequest request, ChangeName change) {
        String message = "this super-peer has no memory for more names";
        if (change.repeated()) {
            request.fail(ErrorReply.retryLater(NO_ROOM_RETRY_NANOS, message));
        } else {
            request.fail(ErrorCode.OUT_OF_MEMORY, message);
        }
    }

    private static @Nullable String problemOf(ChangeName change) {
        boolean isRequestId = change.clientId() != 0
                && change.sequence() >= 1
                && change.ackedSequence() >= 0
                && change.ackedSequence() < change.sequence();
        if (!isRequestId) {
            return "client %x, sequence %d, acknowledged %d are no request id"
                    .formatted(change.clientId(), change.sequence(), change.ackedSequence());
        }
        int nid = Cid.nid(change.cid());
        if (change.cid() != Cid.NONE && (nid == Nid.NONE || Nid.role(nid) != NodeRole.STORAGE_PEER)) {
            return "no storage peer can ever have the CID " + Cid.toHex(change.cid());
        }
        return problemOf(change.name());
    }

    private static @Nullable String problemOf(String name) {
        int sizeBytes = name.getBytes(StandardCharsets.UTF_8).length;
        return sizeBytes >= 1 && sizeBytes <= NameTrie.MAX_NAME_BYTES
                ? null
                : "a name of " + sizeBytes + " bytes; names have 1 to " + NameTrie.MAX_NAME_BYTES;
    }

    public void get(RpcRequest request, GetName get) {
        String problem = problemOf(get.name());
        if (problem != null) {
            request.fail(ErrorCode.BAD_REQUEST, problem);
        } else if (responsibility.answersFor(request, NamePosition.of(get.name()))) {
            request.reply(new GetNameReply(state.cidOf(get.name()).orElse(Cid.NONE)));
        }
    }

    /** Lists the names of a piece of the ring if the served arc contains all of it. Otherwise refuses the request. */
    public void list(RpcRequest request, ListNames list) {
        if (!Nid.isValid(list.fromExclusive()) || !Nid.isValid(list.toInclusive())) {
            request.fail(ErrorCode.BAD_REQUEST, "names are listed for a piece of the ring between two NIDs");
            return;
        }
        if (list.limit() < 1 || list.limit() > ListNames.MAX_NAMES) {
            request.fail(ErrorCode.BAD_REQUEST, "1 to " + ListNames.MAX_NAMES + " names are listed at once");
            return;
        }
        if (!responsibility.answersFor(request, list.toInclusive())) {
            return;
        }
        Arc piece = new Arc(list.fromExclusive(), list.toInclusive());
        Ring current = ring.get();
        Arc served = current == null
                ? null
                : current.arcOf(current.ownerOf(list.toInclusive()).nid());
        if (current == null || served == null || !served.contains(piece)) {
            request.fail(new ErrorReply(
                    ErrorCode.RETRY_LATER,
                    RING_CHANGED_RETRY_NANOS,
                    current == null ? 0 : current.epoch(),
                    null,
                    "the piece " + piece + " of the ring is not all in the arc " + served + ": fetch the ring again"));
            return;
        }
        if (state.isAnyMoving(piece)) {
            // Another super-peer may already answer for the names that move, and may have changed them.
            request.fail(ErrorReply.retryLater(
                    RING_CHANGED_RETRY_NANOS, "names of piece " + piece + " are moving to another super-peer"));
            return;
        }
        request.reply(state.names(piece, list.prefix(), list.after(), list.limit()));
    }
}
