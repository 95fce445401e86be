package dev.granary.storage.keyed;

import dev.granary.env.Clock;
import dev.granary.keyed.KeyspaceFullException;
import dev.granary.keyed.command.CommandCall;
import dev.granary.keyed.command.KeyCommands;
import dev.granary.net.message.ErrorReply;
import dev.granary.resp.ReplyWriter;
import dev.granary.storage.data.KeyedAccess;
import dev.granary.storage.keyed.CallSteps.Step;
import dev.granary.storage.keyed.hot.HotKeySession;
import dev.granary.storage.keyed.hot.HotKeys;
import dev.granary.storage.keyed.hot.KeyHeat;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.ZoneBatch;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Carries out requests on a slot group that this peer owns: under the lock of the group's zone, with all changes logged
 * as one batch (SAFETY rules "acknowledgement", "reads"). What may be shown of it, and when, is up to the caller.
 * Thread-safe.
 */
final class GroupWork {

    /** The bytes of a logged entry beside what the client sent. */
    private static final int LOGGED_BYTES = 100;

    private static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";

    private static final ErrorReply MAKING_WAY =
            ErrorReply.retryLater(1_000_000, "keys are being evicted to make way for the change");

    private static final ErrorReply NEW_OWNER =
            ErrorReply.retryLater(1_000_000, "the slot group has just got another owner");

    private static final ErrorReply NO_ROOM =
            ErrorReply.retryLater(20_000_000, "there is no memory for the batch that goes to backups");

    private static final ErrorReply NOT_AT_ONCE =
            ErrorReply.retryLater(1, "the answer must wait for the backups of the slot group");

    /** How many keys a call removes at most from the slot group in which it has found no room. */
    private static final int EVICTED_INSIDE = 64;

    private final Clock clock;
    private final KeyedGroups groups;
    private final KeyedCounts counts;
    private final KeyEviction eviction;
    private final HotKeys hotKeys;
    private final KeyCommands commands = new KeyCommands();

    /** A batch has a buffer of some KiB: too much to make one for each call. */
    private final ThreadLocal<ZoneBatch> batches;

    GroupWork(
            Clock clock,
            KeyedGroups groups,
            ByteBufAllocator allocator,
            KeyedCounts counts,
            KeyEviction eviction,
            HotKeys hotKeys) {
        this.clock = clock;
        this.groups = groups;
        this.counts = counts;
        this.eviction = eviction;
        this.hotKeys = hotKeys;
        this.batches = ThreadLocal.withInitial(() -> new ZoneBatch(allocator));
    }

    /**
     * Requests on one group that are carried out as one.
     *
     * @param nid of the group
     * @param watched keys that must not have changed, or nothing is carried out
     * @param requestBytes the size of the requests
     * @param sync whether backups must sync the changes
     * @param replyBytes requests that change nothing end behind the reply that takes the replies to this size
     * @param atOnce whether changes are refused if their answer must wait for backups
     */
    record Order(
            int nid,
            List<Step> steps,
            List<GroupCall.WatchedKey> watched,
            long requestBytes,
            boolean sync,
            int replyBytes,
            boolean atOnce) {

        boolean isChange() {
            return CallSteps.isChange(steps);
        }
    }

    /**
     * What has become of an order.
     *
     * @param refusal why nothing was carried out; null if it was, or if a watched key had changed
     * @param zone null when nothing was carried out
     * @param sequence of the last batch with changes; 0 when nothing has changed
     * @param hidden the sequence that backups must hold before the replies are shown, as far as they tell of others
     * @param hiddenUntilSynced the same as far as backups must have synced
     * @param hits how often a key was looked for and was there
     * @param misses how often it was not
     */
    record Result(
            @Nullable ErrorReply refusal,
            @Nullable OwnedZone zone,
            long sequence,
            long hidden,
            long hiddenUntilSynced,
            int hits,
            int misses) {

        static Result refused(ErrorReply why) {
            return new Result(why, null, 0, 0, 0, 0, 0);
        }

        static Result watchBroken() {
            return new Result(null, null, 0, 0, 0, 0, 0);
        }

        static Result of(OwnedZone zone, long sequence, GroupKeyspace keys) {
            return new Result(
                    null, zone, sequence, keys.hidden(), keys.hiddenUntilSynced(), keys.hits(), keys.misses());
        }

        /** Returns whether nothing was carried out because a watched key had changed. */
        boolean isWatchBroken() {
            return refusal == null && zone == null;
        }

        /** Returns the zone of the group of an order that was carried out. */
        OwnedZone ownedZone() {
            return Objects.requireNonNull(zone);
        }
    }

    /**
     * What has happened under the lock.
     *
     * @param lack what there was not for the first change; nothing has changed, and it can be carried out again
     */
    private record Locked(Result result, @Nullable KeyedLack lack) {}

    /**
     * Carries requests out. If it throws, nobody knows what was carried out; what has changed is logged.
     *
     * @param reply takes the replies; what it has got of requests that were not carried out means nothing
     */
    Result carryOut(KeyedAccess.Inside inside, Order order, ReplyWriter reply) {
        boolean change = order.isChange();
        ErrorReply refusal = inside.refusal(order.nid, change);
        if (refusal != null) {
            return Result.refused(refusal);
        }
        KeyedGroups.Found found = groups.find(inside, order.nid);
        KeyedGroup group = found.group();
        if (group == null) {
            return Result.refused(Objects.requireNonNull(found.refusal()));
        }
        if (!change) {
            return admit(inside, group, order, 0, new KeyedLoan(group.keyedMemory(), 0), reply);
        }
        refusal = order.atOnce && group.zone().isLogged()
                ? NOT_AT_ONCE
                : group.zone().refusal();
        if (refusal != null) {
            return Result.refused(refusal);
        }
        long expectedBytes = order.requestBytes + (long) LOGGED_BYTES * order.steps.size();
        boolean grows = CallSteps.grows(order.steps);
        long wanted = grows ? expectedBytes + indexBytes(group, order.steps) : 0;
        KeyEviction.Outcome way = grows ? eviction.lend(wanted) : KeyEviction.Outcome.NO_USE;
        if (way == KeyEviction.Outcome.MORE) {
            return Result.refused(MAKING_WAY);
        }
        try (KeyedLoan loan = new KeyedLoan(group.keyedMemory(), way == KeyEviction.Outcome.ROOM ? wanted : 0)) {
            return admit(inside, group, order, expectedBytes, loan, reply);
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

    private Result admit(
            KeyedAccess.Inside inside,
            KeyedGroup group,
            Order order,
            long expectedBytes,
            KeyedLoan loan,
            ReplyWriter reply) {
        ErrorReply refusal = inside.zones().admit(expectedBytes, 0);
        if (refusal != null) {
            return Result.refused(refusal);
        }
        try {
            Locked locked = underLock(inside, group, order, expectedBytes, loan, reply);
            loan.close();
            Result result = locked.result;
            refusal = locked.lack != null && makesWay(locked.lack) ? MAKING_WAY : result.refusal;
            if (refusal == null && result.sequence == 0 && !result.isWatchBroken() && inside.isReadTooLate(order.nid)) {
                refusal = NEW_OWNER;
            }
            if (refusal != null) {
                // What was evicted inside the group is logged.
                group.zone().send();
                return Result.refused(refusal);
            }
            return result;
        } catch (ZoneBatch.NoRoomException e) {
            return Result.refused(NO_ROOM);
        } catch (Throwable thrown) {
            group.zone().send();
            throw thrown;
        } finally {
            inside.zones().carriedOut(expectedBytes, 0);
        }
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

    private Locked underLock(
            KeyedAccess.Inside inside,
            KeyedGroup group,
            Order order,
            long expectedBytes,
            KeyedLoan loan,
            ReplyWriter reply) {
        OwnedZone zone = group.zone();
        boolean change = expectedBytes > 0;
        zone.lock();
        try {
            if (zone.isEnded() || !groups.isPresent(group)) {
                return new Locked(Result.refused(NEW_OWNER), null);
            }
            if (change && order.atOnce && !zone.acksAtOnce()) {
                return new Locked(Result.refused(NOT_AT_ONCE), null);
            }
            GroupKeyspace keys = new GroupKeyspace(group, clock.wallMillis(), order.sync, loan);
            zone.noteUses(order.steps.size());
            for (GroupCall.WatchedKey watched : order.watched) {
                if (!keys.isUnchanged(watched.key(), watched.mark())) {
                    return new Locked(Result.watchBroken(), null);
                }
            }
            return change ? change(inside, group, order, expectedBytes, keys, reply) : read(group, order, keys, reply);
        } finally {
            zone.unlock();
        }
    }

    private Locked read(KeyedGroup group, Order order, GroupKeyspace keys, ReplyWriter reply) {
        int begin = reply.out().writerIndex();
        for (int i = 0; i < order.steps.size() && reply.out().writerIndex() - begin < order.replyBytes; i++) {
            runAndNote(group, order.steps.get(i), keys, reply);
        }
        return new Locked(Result.of(group.zone(), 0, keys), null);
    }

    private Locked change(
            KeyedAccess.Inside inside,
            KeyedGroup group,
            Order order,
            long expectedBytes,
            GroupKeyspace keys,
            ReplyWriter reply) {
        ZoneBatch batch = batches.get();
        try {
            batch.start(group.zone());
            batch.reserve(expectedBytes);
            long sequence = 0;
            KeyedLack lack = null;
            boolean again = false;
            try {
                for (Step step : order.steps) {
                    runAndNote(group, step, keys, reply);
                }
                lack = keys.hasChanged() ? null : keys.lack();
                again = lack != null && makesWayInside(group, keys, lack);
            } finally {
                // Also when a command throws: what is in memory must be in the log.
                sequence = keys.log(batch);
                noteChanged(inside, group, keys);
            }
            if (again) {
                return new Locked(Result.refused(MAKING_WAY), null);
            }
            return new Locked(Result.of(group.zone(), sequence, keys), lack);
        } finally {
            batch.release();
        }
    }

    private void noteChanged(KeyedAccess.Inside inside, KeyedGroup group, GroupKeyspace keys) {
        if (keys.hasChanged()) {
            long[] cids = keys.changedCids();
            inside.noteChanged(cids, cids.length);
            counts.removed(keys.expired(), keys.evicted());
        }
        if (group.isShortOfLids()) {
            groups.extend(group);
        }
    }

    /** Carries out a request, and adds it to the keys that are looked at: some always, more while somebody asks. */
    private void runAndNote(KeyedGroup group, Step step, GroupKeyspace keys, ReplyWriter reply) {
        if (KeyHeat.isSampled(group.nextRequest())) {
            hotKeys.heat().add(group.nid(), step.command(), step.request());
        }
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

    /** Answers requests on a group that nobody has, which need none: they read, or remove all keys. */
    void runWithoutGroup(List<Step> requests, ReplyWriter reply) {
        EmptyKeyspace empty = new EmptyKeyspace(clock.wallMillis());
        requests.forEach(step -> commands.run(new CommandCall(step.command(), step.request(), empty, reply)));
    }
}
