package dev.granary.storage.keyed;

import dev.granary.env.Clock;
import dev.granary.env.Scheduler;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.GroupCalls;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcException;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.probe.StorageProbe;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Has calls on slot groups carried out by their owners: this peer, or another one to which they are sent. A call that
 * certainly was not carried out is tried again until its time is over. Thread-safe.
 */
final class KeyedRouter implements KeyedCalls {

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

    /** By group, the storage peer that owns it, or that is to open it. */
    private final AtomicReferenceArray<Owner> owners = new AtomicReferenceArray<>(SlotGroup.COUNT);

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

    /** Adds the requests that other storage peers send. */
    void addTo(RequestTable requests) {
        new IncomingCalls(scheduler, executor, opener).addTo(requests);
    }

    @Override
    public AtOnce tryAtOnce(int group, Command command, Request request, ReplyWriter reply) {
        return executor.tryAtOnce(group, command, request, reply);
    }

    @Override
    public void carryOut(List<GroupCall> calls, Ends ends) {
        long deadlineNanos = clock.nanoTime() + PATIENCE_NANOS;
        List<Attempt> attempts = new ArrayList<>(calls.size());
        for (int i = 0; i < calls.size(); i++) {
            attempts.add(new Attempt(calls.get(i), i, ends, deadlineNanos));
        }
        go(calls, attempts);
    }

    /** Tries calls once, here or at the owners that are known. */
    private void go(List<GroupCall> calls, List<Attempt> attempts) {
        executor.execute(calls, () -> true, Long.MAX_VALUE, new GroupExecutor.Ends() {
            @Override
            public void refused(int call, ErrorReply why) {
                attempts.get(call).refusal = why;
            }

            @Override
            public void done(int call, GroupReply reply) {
                attempts.get(call).tell(reply);
            }
        });
        List<Attempt> elsewhere = new ArrayList<>();
        for (Attempt attempt : attempts) {
            ErrorReply refusal = attempt.refusal;
            attempt.refusal = null;
            if (refusal == null) {
                attempt.call.requests().release();
            } else if (refusal.code() == ErrorCode.NOT_FOUND) {
                elsewhere.add(attempt);
            } else {
                attempt.refused(refusal);
            }
        }
        send(elsewhere);
    }

    /** Sends calls to the owners that are known, those for one owner together. */
    private void send(List<Attempt> attempts) {
        Map<Integer, List<Attempt>> together = new TreeMap<>();
        for (Attempt attempt : attempts) {
            Owner owner = owners.get(attempt.call.group());
            if (owner == null || owner.nid == opener.nid()) {
                scheduler.execute(() -> opener.ask(attempt.call.nid(), attempt::told));
            } else if (owner.open || attempts.size() == 1) {
                // To open a group takes its time. No other call is to wait for that.
                attempt.send(owner);
            } else {
                attempt.owner = owner;
                together.computeIfAbsent(owner.nid, nid -> new ArrayList<>()).add(attempt);
            }
        }
        together.values().forEach(this::sendTogether);
    }

    private void sendTogether(List<Attempt> attempts) {
        Owner to = Objects.requireNonNull(attempts.getFirst().owner);
        if (attempts.size() == 1) {
            attempts.getFirst().send(to);
            return;
        }
        List<GroupCall> calls = attempts.stream().map(attempt -> attempt.call).toList();
        var _ = rpc.callUnlessRefused(
                        to.address,
                        to.nid,
                        MessageType.GROUP_CALLS,
                        out -> GroupCallBytes.writeAll(calls, out),
                        in -> GroupCallBytes.readAnswers(in, calls.size()),
                        CALL_TIMEOUT_NANOS)
                .whenComplete((answers, failure) -> {
                    for (int i = 0; i < attempts.size(); i++) {
                        attempts.get(i).came(answers == null ? null : answers.get(i), failure);
                    }
                });
    }

    /** A call until its end. Used by one thread after the other. */
    private final class Attempt {

        private final GroupCall call;
        private final int index;
        private final Ends ends;
        private final long deadlineNanos;

        /** Where the call was sent last. */
        private @Nullable Owner owner;

        /** Why it was not carried out here. */
        private @Nullable ErrorReply refusal;

        Attempt(GroupCall call, int index, Ends ends, long deadlineNanos) {
            this.call = call;
            this.index = index;
            this.ends = ends;
            this.deadlineNanos = deadlineNanos;
        }

        private void goAlone() {
            go(List.of(call), List.of(this));
        }

        private void tell(GroupReply reply) {
            ends.ended(index, reply);
        }

        private void end(GroupReply reply) {
            call.requests().release();
            tell(reply);
        }

        private void refused(ErrorReply why) {
            if (why.isRetryable()) {
                again(why.retryAfterNanos(), why.message());
            } else {
                end(GroupReply.not(Outcome.REFUSED, why.message()));
            }
        }

        /** Tries again after a pause, or ends when the time is over. */
        private void again(long pauseNanos, String why) {
            if (clock.nanoTime() - deadlineNanos >= 0) {
                end(GroupReply.not(Outcome.REFUSED, why));
                return;
            }
            try {
                scheduler.schedule(Math.max(LEAST_PAUSE_NANOS, pauseNanos), this::goAlone);
            } catch (RejectedExecutionException e) {
                end(GroupReply.not(Outcome.REFUSED, "this storage peer is stopping"));
            }
        }

        private void send(Owner to) {
            owner = to;
            StorageProbe.GROUP_CALL_FORWARDED.hit();
            var _ = rpc.callUnlessRefused(
                            to.address,
                            to.nid,
                            MessageType.GROUP_CALL,
                            out -> GroupCallBytes.write(call, to.open, out),
                            GroupCallBytes::readReply,
                            CALL_TIMEOUT_NANOS)
                    .whenComplete(this::came);
        }

        private void came(GroupCallBytes.@Nullable Answer answer, @Nullable Throwable failure) {
            Owner asked = Objects.requireNonNull(owner);
            if (answer == null) {
                failed(asked, failure instanceof CompletionException e ? e.getCause() : failure);
            } else {
                answered(asked, answer);
            }
        }

        private void answered(Owner asked, GroupCallBytes.Answer answer) {
            GroupReply reply = answer.reply();
            if (reply == null && answer.why() == GroupCalls.NOT_OWNER) {
                owners.compareAndSet(call.group(), asked, null);
                ownerHasChanged.run();
                again(LOOK_AGAIN_NANOS, answer.message());
            } else if (reply == null) {
                // There was no room for its replies, or it makes no sense, which is told to those that go alone.
                again(LEAST_PAUSE_NANOS, answer.message());
            } else if (reply.outcome() == Outcome.REFUSED) {
                again(LOOK_AGAIN_NANOS, reply.message());
            } else {
                if (asked.open) {
                    owners.compareAndSet(call.group(), asked, new Owner(asked.nid, asked.address, false));
                }
                end(reply);
            }
        }

        private void failed(Owner asked, @Nullable Throwable failure) {
            owners.compareAndSet(call.group(), asked, null);
            ownerHasChanged.run();
            String why = "storage peer " + Nid.toHex(asked.nid) + ": " + (failure == null ? "" : failure.getMessage());
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
                        "no storage peer has the slots " + SlotGroup.nameOf(call.nid()) + " at present");
            } else if (place.nid() == opener.nid()) {
                if (place.placement() == null || opener.isWanted(call.nid())) {
                    opener.open(call.nid(), () -> again(0, "the slot group is being opened here"));
                } else {
                    again(LOOK_AGAIN_NANOS, "the slots " + SlotGroup.nameOf(call.nid()) + " are on their way here");
                }
            } else if (address == null) {
                again(LOOK_AGAIN_NANOS, "the address of " + Nid.toHex(place.nid()) + " is not known yet");
            } else {
                Owner learnt = new Owner(place.nid(), address, place.placement() == null);
                owners.set(call.group(), learnt);
                send(learnt);
            }
        }
    }
}
