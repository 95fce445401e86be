package dev.granary.storage.keyed;

import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.storage.data.KeyedAccess;
import dev.granary.storage.keyed.CallSteps.Step;
import dev.granary.storage.keyed.GroupWork.Result;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.HeldReplies;
import dev.granary.storage.replicate.HeldReply;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.OwnedZones;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out calls on slot groups that this peer owns, and answers them when the backups have what they have changed
 * or seen (SAFETY rules "acknowledgement", "reads"). What calls have changed that came together goes to the backups
 * together. Thread-safe.
 */
final class GroupExecutor {

    private static final Logger LOG = LoggerFactory.getLogger(GroupExecutor.class);

    private final KeyedAccess access;
    private final ByteBufAllocator allocator;
    private final Durability durability;
    private final KeyedCounts counts;
    private final CallSteps steps;
    private final GroupWork work;

    /** @param durability of changes whose calls ask for none */
    GroupExecutor(
            KeyedAccess access, ByteBufAllocator allocator, Durability durability, KeyedCounts counts, GroupWork work) {
        this.access = access;
        this.allocator = allocator;
        this.durability = durability;
        this.counts = counts;
        this.steps = new CallSteps(allocator);
        this.work = work;
    }

    /** Takes what becomes of calls. Each one ends once, with one of the methods. */
    interface Ends {

        /**
         * Nothing was carried out. Called before {@link GroupExecutor#execute} returns.
         *
         * @param why {@link ErrorCode#NOT_FOUND} when this peer does not own the group
         */
        void refused(int call, ErrorReply why);

        /** Nothing was carried out, because the replies to the calls before are large already. Called as the former. */
        default void leftOut(int call) {
            throw new IllegalStateException("call " + call + " was left out, without a limit of the replies");
        }

        /** A call was taken, and this is its end. Called by any thread, also before the method returns. */
        void done(int call, GroupReply reply);
    }

    /**
     * Carries out calls on groups that this peer owns, one after the other. The caller keeps their requests.
     *
     * @param isCallerThere whether there is still somebody to take the answers
     * @param mostReplyBytes once the replies are as large, further calls are left out
     * @param ends told of each call by its place in the list
     */
    void execute(List<GroupCall> calls, BooleanSupplier isCallerThere, long mostReplyBytes, Ends ends) {
        List<Executed> executed = new ArrayList<>(calls.size());
        try (KeyedAccess.Inside inside = access.enter()) {
            try {
                long replyBytes = 0;
                for (int i = 0; i < calls.size(); i++) {
                    if (replyBytes >= mostReplyBytes) {
                        ends.leftOut(i);
                        continue;
                    }
                    Executed next = execute(inside, calls.get(i).within(mostReplyBytes - replyBytes), i, ends);
                    if (next != null) {
                        replyBytes += next.out.readableBytes();
                        executed.add(next);
                    }
                }
            } finally {
                // Also when one has failed: what is in memory must get to the backups.
                executed.forEach(each -> each.send());
            }
            executed.forEach(each -> answer(each, isCallerThere, ends));
        }
    }

    private static @Nullable Executed refuse(Ends ends, int call, ErrorReply why) {
        ends.refused(call, why);
        return null;
    }

    /** Carries out a call, and returns what is to be answered; null when it has ended. */
    private @Nullable Executed execute(KeyedAccess.@Nullable Inside inside, GroupCall call, int index, Ends ends) {
        if (inside == null) {
            return refuse(ends, index, ErrorReply.of(ErrorCode.SHUTTING_DOWN, "this storage peer does not serve"));
        }
        List<Step> requests;
        try {
            requests = steps.of(call);
        } catch (IllegalArgumentException e) {
            return refuse(ends, index, ErrorReply.of(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage())));
        }
        try {
            return execute(inside, call, requests, index, ends);
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.atError().setCause(e).log("a call on a slot group failed");
            ends.done(index, GroupReply.not(GroupReply.Outcome.UNKNOWN, String.valueOf(e.getMessage())));
            return null;
        }
    }

    private @Nullable Executed execute(
            KeyedAccess.Inside inside, GroupCall call, List<Step> requests, int index, Ends ends) {
        Durability asked = call.durability() == null ? durability : call.durability();
        GroupWork.Order order = new GroupWork.Order(
                call.nid(),
                requests,
                call.watched(),
                call.requests().readableBytes(),
                asked == Durability.SYNCED,
                call.replyBytes(),
                false);
        ByteBuf out = allocator.buffer();
        boolean kept = false;
        try {
            Result result = work.carryOut(inside, order, new ReplyWriter(out, call.protocol()));
            ErrorReply refusal = result.refusal();
            if (refusal != null) {
                return refuse(ends, index, refusal);
            }
            if (result.isWatchBroken()) {
                StorageProbe.WATCH_BROKEN.hit();
                ends.done(index, GroupReply.not(GroupReply.Outcome.WATCH_BROKEN, "a watched key has changed"));
                return null;
            }
            counts.found(result.hits(), result.misses());
            kept = true;
            return new Executed(index, inside.zones(), asked, result, out);
        } finally {
            if (!kept) {
                out.release();
            }
        }
    }

    /**
     * Carries out a request at once, if this peer owns the group and no backup must have anything before the reply may
     * be shown (ADR 0321).
     *
     * @param request is only read
     * @param reply gets the reply when it returns {@link KeyedCalls.AtOnce#ANSWERED}; nothing otherwise
     */
    KeyedCalls.AtOnce tryAtOnce(int group, Command command, Request request, ReplyWriter reply) {
        int mark = reply.out().writerIndex();
        KeyedCalls.AtOnce end = KeyedCalls.AtOnce.NOT_DONE;
        try (KeyedAccess.Inside inside = access.enter()) {
            if (inside != null) {
                end = tryAtOnce(inside, group, new Step(command, request), reply);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.atError().setCause(e).log("a request on a slot group failed");
            end = CallSteps.isChange(command) ? KeyedCalls.AtOnce.UNKNOWN : KeyedCalls.AtOnce.NOT_DONE;
        }
        if (end != KeyedCalls.AtOnce.ANSWERED) {
            reply.out().writerIndex(mark);
        }
        return end;
    }

    private KeyedCalls.AtOnce tryAtOnce(KeyedAccess.Inside inside, int group, Step step, ReplyWriter reply) {
        GroupWork.Order order = new GroupWork.Order(
                SlotGroup.nid(group),
                List.of(step),
                List.of(),
                step.request().sizeBytes(),
                durability == Durability.SYNCED,
                Integer.MAX_VALUE,
                true);
        Result result = work.carryOut(inside, order, reply);
        if (result.refusal() != null) {
            return KeyedCalls.AtOnce.NOT_DONE;
        }
        OwnedZone zone = result.ownedZone();
        boolean shown = zone.holds(Math.max(result.sequence(), result.hidden()), false)
                && zone.holds(result.hiddenUntilSynced(), true)
                && access.hasLease();
        if (shown) {
            counts.found(result.hits(), result.misses());
            StorageProbe.KEY_ANSWERED_AT_ONCE.hit();
            return KeyedCalls.AtOnce.ANSWERED;
        }
        return result.sequence() == 0 ? KeyedCalls.AtOnce.NOT_DONE : KeyedCalls.AtOnce.UNKNOWN;
    }

    /**
     * Answers a call on a group that nobody has, as far as that needs no group: if it reads, or removes all keys.
     *
     * @return the replies, which the caller releases; null when the group must be opened
     */
    @Nullable
    ByteBuf answerWithoutGroup(GroupCall call) {
        List<Step> requests;
        try {
            requests = steps.of(call);
        } catch (IllegalArgumentException e) {
            return null;
        }
        if (requests.stream()
                .anyMatch(step ->
                        CallSteps.isChange(step.command()) && step.command().hasKeys())) {
            return null;
        }
        ByteBuf out = allocator.buffer();
        work.runWithoutGroup(requests, new ReplyWriter(out, call.protocol()));
        return out;
    }

    /** Returns whether a call changes keys; true also when its requests make no sense. */
    boolean isChange(GroupCall call) {
        return steps.isChange(call);
    }

    /**
     * A call that was carried out.
     *
     * @param call its place in the list
     * @param out its replies
     */
    private record Executed(int call, OwnedZones zones, Durability durability, Result result, ByteBuf out) {

        boolean changed() {
            return result.sequence() != 0;
        }

        void send() {
            if (changed()) {
                result.ownedZone().send();
            }
        }
    }

    /** Answers a call when the backups have what it has changed or seen. */
    private void answer(Executed executed, BooleanSupplier isCallerThere, Ends ends) {
        Result result = executed.result;
        OwnedZone zone = result.ownedZone();
        boolean changed = executed.changed();
        boolean waits = changed && executed.durability != Durability.ASYNC;
        long shown = Math.max(result.hidden(), waits ? result.sequence() : 0);
        long shownSynced = Math.max(
                result.hiddenUntilSynced(), waits && executed.durability == Durability.SYNCED ? result.sequence() : 0);
        if (zone.holds(shown, false) && zone.holds(shownSynced, true)) {
            show(executed, null, ends);
            return;
        }
        StorageProbe.KEY_HELD.hitIf(!changed);
        long limitNanos = changed ? HeldReplies.CHANGE_NANOS : HeldReplies.READ_NANOS;
        HeldReply held = executed.zones
                .held()
                .hold(isCallerThere, executed.out.capacity(), limitNanos, refusal -> show(executed, refusal, ends));
        zone.await(shown, false, held);
        zone.await(shownSynced, true, held);
        held.begun();
    }

    private void show(Executed executed, @Nullable ErrorReply refusal, Ends ends) {
        if (refusal == null && access.hasLease()) {
            ends.done(executed.call, GroupReply.done(executed.out));
            return;
        }
        executed.out.release();
        StorageProbe.GROUP_CHANGE_UNKNOWN.hitIf(executed.changed());
        String why = refusal != null ? refusal.message() : "the lease of this storage peer has ended";
        ends.done(
                executed.call,
                GroupReply.not(executed.changed() ? GroupReply.Outcome.UNKNOWN : GroupReply.Outcome.REFUSED, why));
    }
}
