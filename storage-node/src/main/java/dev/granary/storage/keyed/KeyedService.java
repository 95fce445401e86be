package dev.granary.storage.keyed;

import dev.granary.env.Environment;
import dev.granary.net.cluster.NodeCalls;
import dev.granary.net.message.Durability;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.Ring;
import dev.granary.storage.data.KeyedAccess;
import dev.granary.storage.keyed.hot.HotKeys;
import dev.granary.storage.lease.ArcCalls;
import dev.granary.storage.replicate.Replication;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keyed data of a storage peer: calls on slot groups, wherever they are, and the groups that this peer owns. Tasks of
 * the scheduler begin and stop it; the rest is thread-safe.
 */
public final class KeyedService {

    private final KeyedMemory memory;
    private final KeyedCounts counts = new KeyedCounts();
    private final KeyedGroups groups;
    private final ExpirySweep sweep;
    private final KeyEviction eviction;
    private final KeyedRouter router;
    private final Environment environment;
    private final GroupOpener opener;
    private final KnownOwners owners;
    private final HotKeys hotKeys;

    /**
     * @param ring the ring that is known; asked by tasks of the scheduler
     * @param workers find the keys of groups that this peer gets: that may take long
     * @param durability of changes
     * @param memory counts what keys take
     * @param limits what they may take
     */
    public KeyedService(
            Environment environment,
            RpcClient rpc,
            RpcIdentity identity,
            Supplier<@Nullable Ring> ring,
            ArcCalls arcs,
            KeyedAccess access,
            Replication replication,
            ByteBufAllocator allocator,
            Executor workers,
            Durability durability,
            KeyedMemory memory,
            KeyedLimits limits,
            HotKeys hotKeys) {
        this.environment = environment;
        this.memory = memory;
        this.hotKeys = hotKeys;
        this.opener = new GroupOpener(arcs, replication, access, identity);
        this.groups = new KeyedGroups(
                access, environment.scheduler(), workers, memory, this::seed, this::extend, this::lookAfter);
        GroupRemovals removals = new GroupRemovals(environment.clock(), access, groups, allocator, durability, counts);
        this.sweep = new ExpirySweep(environment.clock(), environment.scheduler(), groups, removals);
        this.eviction =
                new KeyEviction(environment.clock(), environment.scheduler(), access, groups, memory, limits, removals);
        GroupWork work = new GroupWork(environment.clock(), groups, allocator, counts, eviction, hotKeys);
        GroupExecutor executor = new GroupExecutor(access, allocator, durability, counts, work);
        this.owners = new KnownOwners(
                NodeCalls.asTasks(rpc, environment.scheduler()), environment.scheduler(), identity, ring);
        this.router =
                new KeyedRouter(environment.clock(), environment.scheduler(), rpc, executor, opener, owners::lookSoon);
    }

    private synchronized long seed() {
        return environment.random().nextLong();
    }

    private void lookAfter() {
        sweep.begin();
        eviction.begin();
    }

    private void extend(KeyedGroup group) {
        environment.scheduler().execute(() -> opener.extend(group));
    }

    /** Adds the requests that are answered here. */
    public void addTo(RequestTable requests) {
        router.addTo(requests);
        requests.add(
                MessageType.HOT_KEYS,
                (request, ask) -> request.reply(hotKeys.heat().hottest(ask.most())));
    }

    /** Looks after nothing any more. Calls are refused by the gate of the chunk memory. */
    public void stop() {
        groups.stop();
        sweep.stop();
        eviction.stop();
        owners.stop();
    }

    /** Gives all memory back. No operation is behind the gate any more. */
    public void close() {
        groups.close();
    }

    /** Returns what has calls on slot groups carried out. */
    public KeyedCalls calls() {
        return router;
    }

    /** Begins to learn who owns which slot group, and returns what tells it: for a door of this peer. */
    public SlotOwners owners() {
        environment.scheduler().execute(owners::begin);
        return owners;
    }

    /** Notes that a slot group has left this peer, or has come. Tasks of the scheduler only. */
    public void moved(int group, int ownerNid, long epoch) {
        owners.moved(group, ownerNid, epoch);
    }

    /** Returns how many keys this peer has, with those that have expired and were not removed yet. Any thread. */
    public long keys() {
        return groups.keys();
    }

    /** Returns how many of these keys expire at some time. Any thread. */
    public long expiringKeys() {
        return groups.expiring();
    }

    /** Returns how many keys have expired and were removed, since the start. Any thread. */
    public long expiredKeys() {
        return counts.expired();
    }

    /** Returns how often a key was looked for and was there, since the start. Any thread. */
    public long hits() {
        return counts.hits();
    }

    /** Returns how often a key was looked for and was not there, since the start. Any thread. */
    public long misses() {
        return counts.misses();
    }

    /** Returns how many bytes the indexes of keys take. Any thread. */
    public long indexBytes() {
        return memory.indexBytes();
    }

    /** Returns what they take of their share of the memory plan. Any thread. */
    public long plannedIndexBytes() {
        return memory.plannedIndexBytes();
    }

    /** Returns how many keys were removed to make way for others, since the start. Any thread. */
    public long evictedKeys() {
        return counts.evicted();
    }

    /** Returns how many bytes the entries of keys have. Any thread. */
    public long payloadBytes() {
        return groups.payloadBytes();
    }

    /** Returns how many bytes keys take, with what is beside them. Any thread. */
    public long usedBytes() {
        return memory.usedBytes();
    }

    /** Returns how many bytes they may take; the most there is when only the chunk memory bounds them. Any thread. */
    public long limitBytes() {
        return memory.limitBytes();
    }
}
