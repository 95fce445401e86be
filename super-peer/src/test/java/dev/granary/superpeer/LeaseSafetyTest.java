package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.CloseLease;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.OpenLease;
import dev.granary.net.message.OpenLeaseReply;
import dev.granary.net.message.PeerStatistics;
import dev.granary.net.message.RenewLease;
import dev.granary.net.message.RenewLeaseReply;
import dev.granary.net.message.ReserveLids;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
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
 * The two promises of an arc under everything that the simulator can do to it: no NID is served by two incarnations at
 * the same time, and no LID is given twice. Each NID has two machines with the same disk id, as when a volume is
 * attached to a new machine while the old one is only cut off; each process serves as long as it believes in its lease.
 */
class LeaseSafetyTest {

    private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long RUN_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final HostAddress SUPER_PEER = SimulatedRing.address("s0");
    private static final int[] NIDS = {0x8000, 0x4000};
    private static final List<String> MACHINES = List.of("a1", "a2", "b1", "b2");

    private final Map<String, Peer> peers = new HashMap<>();
    private final Set<Long> givenCids = new HashSet<>();
    private int grants;
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

        private boolean serves() {
            return hasLease && !ended && now() < validUntilNanos;
        }

        private void open() {
            long sentNanos = now();
            OpenLease request = new OpenLease(nid, new UUID(1, nid), incarnation, "p", SUPER_PEER, SUPER_PEER, 1);
            Async.whenDone(
                    rpc.call(SUPER_PEER, 0, MessageType.OPEN_LEASE, request, LEASE_NANOS),
                    world.environment().scheduler(),
                    (reply, failure) -> opened(sentNanos, reply, failure));
        }

        private void opened(long sentNanos, @Nullable OpenLeaseReply reply, @Nullable Throwable failure) {
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
            RenewLease request = new RenewLease(nid, incarnation, epoch, new PeerStatistics(0, 0, 0, 0, 1));
            Async.whenDone(
                    rpc.call(SUPER_PEER, 0, MessageType.RENEW_LEASE, request, LEASE_NANOS),
                    world.environment().scheduler(),
                    (reply, failure) -> renewed(sentNanos, reply, failure));
        }

        private void renewed(long sentNanos, @Nullable RenewLeaseReply reply, @Nullable Throwable failure) {
            if (reply != null) {
                validUntilNanos = Math.max(validUntilNanos, sentNanos + reply.leaseNanos());
            } else if (isFinal(failure)) {
                ended = true;
            }
            later(this::work);
        }

        private void reserve() {
            ReserveLids request = new ReserveLids(nid, incarnation, lidLimit + 1);
            Async.whenDone(
                    rpc.call(SUPER_PEER, 0, MessageType.RESERVE_LIDS, request, LEASE_NANOS),
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
                    rpc.call(SUPER_PEER, 0, MessageType.CLOSE_LEASE, new CloseLease(nid, incarnation), LEASE_NANOS),
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

    private void disturb(SimulatedRing ring, SuperPeerConfig config, RandomGenerator random) {
        String machine = MACHINES.get(random.nextInt(MACHINES.size()));
        SimulatedNode node = ring.node(machine);
        switch (random.nextInt(12)) {
            case 0 -> {
                ring.node("s0").powerOff();
                ring.start(config);
            }
            case 1 -> {
                ring.node("s0").kill();
                ring.start(config);
            }
            case 2 -> ring.node("s0").pause(random.nextLong(4 * LEASE_NANOS));
            case 3 -> ring.node("s0").pauseAfterClockReads(1 + random.nextInt(20), random.nextLong(3 * LEASE_NANOS));
            case 4, 5 -> node.restart(program(machine));
            case 6 -> node.kill();
            case 7 -> node.pause(random.nextLong(4 * LEASE_NANOS));
            case 8 -> ring.simulation.network().cut(machine, "s0");
            case 9 -> ring.simulation.network().cutBoth(machine, "s0");
            default -> ring.simulation.network().healAll();
        }
        if (!node.isRunning() && random.nextInt(3) > 0) {
            node.start(program(machine));
        }
    }

    @Test
    void arc_everyKindOfFault_oneOwnerAndNoLidTwice() {
        long seed = new Random().nextLong();
        for (int run = 0; run < 12; run++) {
            runOnce(seed + run);
        }
        // The faults must leave room for the work whose safety they test.
        assertThat(grants).isGreaterThan(100);
        assertThat(reservations).isGreaterThan(100);
    }

    private void runOnce(long seed) {
        peers.clear();
        givenCids.clear();
        SimulatedRing ring = new SimulatedRing(seed);
        RandomGenerator random = ring.simulation.random("faults");
        SuperPeerConfig config = SimulatedRing.withLease(SimulatedRing.founder("s0", 1), LEASE_NANOS);
        ring.start(config);
        ring.awaitReady("s0");
        if (random.nextBoolean()) {
            ring.simulation.network().setConditions(LinkConditions.BAD);
        }
        // Two clocks of 0.45 % each stay within the one percent that the grantor allows for.
        ring.node("s0").setDrift(random.nextInt(-4500, 4500));
        for (String machine : MACHINES) {
            ring.node(machine).setDrift(random.nextInt(-4500, 4500));
            ring.node(machine).start(program(machine));
        }
        while (ring.simulation.nowNanos() < RUN_NANOS) {
            ring.runFor(random.nextLong(TimeUnit.MILLISECONDS.toNanos(40)));
            checkOneOwner("seed " + seed);
            if (random.nextInt(60) == 0) {
                disturb(ring, config, random);
            }
        }
        assertThat(ring.failures()).as("seed %d", seed).isEmpty();
    }
}
