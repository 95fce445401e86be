package dev.granary.storage.keyed;

import dev.granary.env.Clock;
import dev.granary.keyed.KeyspaceFullException;
import dev.granary.keyed.command.CommandCall;
import dev.granary.keyed.command.KeyCommands;
import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandErrors;
import dev.granary.resp.command.CommandFlag;
import dev.granary.resp.command.CommandTable;
import dev.granary.storage.data.KeyedAccess;
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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out calls on slot groups that this peer owns: under the lock of the group's zone, with the changes of a call
 * logged together, and answered when the backups have them (SAFETY rules "acknowledgement", "reads"). Thread-safe.
 */
final class GroupExecutor {

    /** The bytes of a logged entry beside what the client sent. */
    private static final int LOGGED_BYTES = 100;

    private static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";
    private static final String WATCH = "watch";

    private final Clock clock;
    private final KeyedAccess access;
    private final KeyedGroups groups;
    private final ByteBufAllocator allocator;
    private final Durability durability;
    private final KeyedCounts counts;
    private final CommandTable table = CommandTable.redis();
    private final KeyCommands commands = new KeyCommands();

    /** A batch has a buffer of some KiB: too much to make one for each call. */
    private final ThreadLocal<ZoneBatch> batches;

    GroupExecutor(
            Clock clock,
            KeyedAccess access,
            KeyedGroups groups,
            ByteBufAllocator allocator,
            Durability durability,
            KeyedCounts counts) {
        this.clock = clock;
        this.access = access;
        this.groups = groups;
        this.allocator = allocator;
        this.durability = durability;
        this.counts = counts;
        this.batches = ThreadLocal.withInitial(() -> new ZoneBatch(allocator));
    }

    /** A request of a call with its command. */
    private record Step(Command command, Request request) {}

    /**
     * Carries out a call if this peer owns the group. The caller keeps the call's requests.
     *
     * @param isCallerThere whether there is still somebody to take the answer
     * @param done called once, by any thread, also before this method returns, if this returns null
     * @return why nothing was carried out, {@link ErrorCode#NOT_FOUND} when this peer does not own the group; null when
     *     the call was taken
     */
    @Nullable
    ErrorReply execute(GroupCall call, BooleanSupplier isCallerThere, Consumer<GroupReply> done) {
        List<Step> steps;
        try {
            steps = stepsOf(call);
        } catch (IllegalArgumentException e) {
            return ErrorReply.of(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()));
        }
        try (KeyedAccess.Inside inside = access.enter()) {
            if (inside == null) {
                return ErrorReply.of(ErrorCode.SHUTTING_DOWN, "this storage peer does not serve");
            }
            return execute(inside, call, steps, isChange(steps), isCallerThere, done);
        } finally {
            steps.forEach(step -> step.request.release());
        }
    }

    /**
     * Answers a call on a group that nobody has, as far as that needs no group: if it reads, or removes all keys.
     *
     * @return the replies, which the caller releases; null when the group must be opened
     */
    @Nullable
    ByteBuf answerWithoutGroup(GroupCall call) {
        List<Step> steps;
        try {
            steps = stepsOf(call);
        } catch (IllegalArgumentException e) {
            return null;
        }
        try {
            if (steps.stream().anyMatch(step -> isChange(step.command) && step.command.hasKeys())) {
                return null;
            }
            ByteBuf out = allocator.buffer();
            ReplyWriter reply = new ReplyWriter(out, call.protocol());
            EmptyKeyspace empty = new EmptyKeyspace(clock.wallMillis());
            steps.forEach(step -> commands.run(new CommandCall(step.command, step.request, empty, reply)));
            return out;
        } finally {
            steps.forEach(step -> step.request.release());
        }
    }

    /** Returns whether a call changes keys; true also when its requests make no sense. */
    boolean isChange(GroupCall call) {
        try {
            List<Step> steps = stepsOf(call);
            steps.forEach(step -> step.request.release());
            return isChange(steps);
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    /**
     * Removes entries of a group that have expired, of those from a LID on.
     *
     * @param looks at how many entries to look
     * @return the LID to go on with; 0 at the end, or when nothing can be removed at present
     */
    int removeExpired(KeyedGroup group, int fromLid, int looks) {
        try (KeyedAccess.Inside inside = access.enter()) {
            if (inside == null
                    || inside.refusal(group.nid(), true) != null
                    || group.zone().refusal() != null
                    || inside.zones().admit(0, 0) != null) {
                return 0;
            }
            try {
                return removeExpired(inside, group, fromLid, looks);
            } finally {
                inside.zones().carriedOut(0, 0);
                group.zone().send();
            }
        }
    }

    private int removeExpired(KeyedAccess.Inside inside, KeyedGroup group, int fromLid, int looks) {
        OwnedZone zone = group.zone();
        ZoneBatch batch = batches.get();
        zone.lock();
        try {
            if (zone.isEnded() || !groups.isPresent(group)) {
                return 0;
            }
            GroupKeyspace keys = new GroupKeyspace(group, clock.wallMillis(), durability == Durability.SYNCED);
            int next = keys.removeExpired(fromLid, looks);
            keys.log(batch);
            long[] cids = keys.changedCids();
            inside.noteChanged(cids, cids.length);
            counts.add(0, 0, keys.expired());
            StorageProbe.EXPIRED_KEY_REMOVED.hitIf(cids.length > 0);
            return next;
        } finally {
            zone.unlock();
            batch.release();
        }
    }

    private static boolean isChange(List<Step> steps) {
        for (Step step : steps) {
            if (isChange(step.command)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isChange(Command command) {
        // To watch a key may remove it, because it has expired.
        return command.flags().contains(CommandFlag.WRITE) || command.name().equals(WATCH);
    }

    private List<Step> stepsOf(GroupCall call) {
        List<Step> steps = new ArrayList<>(call.count());
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, allocator)) {
            decoder.authenticated(true);
            decoder.add(call.requests().retainedSlice());
            while (decoder.next() == RequestDecoder.Step.REQUEST) {
                Command command = table.find(decoder.request());
                if (command == null || !command.takes(decoder.request().count())) {
                    steps.forEach(step -> step.request.release());
                    throw new IllegalArgumentException(
                            command == null
                                    ? CommandErrors.unknown(table, decoder.request())
                                    : CommandErrors.wrongArity(command));
                }
                steps.add(new Step(command, decoder.request().keep()));
            }
        }
        if (steps.size() != call.count()) {
            steps.forEach(step -> step.request.release());
            throw new IllegalArgumentException(
                    steps.size() + " requests came, and " + call.count() + " were announced");
        }
        return steps;
    }

    private @Nullable ErrorReply execute(
            KeyedAccess.Inside inside,
            GroupCall call,
            List<Step> steps,
            boolean change,
            BooleanSupplier isCallerThere,
            Consumer<GroupReply> done) {
        ErrorReply refusal = inside.refusal(call.nid(), change);
        if (refusal != null) {
            return refusal;
        }
        KeyedGroups.Found found = groups.find(inside, call.nid());
        KeyedGroup group = found.group();
        if (group == null) {
            return found.refusal();
        }
        OwnedZones zones = inside.zones();
        long expectedBytes = change ? call.requests().readableBytes() + (long) LOGGED_BYTES * steps.size() : 0;
        refusal = change ? group.zone().refusal() : null;
        refusal = refusal == null ? zones.admit(expectedBytes, 0) : refusal;
        if (refusal != null) {
            return refusal;
        }
        ByteBuf out = allocator.buffer();
        Result result;
        try {
            result = underLock(inside, group, call, steps, expectedBytes, change, out);
        } catch (ZoneBatch.NoRoomException e) {
            out.release();
            return ErrorReply.retryLater(20_000_000, "there is no memory for the batch that goes to backups");
        } catch (Throwable thrown) {
            out.release();
            group.zone().send();
            throw thrown;
        } finally {
            zones.carriedOut(expectedBytes, 0);
        }
        if (result.refusal != null) {
            out.release();
            return result.refusal;
        }
        if (result.watchBroken) {
            out.release();
            StorageProbe.WATCH_BROKEN.hit();
            done.accept(GroupReply.not(GroupReply.Outcome.WATCH_BROKEN, "a watched key has changed"));
            return null;
        }
        if (result.sequence == 0 && inside.isReadTooLate(call.nid())) {
            out.release();
            return ErrorReply.retryLater(1_000_000, "the slot group has just got another owner");
        }
        answer(zones, group.zone(), result, out, isCallerThere, done);
        return null;
    }

    /** What a call has led to. */
    private record Result(
            @Nullable ErrorReply refusal, boolean watchBroken, long sequence, long hidden, long hiddenUntilSynced) {

        static Result refused(ErrorReply refusal) {
            return new Result(refusal, false, 0, 0, 0);
        }
    }

    private Result underLock(
            KeyedAccess.Inside inside,
            KeyedGroup group,
            GroupCall call,
            List<Step> steps,
            long expectedBytes,
            boolean change,
            ByteBuf out) {
        OwnedZone zone = group.zone();
        ZoneBatch batch = batches.get();
        zone.lock();
        try {
            if (zone.isEnded() || !groups.isPresent(group)) {
                return Result.refused(ErrorReply.retryLater(1_000_000, "the slot group has just got another owner"));
            }
            GroupKeyspace keys = new GroupKeyspace(group, clock.wallMillis(), durability == Durability.SYNCED);
            for (GroupCall.WatchedKey watched : call.watched()) {
                if (!keys.isUnchanged(watched.key(), watched.mark())) {
                    return new Result(null, true, 0, 0, 0);
                }
            }
            if (change) {
                batch.start(zone);
                batch.reserve(expectedBytes);
            }
            long sequence = 0;
            try {
                ReplyWriter reply = new ReplyWriter(out, call.protocol());
                for (Step step : steps) {
                    run(step, keys, reply);
                }
            } finally {
                // Also when a command throws: what is in memory must be in the log.
                sequence = change ? keys.log(batch) : 0;
                long[] cids = keys.changedCids();
                inside.noteChanged(cids, cids.length);
                counts.add(keys.hits(), keys.misses(), keys.expired());
                if (keys.lacksLids()) {
                    groups.extend(group);
                }
            }
            return new Result(null, false, sequence, keys.hidden(), keys.hiddenUntilSynced());
        } finally {
            zone.unlock();
            batch.release();
        }
    }

    private void run(Step step, GroupKeyspace keys, ReplyWriter reply) {
        CommandCall call = new CommandCall(step.command, step.request, keys, reply);
        int mark = reply.out().writerIndex();
        try {
            if (step.command.name().equals(WATCH)) {
                reply.array(call.count() - 1);
                for (int i = 1; i < call.count(); i++) {
                    reply.integer(keys.watchMark(call.argument(i)));
                }
            } else if (commands.has(step.command.name())) {
                commands.run(call);
            } else {
                reply.error("ERR '" + step.command.name() + "' is not there yet");
            }
        } catch (KeyspaceFullException e) {
            reply.out().writerIndex(mark);
            reply.error(OUT_OF_MEMORY);
            StorageProbe.KEYS_FULL.hit();
        }
    }

    /** Sends the changes to the backups, and the answer when they have them. */
    private void answer(
            OwnedZones zones,
            OwnedZone zone,
            Result result,
            ByteBuf out,
            BooleanSupplier isCallerThere,
            Consumer<GroupReply> done) {
        boolean changed = result.sequence != 0;
        if (changed) {
            zone.send();
        }
        boolean waits = changed && durability != Durability.ASYNC;
        long shown = Math.max(result.hidden, waits ? result.sequence : 0);
        long shownSynced =
                Math.max(result.hiddenUntilSynced, waits && durability == Durability.SYNCED ? result.sequence : 0);
        if (zone.holds(shown, false) && zone.holds(shownSynced, true)) {
            show(out, changed, null, done);
            return;
        }
        StorageProbe.KEY_HELD.hitIf(!changed);
        long limitNanos = changed ? HeldReplies.CHANGE_NANOS : HeldReplies.READ_NANOS;
        HeldReply held = zones.held()
                .hold(isCallerThere, out.capacity(), limitNanos, refusal -> show(out, changed, refusal, done));
        zone.await(shown, false, held);
        zone.await(shownSynced, true, held);
        held.begun();
    }

    private void show(ByteBuf out, boolean changed, @Nullable ErrorReply refusal, Consumer<GroupReply> done) {
        if (refusal == null && access.hasLease()) {
            done.accept(GroupReply.done(out));
            return;
        }
        out.release();
        StorageProbe.GROUP_CHANGE_UNKNOWN.hitIf(changed);
        String why = refusal != null ? refusal.message() : "the lease of this storage peer has ended";
        done.accept(GroupReply.not(changed ? GroupReply.Outcome.UNKNOWN : GroupReply.Outcome.REFUSED, why));
    }
}
