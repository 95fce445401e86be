package dev.granary.storage.keyed;

import dev.granary.env.Clock;
import dev.granary.env.Scheduler;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcException;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.probe.StorageProbe;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has calls on slot groups carried out by their owners: this peer, or another one to which they are sent. A call that
 * certainly was not carried out is tried again until its time is over. Thread-safe.
 */
final class KeyedRouter implements KeyedCalls {

    private static final Logger LOG = LoggerFactory.getLogger(KeyedRouter.class);

    /** Longer than a lease of ten seconds, as a cluster with one super-peer has, and the recovery after it. */
    private static final long PATIENCE_NANOS = 15_000_000_000L;

    private static final long CALL_TIMEOUT_NANOS = 3_000_000_000L;
    private static final long LOOK_AGAIN_NANOS = 10_000_000;
    private static final long LEAST_PAUSE_NANOS = 1_000_000;

    private final Clock clock;
    private final Scheduler scheduler;
    private final RpcClient rpc;
    private final GroupExecutor executor;
    private final GroupOpener opener;
    private final Runnable ownerHasChanged;

    /** By the NID of each group, the storage peer that owns it, or that is to open it. */
    private final Map<Integer, Owner> owners = new ConcurrentHashMap<>();

    /** @param open whether nobody had the group when this was learnt */
    private record Owner(int nid, HostAddress address, boolean open) {}

    /** @param ownerHasChanged called when another peer than the known one owns a group */
    KeyedRouter(
            Clock clock,
            Scheduler scheduler,
            RpcClient rpc,
            GroupExecutor executor,
            GroupOpener opener,
            Runnable ownerHasChanged) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.rpc = rpc;
        this.executor = executor;
        this.opener = opener;
        this.ownerHasChanged = ownerHasChanged;
    }

    /** Adds the requests that this class answers. */
    void addTo(RequestTable requests) {
        requests.add(MessageType.GROUP_CALL, this::incoming);
    }

    @Override
    public void carryOut(GroupCall call, Consumer<GroupReply> done) {
        new Attempt(call, done, clock.nanoTime() + PATIENCE_NANOS).go();
    }

    /** A call until its end. */
    private final class Attempt {

        private final GroupCall call;
        private final Consumer<GroupReply> done;
        private final long deadlineNanos;

        Attempt(GroupCall call, Consumer<GroupReply> done, long deadlineNanos) {
            this.call = call;
            this.done = done;
            this.deadlineNanos = deadlineNanos;
        }

        /** Tries once, here or at the owner that is known. */
        void go() {
            ErrorReply refusal;
            try {
                refusal = executor.execute(call, () -> true, done);
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).log("a call on a slot group failed");
                end(GroupReply.not(Outcome.UNKNOWN, String.valueOf(e.getMessage())));
                return;
            }
            if (refusal == null) {
                call.requests().release();
            } else if (refusal.code() == ErrorCode.NOT_FOUND) {
                send();
            } else if (refusal.isRetryable()) {
                again(refusal.retryAfterNanos(), refusal.message());
            } else {
                end(GroupReply.not(Outcome.REFUSED, refusal.message()));
            }
        }

        private void end(GroupReply reply) {
            call.requests().release();
            done.accept(reply);
        }

        /** Tries again after a pause, or ends when the time is over. */
        private void again(long pauseNanos, String why) {
            if (clock.nanoTime() - deadlineNanos >= 0) {
                end(GroupReply.not(Outcome.REFUSED, why));
                return;
            }
            try {
                scheduler.schedule(Math.max(LEAST_PAUSE_NANOS, pauseNanos), this::go);
            } catch (RejectedExecutionException e) {
                end(GroupReply.not(Outcome.REFUSED, "this storage peer is stopping"));
            }
        }

        private void send() {
            Owner owner = owners.get(call.nid());
            if (owner == null || owner.nid == opener.nid()) {
                scheduler.execute(() -> opener.ask(call.nid(), this::told));
                return;
            }
            StorageProbe.GROUP_CALL_FORWARDED.hit();
            var _ = rpc.callUnlessRefused(
                            owner.address,
                            owner.nid,
                            MessageType.GROUP_CALL,
                            out -> GroupCallBytes.write(call, owner.open, out),
                            GroupCallBytes::readReply,
                            CALL_TIMEOUT_NANOS)
                    .whenComplete((answer, failure) -> {
                        if (failure != null) {
                            failed(owner, failure instanceof CompletionException e ? e.getCause() : failure);
                        } else {
                            answered(owner, answer);
                        }
                    });
        }

        private void answered(Owner owner, GroupCallBytes.Answer answer) {
            GroupReply reply = answer.reply();
            if (reply == null) {
                owners.remove(call.nid(), owner);
                ownerHasChanged.run();
                again(LOOK_AGAIN_NANOS, answer.message());
            } else if (reply.outcome() == Outcome.REFUSED) {
                again(LOOK_AGAIN_NANOS, reply.message());
            } else {
                if (owner.open) {
                    owners.replace(call.nid(), owner, new Owner(owner.nid, owner.address, false));
                }
                end(reply);
            }
        }

        private void failed(Owner owner, @Nullable Throwable failure) {
            owners.remove(call.nid(), owner);
            ownerHasChanged.run();
            String why = "storage peer " + Nid.toHex(owner.nid) + ": " + (failure == null ? "" : failure.getMessage());
            boolean notDone = failure instanceof RpcException lost && !lost.maybeExecuted();
            if (notDone || !executor.isChange(call)) {
                again(LOOK_AGAIN_NANOS, why);
            } else {
                StorageProbe.GROUP_CALL_UNKNOWN.hit();
                end(GroupReply.not(Outcome.UNKNOWN, why));
            }
        }

        /** Goes on with the answer of the arc, as a task of the scheduler. */
        private void told(@Nullable SlotGroupPlace place) {
            HostAddress address = place == null ? null : place.address();
            ByteBuf replies =
                    place != null && place.placement() == null && call.watched().isEmpty()
                            ? executor.answerWithoutGroup(call)
                            : null;
            if (replies != null) {
                end(GroupReply.done(replies));
            } else if (place == null || place.nid() == Nid.NONE) {
                again(
                        LOOK_AGAIN_NANOS,
                        "no storage peer has the slots " + KeyedGroups.name(call.nid()) + " at present");
            } else if (place.nid() == opener.nid()) {
                if (place.placement() == null || opener.isWanted(call.nid())) {
                    opener.open(call.nid(), () -> again(0, "the slot group is being opened here"));
                } else {
                    again(LOOK_AGAIN_NANOS, "the slots " + KeyedGroups.name(call.nid()) + " are on their way here");
                }
            } else if (address == null) {
                again(LOOK_AGAIN_NANOS, "the address of " + Nid.toHex(place.nid()) + " is not known yet");
            } else {
                owners.put(call.nid(), new Owner(place.nid(), address, place.placement() == null));
                send();
            }
        }
    }

    private void incoming(RpcRequest request) {
        GroupCallBytes.Incoming incoming = GroupCallBytes.read(request.payload());
        ErrorReply refusal = executor.execute(incoming.call(), request::isCallerThere, reply -> answer(request, reply));
        if (refusal == null) {
            return;
        }
        if (refusal.code() == ErrorCode.NOT_FOUND) {
            int group = incoming.call().nid();
            boolean open = incoming.open();
            scheduler.execute(() -> openOrRefuse(request, group, open, refusal));
        } else {
            refuse(request, refusal);
        }
    }

    /** Opens a group if this peer is to do that. The caller asks the arc again if another peer was faster. */
    private void openOrRefuse(RpcRequest request, int group, boolean open, ErrorReply refusal) {
        if (open || opener.isWanted(group)) {
            opener.open(
                    group,
                    () -> refuse(
                            request,
                            opener.isOwned(group)
                                    ? ErrorReply.retryLater(0, "the slot group has just been opened here")
                                    : refusal));
        } else {
            refuse(request, refusal);
        }
    }

    private static void refuse(RpcRequest request, ErrorReply refusal) {
        if (refusal.code() == ErrorCode.NOT_FOUND) {
            StorageProbe.GROUP_CALL_TO_A_FORMER_OWNER.hit();
            ByteBuf out = request.startReply(1 + refusal.message().length());
            GroupCallBytes.writeNotOwner(refusal.message(), out);
            request.reply(out);
        } else if (refusal.isRetryable()) {
            answer(request, GroupReply.not(Outcome.REFUSED, refusal.message()));
        } else {
            request.fail(refusal);
        }
    }

    private static void answer(RpcRequest request, GroupReply reply) {
        ByteBuf replies = reply.replies();
        try {
            ByteBuf out =
                    request.startReply(1 + (replies == null ? reply.message().length() : replies.readableBytes()));
            GroupCallBytes.writeReply(reply, out);
            request.reply(out);
        } finally {
            if (replies != null) {
                replies.release();
            }
        }
    }
}
