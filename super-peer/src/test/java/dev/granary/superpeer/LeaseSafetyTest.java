package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.CloseLease;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLids;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.SuperPeerConfig;
import dev.granary.testkit.LinkConditions;
import dev.granary.testkit.SimulatedNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The two promises of an arc under all faults of the simulator: no two incarnations serve one NID at the same time, and
 * no LID is given twice. Each NID has two machines with the same disk id, as when a volume is attached to a new machine
 * while the old one is only cut off. Each process serves as long as it believes in its lease.
 */
class LeaseSafetyTest {

    private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long RUN_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final HostAddress PEER = new HostAddress("p", 7500);
    private static final int[] NIDS = {0x8000, 0x4000};
    private static final List<String> MACHINES = List.of("a1", "a2", "b1", "b2");

    private final Map<String, Peer> peers = new HashMap<>();
    private final Set<Long> givenCids = new HashSet<>();
    private int superPeers = 1;
    private int grants;
    private int epochs;
    private int reservations;

    /** A storage peer without chunks. */
    private final class Peer {
        private final SimulatedNode.World world;
        private final RpcClient rpc;
        private final int nid;
        private final long incarnation;
        private long epoch;
        private long validUntilNanos = Long.MIN_VALUE;
        private long nextLid;
        private long lidLimit;
        private boolean hasLease;
        private boolean ended;
        private int turn;
        private @Nullable HostAddress referred;

        private Peer(SimulatedNode.World world, int nid) {
            this.world = world;
            this.nid = nid;
            this.incarnation = world.environment().random().nextLong(1, Long.MAX_VALUE);
            this.rpc = new RpcClient(
                    world.transport(),
                    world.environment().clock(),
                    world.environment().scheduler(),
                    new RpcIdentity(NodeRole.STORAGE_PEER, incarnation));
        }

        private long now() {
            return world.environment().clock().nanoTime();
        }

        /** Returns one of the super-peers that know the arc, or the one that they have named. */
        private HostAddress superPeer() {
            HostAddress named = referred;
            return named != null ? named : SimulatedRing.address("s" + turn % superPeers);
        }

        private void asked(@Nullable Throwable failure) {
            if (failure != null) {
                referred = failure instanceof RemoteErrorException refused && refused.code() == ErrorCode.REDIRECT
                        ? refused.reply().redirect()
                        : null;
                turn++;
            }
        }

        private boolean serves() {
            return hasLease && !ended && now() < validUntilNanos;
        }

        private void open() {
            long sentNanos = now();
            OpenLease request = new OpenLease(nid, new UUID(1, nid), incarnation, "p", PEER, PEER, 1, "", "", 0, null);
            Async.whenDone(
                    rpc.call(superPeer(), 0, MessageType.OPEN_LEASE, request, LEASE_NANOS),
                    world.environment().scheduler(),
                    (reply, failure) -> opened(sentNanos, reply, failure));
        }

        private void opened(long sentNanos, @Nullable OpenLeaseReply reply, @Nullable Throwable failure) {
            asked(failure);
            if (reply == null) {
                if (isFinal(failure)) {
                    ended = true;
                } else {
                    later(this::open);
                }
                return;
            }
            grants++;
            hasLease = true;
            epoch = reply.epoch();
            validUntilNanos = sentNanos + reply.leaseNanos();
            nextLid = Math.max(nextLid, reply.firstLid());
            lidLimit = reply.lidLimit();
            later(this::work);
        }

        private void work() {
            if (ended) {
                return;
            }
            for (int i = 0; i < 200 && nextLid < lidLimit && serves(); i++) {
                assertThat(givenCids.add(((long) nid << 48) | nextLid))
                        .as("a LID is given twice")
                        .isTrue();
                nextLid++;
            }
            if (world.environment().random().nextInt(40) == 0) {
                close();
                return;
            }
            if (nextLid >= lidLimit) {
                reserve();
            }
            renew();
        }

        private void renew() {
            long sentNanos = now();
            RenewLease request = new RenewLease(nid, incarnation, epoch, new PeerStatistics(0, 0, 0, 0, 1, 0, 0));
            Async.whenDone(
                    rpc.call(superPeer(), 0, MessageType.RENEW_LEASE, request, LEASE_NANOS),
                    world.environment().scheduler(),
                    (reply, failure) -> renewed(sentNanos, reply, failure));
        }

        private void renewed(long sentNanos, @Nullable RenewLeaseReply reply, @Nullable Throwable failure) {
            asked(failure);
            if (reply != null) {
                validUntilNanos = Math.max(validUntilNanos, sentNanos + reply.leaseNanos());
            } else if (isFinal(failure)) {
                ended = true;
            }
            later(this::work);
        }

        private void reserve() {
            ReserveLids request = new ReserveLids(nid, incarnation, lidLimit, lidLimit + 1);
            Async.whenDone(
                    rpc.call(superPeer(), 0, MessageType.RESERVE_LIDS, request, LEASE_NANOS),
                    world.environment().scheduler(),
                    (reply, failure) -> {
                        if (reply != null) {
                            reservations++;
                            lidLimit = reply.lidLimit();
                        }
                    });
        }

        private void close() {
            ended = true;
            Async.whenDone(
                    rpc.call(superPeer(), 0, MessageType.CLOSE_LEASE, new CloseLease(nid, incarnation), LEASE_NANOS),
                    world.environment().scheduler(),
                    (reply, failure) -> {});
        }

        private void later(Runnable task) {
            long delayNanos = world.environment().random().nextLong(LEASE_NANOS / 3);
            world.environment().scheduler().schedule(delayNanos, task);
        }

        private static boolean isFinal(@Nullable Throwable failure) {
            return failure instanceof RemoteErrorException refused
                    && (refused.code() == ErrorCode.UNKNOWN_LEASE || refused.code() == ErrorCode.BAD_REQUEST);
        }
    }

    private SimulatedNode.Program program(String machine) {
        int nid = NIDS[machine.charAt(0) - 'a'];
        return world -> {
            Peer peer = new Peer(world, nid);
            peers.put(machine, peer);
            peer.open();
        };
    }

    private void checkOneOwner(String what) {
        for (int nid : NIDS) {
            List<String> serving = new ArrayList<>();
            peers.forEach((machine, peer) -> {
                if (peer.nid == nid && peer.world.node().isRunning() && peer.serves()) {
                    serving.add(machine);
                }
            });
            assertThat(serving).as("%s: incarnations that serve %x", what, nid).hasSizeLessThan(2);
        }
    }

    private void disturb(SimulatedRing ring, RandomGenerator random) {
        String target = "s" + random.nextInt(superPeers);
        SuperPeerConfig config = SimulatedRing.withLease(SimulatedRing.config(target), LEASE_NANOS);
        String machine = MACHINES.get(random.nextInt(MACHINES.size()));
        SimulatedNode node = ring.node(machine);
        switch (random.nextInt(superPeers == 1 ? 12 : 15)) {
            case 0 -> {
                ring.node(target).powerOff();
                ring.start(config);
            }
            case 1 -> {
                ring.node(target).kill();
                ring.start(config);
            }
            case 2 -> ring.node(target).pause(random.nextLong(4 * LEASE_NANOS));
            case 3 -> ring.node(target).pauseAfterClockReads(1 + random.nextInt(20), random.nextLong(3 * LEASE_NANOS));
            case 4, 5 -> node.restart(program(machine));
            case 6 -> node.kill();
            case 7 -> node.pause(random.nextLong(4 * LEASE_NANOS));
            case 8 -> ring.simulation.network().cut(machine, target);
            case 9 -> ring.simulation.network().cutBoth(machine, target);
            case 12 -> ring.simulation.network().cutBoth(target, "s" + random.nextInt(superPeers));
            case 13, 14 -> resize(ring, random);
            default -> ring.simulation.network().healAll();
        }
        if (!node.isRunning() && random.nextInt(3) > 0) {
            node.start(program(machine));
        }
    }

    /** Asks for another size of the ring, whether or not the asked super-peer leads the ring. */
    private void resize(SimulatedRing ring, RandomGenerator random) {
        for (int i = 0; i < superPeers; i++) {
            ring.tell("s" + i, MessageType.RESIZE_RING, new ResizeRing(1 + random.nextInt(superPeers)));
        }
    }

    @Test
    void arcs_replicatedAndMovedUnderEveryKindOfFault_oneOwnerAndNoLidTwice() {
        superPeers = 4;
        long seed = new Random().nextLong();
        for (int run = 0; run < 6; run++) {
            runOnce(seed + run);
        }
        assertThat(grants).isGreaterThan(30);
        assertThat(reservations).isGreaterThan(30);
        assertThat(epochs).isGreaterThan(6);
    }

    @Test
    void arc_everyKindOfFault_oneOwnerAndNoLidTwice() {
        long seed = new Random().nextLong();
        for (int run = 0; run < 12; run++) {
            runOnce(seed + run);
        }
        // The faults must leave time for the work whose safety this test checks.
        assertThat(grants).isGreaterThan(100);
        assertThat(reservations).isGreaterThan(100);
    }

    private void runOnce(long seed) {
        peers.clear();
        givenCids.clear();
        SimulatedRing ring = new SimulatedRing(seed);
        RandomGenerator random = ring.simulation.random("faults");
        ring.start(SimulatedRing.withLease(SimulatedRing.founder("s0", superPeers == 1 ? 1 : 3), LEASE_NANOS));
        for (int i = 1; i < superPeers; i++) {
            ring.start(SimulatedRing.withLease(SimulatedRing.config("s" + i), LEASE_NANOS));
        }
        for (int i = 0; i < superPeers; i++) {
            ring.awaitReady("s" + i);
        }
        if (random.nextBoolean()) {
            ring.simulation.network().setConditions(LinkConditions.BAD);
        }
        // Two clocks with 0.45 % each stay within the one percent that the grantor allows for.
        for (int i = 0; i < superPeers; i++) {
            ring.node("s" + i).setDrift(random.nextInt(-4500, 4500));
        }
        for (String machine : MACHINES) {
            ring.node(machine).setDrift(random.nextInt(-4500, 4500));
            ring.node(machine).start(program(machine));
        }
        while (ring.simulation.nowNanos() < RUN_NANOS) {
            ring.runFor(random.nextLong(TimeUnit.MILLISECONDS.toNanos(40)));
            checkOneOwner("seed " + seed);
            if (random.nextInt(60) == 0) {
                disturb(ring, random);
            }
        }
        assertThat(ring.failures()).as("seed %d", seed).isEmpty();
        epochs += (int) ring.superPeer("s0").ring().epoch();
    }
}
