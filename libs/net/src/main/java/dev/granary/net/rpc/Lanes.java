package dev.granary.net.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Backoff;
import dev.granary.env.Clock;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.net.Pipe;
import dev.granary.net.Pipes;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lanes of one client to all nodes. A call takes a free one; when there is none, one more is made in the
 * background, up to a bound for each node and one for all, and the call goes another way. A lane that was not used
 * for a minute is closed. Thread-safe.
 */
final class Lanes {

    /**
     * The most lanes to one node. Up to eight threads get more chunks per second with a lane each than with joint
     * requests; more than eight threads get more with joint requests (ADR 0340).
     */
    static final int MOST_TO_ONE = Math.clamp(4L * Runtime.getRuntime().availableProcessors(), 4, 8);

    /** How many joint requests to one node may be under way: while a leader wakes its callers, the node works. */
    private static final int JOINT_GROUPS = 2;

    /** The most lanes of one client. */
    static final int MOST = 64;

    /** From the request for a pipe until the hello is answered. */
    static final long HELLO_LIMIT_NANOS = 1_000_000_000;

    /** The pauses between attempts to make a lane to a node that refuses it. */
    private static final Backoff BACKOFF = new Backoff(500_000_000, 30_000_000_000L);

    /** The sweep of deadlines stops after this many rounds without a call, a second's worth. */
    private static final int QUIET_ROUNDS = (int) (1_000_000_000 / RpcClient.SWEEP_NANOS);

    private static final long LOOK_NANOS = 10_000_000_000L;

    /** A lane is closed when this many looks in a row have found it unused. */
    private static final int UNUSED_LOOKS = 6;

    private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);

    private final Pipes pipes;
    private final Clock clock;
    private final RpcIdentity identity;
    private final Consumer<Peer> lossListener;
    private final int jointGroups;
    private final Loop deadlines;
    private final Loop looks;
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private int quietRounds;

    /** Peers by NID, with open addressing; a new array for each new peer. At most half of its places are taken. */
    private volatile @Nullable Peer[] peers = new Peer[2];

    @GuardedBy("this")
    private final List<Lane> open = new ArrayList<>();

    @GuardedBy("this")
    private int making;

    @GuardedBy("this")
    private boolean closed;

    /** @param lossListener told of each lane that failed during a call */
    Lanes(Pipes pipes, Clock clock, Scheduler scheduler, RpcIdentity identity, Consumer<Peer> lossListener) {
        this(pipes, clock, scheduler, identity, lossListener, JOINT_GROUPS);
    }

    /** @param jointGroups how many joint requests to one node may be under way */
    Lanes(
            Pipes pipes,
            Clock clock,
            Scheduler scheduler,
            RpcIdentity identity,
            Consumer<Peer> lossListener,
            int jointGroups) {
        this.pipes = pipes;
        this.clock = clock;
        this.identity = identity;
        this.lossListener = lossListener;
        this.jointGroups = jointGroups;
        this.deadlines = Loop.every(scheduler, "lane-deadlines", RpcClient.SWEEP_NANOS, this::sweep)
                .vital();
        this.looks = Loop.every(scheduler, "unused-lanes", LOOK_NANOS, this::closeUnused);
    }

    /** A node with places for lanes to it. */
    static final class Peer {

        final HostAddress address;
        final int nid;
        private final AtomicReferenceArray<@Nullable Lane> places = new AtomicReferenceArray<>(MOST_TO_ONE);

        /** Threads that wait for answers of this node and have no lane. */
        private final AtomicInteger sharing;

        // Written under the lock of all lanes, read by calls that find none.

        /** Whether all places are taken, or one is being filled. */
        private volatile boolean needsNone;

        /** No lane is made before. */
        private volatile long notBeforeNanos;

        private int failures;

        /** Threads are spread over them, so that some requests are under way at a time. */
        private final JointGets[] gets;

        Peer(HostAddress address, int nid, AtomicInteger sharing, Lanes lanes) {
            this.address = address;
            this.nid = nid;
            this.sharing = sharing;
            this.notBeforeNanos = lanes.clock.nanoTime();
            this.gets = new JointGets[lanes.jointGroups];
            for (int i = 0; i < gets.length; i++) {
                gets[i] = new JointGets(lanes.clock, deadlineNanos -> lanes.take(this, deadlineNanos));
            }
        }

        /** Returns how many threads hold a lane each, for a call of their own. */
        private int holdAlone() {
            int count = 0;
            for (int i = 0; i < MOST_TO_ONE; i++) {
                Lane lane = places.get(i);
                count += lane != null && lane.isHeld() ? 1 : 0;
            }
            for (JointGets group : gets) {
                count -= group.isUnderWay() ? 1 : 0;
            }
            return count;
        }

        private @Nullable Lane take(long deadlineNanos) {
            int first = (int) Thread.currentThread().threadId();
            for (int i = 0; i < MOST_TO_ONE; i++) {
                Lane lane = places.get(Math.floorMod(first + i, MOST_TO_ONE));
                if (lane != null && lane.take(deadlineNanos)) {
                    return lane;
                }
            }
            return null;
        }

        /** Puts a lane into a place, or takes it out: exchanges one for the other. */
        private boolean replace(@Nullable Lane old, @Nullable Lane lane) {
            for (int i = 0; i < MOST_TO_ONE; i++) {
                if (places.compareAndSet(i, old, lane)) {
                    return true;
                }
            }
            return false;
        }

        private boolean isFull() {
            for (int i = 0; i < MOST_TO_ONE; i++) {
                if (places.get(i) == null) {
                    return false;
                }
            }
            return true;
        }

        private void closeFree() {
            for (int i = 0; i < MOST_TO_ONE; i++) {
                Lane lane = places.get(i);
                if (lane != null) {
                    lane.closeIfFree();
                }
            }
        }

        @Override
        public String toString() {
            return address + (nid == Nid.NONE ? "" : " (" + Nid.toHex(nid) + ")");
        }
    }

    /**
     * Takes a lane for one call, which the caller must release. When none is free, begins to make one.
     *
     * @return null when none is free
     */
    @Nullable
    Lane take(HostAddress to, int nid, long deadlineNanos) {
        Peer peer = find(peers, nid);
        if (peer == null || !peer.address.equals(to)) {
            peer = add(to, nid);
        }
        int sharing = peer.sharing.get();
        if (sharing > 0 && sharing + peer.holdAlone() >= MOST_TO_ONE) {
            // More threads than there may be lanes: all of them go together. Fewer threads than this do not stay
            // together, however they began.
            return null;
        }
        return take(peer, deadlineNanos);
    }

    private @Nullable Lane take(Peer peer, long deadlineNanos) {
        Lane lane = peer.take(deadlineNanos);
        if (lane == null) {
            if (!peer.needsNone && clock.nanoTime() - peer.notBeforeNanos >= 0) {
                make(peer);
            }
            return null;
        }
        if (!sweeping.get()) {
            ensureSweep();
        }
        return lane;
    }

    /**
     * Gets a chunk of a node that lanes were asked for, in one request with the gets of other threads.
     *
     * @return null when the call must be made alone
     */
    byte @Nullable [] getJointly(int nid, long cid) {
        Peer peer = find(peers, nid);
        return peer == null ? null : peer.gets[groupOf(Thread.currentThread(), peer.gets.length)].get(cid);
    }

    /** Spreads threads over groups. Threads of a pool often have numbers that follow each other, or every other one. */
    private static int groupOf(Thread thread, int groups) {
        return Math.floorMod((int) ((thread.threadId() * 0x9E3779B97F4A7C15L) >>> 40), groups);
    }

    /**
     * Counts threads that wait for answers of a node without a lane.
     *
     * @param change 1 when a thread begins to wait, -1 when it ends
     */
    void share(int nid, int change) {
        Peer peer = find(peers, nid);
        if (peer != null) {
            peer.sharing.addAndGet(change);
        }
    }

    private static @Nullable Peer find(@Nullable Peer[] table, int nid) {
        int mask = table.length - 1;
        for (int place = placeOf(nid, mask); ; place = (place + 1) & mask) {
            Peer peer = table[place];
            if (peer == null || peer.nid == nid) {
                return peer;
            }
        }
    }

    private static int placeOf(int nid, int mask) {
        return ((nid * 0x9E3779B9) >>> 16) & mask;
    }

    /** Adds a peer, or replaces one that has moved to another address, whose lanes are closed. */
    private synchronized Peer add(HostAddress to, int nid) {
        Peer known = find(peers, nid);
        if (known != null && known.address.equals(to)) {
            return known;
        }
        Peer added = new Peer(to, nid, known == null ? new AtomicInteger() : known.sharing, this);
        int count = 1;
        for (Peer each : peers) {
            count += each == null ? 0 : 1;
        }
        @Nullable Peer[] next = new Peer[Integer.highestOneBit(count) * 4];
        for (Peer each : peers) {
            if (each != null && each.nid != nid) {
                put(next, each);
            }
        }
        put(next, added);
        peers = next;
        if (known != null) {
            known.closeFree();
        }
        return added;
    }

    private static void put(@Nullable Peer[] table, Peer peer) {
        int mask = table.length - 1;
        int place = placeOf(peer.nid, mask);
        while (table[place] != null) {
            place = (place + 1) & mask;
        }
        table[place] = peer;
    }

    /** Closes the lanes to a node that nobody holds: a connection to it was lost. */
    void lost(HostAddress address, int nid) {
        Peer peer = find(peers, nid);
        if (peer != null && peer.address.equals(address)) {
            peer.closeFree();
        }
    }

    /** Takes the failure of a lane during a call. */
    void lost(Peer peer) {
        peer.closeFree();
        lossListener.accept(peer);
    }

    private void make(Peer peer) {
        synchronized (this) {
            if (closed || peer.needsNone) {
                return;
            }
            if (open.size() + making >= MOST) {
                peer.notBeforeNanos = clock.nanoTime() + BACKOFF.firstNanos();
                return;
            }
            peer.needsNone = true;
            making++;
        }
        var _ = pipes.open(peer.address).thenAccept(pipe -> greet(peer, pipe)).whenComplete((_, failure) -> {
            made(peer, failure == null);
            if (failure != null) {
                LOG.debug("no lane to {}: {}", peer, failure.getMessage());
            }
        });
    }

    /** Greets over a new pipe and gives the lane to the calls that come. Waits for the answer. */
    private void greet(Peer peer, Pipe pipe) {
        Lane lane = new Lane(pipe, peer, this, clock.nanoTime() + HELLO_LIMIT_NANOS);
        boolean wanted;
        synchronized (this) {
            wanted = !closed && peer.replace(null, lane);
            if (wanted) {
                open.add(lane);
            }
        }
        if (!wanted) {
            lane.close();
        }
        ensureSweep();
        looks.beginAfter(LOOK_NANOS);
        try {
            lane.greet(new CallerGreeting(identity, peer.nid));
        } finally {
            lane.release();
        }
    }

    private synchronized void made(Peer peer, boolean well) {
        making--;
        peer.failures = well ? 0 : peer.failures + 1;
        peer.notBeforeNanos = clock.nanoTime() + BACKOFF.nanos(peer.failures);
        peer.needsNone = peer.isFull();
    }

    /** Forgets a lane that was closed. */
    synchronized void remove(Lane lane) {
        open.remove(lane);
        if (lane.peer().replace(lane, null)) {
            lane.peer().needsNone = false;
        }
    }

    private synchronized List<Lane> lanes() {
        return List.copyOf(open);
    }

    /** Returns how many lanes are open. */
    synchronized int count() {
        return open.size();
    }

    private void ensureSweep() {
        if (sweeping.compareAndSet(false, true)) {
            deadlines.beginAfter(RpcClient.SWEEP_NANOS);
        }
    }

    private void sweep() {
        boolean quiet = true;
        for (Lane lane : lanes()) {
            quiet &= !lane.sweep(clock.nanoTime());
        }
        quietRounds = quiet ? quietRounds + 1 : 0;
        if (quietRounds < QUIET_ROUNDS) {
            return;
        }
        quietRounds = 0;
        deadlines.stop();
        sweeping.set(false);
        // A call that came between the look and the mark has seen the mark and relies on this sweep.
        for (Lane lane : lanes()) {
            if (lane.sweep(clock.nanoTime())) {
                ensureSweep();
                return;
            }
        }
    }

    private void closeUnused() {
        List<Lane> all = lanes();
        if (all.isEmpty()) {
            looks.stop();
            // One that came meanwhile relies on these looks.
            if (count() > 0) {
                looks.beginAfter(LOOK_NANOS);
            }
        }
        for (Lane lane : all) {
            if (lane.lookForCalls() >= UNUSED_LOOKS) {
                lane.closeIfFree();
            }
        }
    }

    /** Closes all lanes; calls on them fail, and no other lane is made. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        lanes().forEach(Lane::close);
        deadlines.stop();
        looks.stop();
    }
}
