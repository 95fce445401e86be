package dev.granary.storage.keyed;

import dev.granary.env.Clock;
import dev.granary.keyed.KeyspaceFullException;
import dev.granary.keyed.command.CommandCall;
import dev.granary.keyed.command.KeyCommands;
import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.resp.ReplyWriter;
import dev.granary.storage.data.KeyedAccess;
import dev.granary.storage.keyed.CallSteps.Step;
import dev.granary.storage.keyed.hot.HotKeySession;
import dev.granary.storage.keyed.hot.HotKeys;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.HeldReplies;
import dev.granary.storage.replicate.HeldReply;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.OwnedZones;
import dev.granary.storage.replicate.ZoneBatch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out calls on slot groups that this peer owns: under the lock of the group's zone, with the changes of a call
 * logged together, and answered when the backups have them (SAFETY rules "acknowledgement", "reads"). What calls have
 * changed that came together goes to the backups together. Thread-safe.
 */
final class GroupExecutor {

    private static final Logger LOG = LoggerFactory.getLogger(GroupExecutor.class);

    /** The bytes of a logged entry beside what the client sent. */
    private static final int LOGGED_BYTES = 100;

    private static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";
    private static final ErrorReply MAKING_WAY =
            ErrorReply.retryLater(1_000_000, "keys are being evicted to make way for the change");

    /** How many keys a call removes at most from the slot group in which it has found no room. */
    private static final int EVICTED_INSIDE = 64;

    private final Clock clock;
    private final KeyedAccess access;
    private final KeyedGroups groups;
    private final ByteBufAllocator allocator;
    private final Durability durability;
    private final KeyedCounts counts;
    private final KeyEviction eviction;
    private final HotKeys hotKeys;
    private final CallSteps steps;
    private final KeyCommands commands = new KeyCommands();

    /** A batch has a buffer of some KiB: too much to make one for each call. */
    private final ThreadLocal<ZoneBatch> batches;

    GroupExecutor(
            Clock clock,
            KeyedAccess access,
            KeyedGroups groups,
            ByteBufAllocator allocator,
            Durability durability,
            KeyedCounts counts,
            KeyEviction eviction,
            HotKeys hotKeys) {
        this.clock = clock;
        this.access = access;
        this.groups = groups;
        this.allocator = allocator;
        this.durability = durability;
        this.counts = counts;
        this.eviction = eviction;
        this.hotKeys = hotKeys;
        this.steps = new CallSteps(allocator);
        this.batches = ThreadLocal.withInitial(() -> new ZoneBatch(allocator));
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
        ReplyWriter reply = new ReplyWriter(out, call.protocol());
        EmptyKeyspace empty = new EmptyKeyspace(clock.wallMillis());
        requests.forEach(step -> commands.run(new CommandCall(step.command(), step.request(), empty, reply)));
        return out;
    }

    /** Returns whether a call changes keys; true also when its requests make no sense. */
    boolean isChange(GroupCall call) {
        return steps.isChange(call);
    }

    private Durability durabilityOf(GroupCall call) {
        Durability asked = call.durability();
        return asked == null ? durability : asked;
    }

    private @Nullable Executed execute(
            KeyedAccess.Inside inside, GroupCall call, List<Step> requests, int index, Ends ends) {
        boolean change = CallSteps.isChange(requests);
        ErrorReply refusal = inside.refusal(call.nid(), change);
        if (refusal != null) {
            return refuse(ends, index, refusal);
        }
        KeyedGroups.Found found = groups.find(inside, call.nid());
        KeyedGroup group = found.group();
        if (group == null) {
            return refuse(ends, index, Objects.requireNonNull(found.refusal()));
        }
        long expectedBytes = change ? call.requests().readableBytes() + (long) LOGGED_BYTES * requests.size() : 0;
        refusal = change ? group.zone().refusal() : null;
        if (refusal != null) {
            return refuse(ends, index, refusal);
        }
        boolean grows = CallSteps.grows(requests);
        long wanted = grows ? expectedBytes + indexBytes(group, requests) : 0;
        KeyEviction.Outcome way = grows ? eviction.lend(wanted) : KeyEviction.Outcome.NO_USE;
        if (way == KeyEviction.Outcome.MORE) {
            return refuse(ends, index, MAKING_WAY);
        }
        try (KeyedLoan loan = new KeyedLoan(group.keyedMemory(), way == KeyEviction.Outcome.ROOM ? wanted : 0)) {
            return execute(inside, group, call, requests, expectedBytes, loan, index, ends);
        }
    }

    private @Nullable Executed execute(
            KeyedAccess.Inside inside,
            KeyedGroup group,
            GroupCall call,
            List<Step> requests,
            long expectedBytes,
            KeyedLoan loan,
            int index,
            Ends ends) {
        OwnedZones zones = inside.zones();
        ErrorReply refusal = zones.admit(expectedBytes, 0);
        if (refusal != null) {
            return refuse(ends, index, refusal);
        }
        ByteBuf out = allocator.buffer();
        boolean kept = false;
        try {
            Result result = underLock(inside, group, call, requests, expectedBytes, loan, out);
            loan.close();
            refusal = result.lack != null && makesWay(result.lack) ? MAKING_WAY : result.refusal;
            if (refusal == null && result.sequence == 0 && !result.watchBroken && inside.isReadTooLate(call.nid())) {
                refusal = ErrorReply.retryLater(1_000_000, "the slot group has just got another owner");
            }
            if (refusal != null) {
                group.zone().send();
                return refuse(ends, index, refusal);
            }
            if (result.watchBroken) {
                StorageProbe.WATCH_BROKEN.hit();
                ends.done(index, GroupReply.not(GroupReply.Outcome.WATCH_BROKEN, "a watched key has changed"));
                return null;
            }
            kept = true;
            return new Executed(index, zones, group.zone(), durabilityOf(call), result, out);
        } catch (ZoneBatch.NoRoomException e) {
            return refuse(
                    ends,
                    index,
                    ErrorReply.retryLater(20_000_000, "there is no memory for the batch that goes to backups"));
        } catch (Throwable thrown) {
            group.zone().send();
            throw thrown;
        } finally {
            zones.carriedOut(expectedBytes, 0);
            if (!kept) {
                out.release();
            }
        }
    }

    /**
     * A call that was carried out.
     *
     * @param call its place in the list
     * @param out its replies
     */
    private record Executed(
            int call, OwnedZones zones, OwnedZone zone, Durability durability, Result result, ByteBuf out) {

        boolean changed() {
            return result.sequence != 0;
        }

        void send() {
            if (changed()) {
                zone.send();
            }
        }
    }

    /**
     * What a call has led to.
     *
     * @param lack what there was not for its first change; it has changed nothing, and can be carried out again
     */
    private record Result(
            @Nullable ErrorReply refusal,
            boolean watchBroken,
            @Nullable KeyedLack lack,
            long sequence,
            long hidden,
            long hiddenUntilSynced) {

        static Result refused(ErrorReply refusal) {
            return new Result(refusal, false, null, 0, 0, 0);
        }
    }

    /** Returns what the index may take for the keys of a call: pages are full at about the same time. */
    private static long indexBytes(KeyedGroup group, List<Step> requests) {
        int keys = 0;
        for (Step step : requests) {
            keys += step.request().count() - 1;
        }
        return KeyIndex.GROWTH_BYTES + Math.min(group.indexBytes(), (long) keys * KeyIndex.GROWTH_BYTES);
    }

    /** Makes way where the call has found no room. Returns whether it is worth trying again. */
    private boolean makesWay(KeyedLack lack) {
        return switch (lack.kind()) {
            case BYTES -> eviction.makeWay(lack.bytes()) != KeyEviction.Outcome.NO_USE;
            case CHUNK_MEMORY -> eviction.makeBlock(lack.bytes(), lack.isPassing()) != KeyEviction.Outcome.NO_USE;
            case INDEX, LIDS -> false;
        };
    }

    /** Makes way inside the slot group, for a call that has found no room there. Returns whether there is room now. */
    private boolean makesWayInside(KeyedGroup group, GroupKeyspace keys, KeyedLack lack) {
        EvictionPolicy policy = eviction.policy();
        GroupEviction inside = new GroupEviction(group, keys, policy.way());
        return switch (lack.kind()) {
            case BYTES, CHUNK_MEMORY -> false;
            case INDEX -> inside.evictBeside(lack.hash(), EVICTED_INSIDE) > 0;
            // More LIDs have been asked for, as long as there are any.
            case LIDS -> policy.evicts() && (group.lidLimit() <= KeyIndex.MAX_LID || inside.evict(EVICTED_INSIDE) > 0);
        };
    }

    private Result underLock(
            KeyedAccess.Inside inside,
            KeyedGroup group,
            GroupCall call,
            List<Step> requests,
            long expectedBytes,
            KeyedLoan loan,
            ByteBuf out) {
        OwnedZone zone = group.zone();
        boolean change = expectedBytes > 0;
        ZoneBatch batch = batches.get();
        zone.lock();
        try {
            if (zone.isEnded() || !groups.isPresent(group)) {
                return Result.refused(ErrorReply.retryLater(1_000_000, "the slot group has just got another owner"));
            }
            GroupKeyspace keys =
                    new GroupKeyspace(group, clock.wallMillis(), durabilityOf(call) == Durability.SYNCED, loan);
            for (GroupCall.WatchedKey watched : call.watched()) {
                if (!keys.isUnchanged(watched.key(), watched.mark())) {
                    return new Result(null, true, null, 0, 0, 0);
                }
            }
            if (change) {
                batch.start(zone);
                batch.reserve(expectedBytes);
            }
            long sequence = 0;
            KeyedLack lack = null;
            boolean again = false;
            try {
                ReplyWriter reply = new ReplyWriter(out, call.protocol());
                for (int i = 0; i < requests.size() && (change || out.readableBytes() < call.replyBytes()); i++) {
                    runAndNote(requests.get(i), keys, reply);
                }
                lack = keys.hasChanged() ? null : keys.lack();
                again = lack != null && makesWayInside(group, keys, lack);
            } finally {
                // Also when a command throws: what is in memory must be in the log.
                sequence = change ? keys.log(batch) : 0;
                long[] cids = keys.changedCids();
                inside.noteChanged(cids, cids.length);
                counts.removed(keys.expired(), keys.evicted());
                if (group.isShortOfLids()) {
                    groups.extend(group);
                }
            }
            if (again) {
                return Result.refused(MAKING_WAY);
            }
            counts.found(keys.hits(), keys.misses());
            return new Result(null, false, lack, sequence, keys.hidden(), keys.hiddenUntilSynced());
        } finally {
            zone.unlock();
            batch.release();
        }
    }

    /** Carries out a request, and adds it to the keys that are looked at, if there are any. */
    private void runAndNote(Step step, GroupKeyspace keys, ReplyWriter reply) {
        HotKeySession looking = hotKeys.active();
        if (looking == null) {
            run(step, keys, reply);
            return;
        }
        int mark = reply.out().writerIndex();
        long beginNanos = clock.nanoTime();
        run(step, keys, reply);
        long endNanos = clock.nanoTime();
        long bytes = (long) step.request().sizeBytes() + reply.out().writerIndex() - mark;
        looking.add(step.command(), step.request(), endNanos, endNanos - beginNanos, bytes);
    }

    private void run(Step step, GroupKeyspace keys, ReplyWriter reply) {
        CommandCall call = new CommandCall(step.command(), step.request(), keys, reply);
        int mark = reply.out().writerIndex();
        String name = step.command().name();
        try {
            if (name.equals(CallSteps.WATCH)) {
                reply.array(call.count() - 1);
                for (int i = 1; i < call.count(); i++) {
                    reply.integer(keys.watchMark(call.argument(i)));
                }
            } else if (commands.has(name)) {
                commands.run(call);
            } else {
                reply.error("ERR '" + name + "' is not there yet");
            }
        } catch (KeyspaceFullException e) {
            reply.out().writerIndex(mark);
            reply.error(OUT_OF_MEMORY);
            StorageProbe.KEYS_FULL.hit();
        }
    }

    /** Answers a call when the backups have what it has changed or seen. */
    private void answer(Executed executed, BooleanSupplier isCallerThere, Ends ends) {
        Result result = executed.result;
        OwnedZone zone = executed.zone;
        boolean changed = executed.changed();
        boolean waits = changed && executed.durability != Durability.ASYNC;
        long shown = Math.max(result.hidden, waits ? result.sequence : 0);
        long shownSynced = Math.max(
                result.hiddenUntilSynced, waits && executed.durability == Durability.SYNCED ? result.sequence : 0);
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
