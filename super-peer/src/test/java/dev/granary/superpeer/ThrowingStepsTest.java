package dev.granary.superpeer;

import static dev.granary.superpeer.SimulatedRing.LEASE_NANOS;
import static dev.granary.superpeer.SimulatedRing.config;
import static dev.granary.superpeer.SimulatedRing.founder;
import static dev.granary.superpeer.SimulatedRing.withAloneLease;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.SurveyReply;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.RingMessages.AssignNid;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.node.SuperPeerConfig;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Work of super-peers in steps, each of which throws once: whichever step throws, the work goes on. */
class ThrowingStepsTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long SEED = 20_261_123;
    private static final int MOST_STEPS = 200;

    /**
     * Lets one step after the other throw, each in a world of its own, until none is left. Returns how many steps have
     * thrown.
     */
    private static int eachStepOnce(IntFunction<Integer> scenario) {
        int steps = 0;
        while (steps < MOST_STEPS && scenario.apply(steps) == 0) {
            steps++;
        }
        return steps;
    }

    private static void await(SimulatedRing ring, int passed, BooleanSupplier condition) {
        for (int i = 0; i < 600 && !condition.getAsBoolean(); i++) {
            ring.runFor(SECOND / 10);
        }
        assertThat(condition.getAsBoolean()).as("step %d", passed).isTrue();
        assertThat(ring.failures()).as("step %d", passed).isEmpty();
    }

    @Test
    void start_founderWhoseSeedsAreSilentAtFirst_foundsWhateverStepThrows() {
        assertThat(eachStepOnce(ThrowingStepsTest::found)).isBetween(8, MOST_STEPS - 1);
    }

    /** Returns how many steps were still to throw at the end. */
    private static int found(int passed) {
        SimulatedRing ring = new SimulatedRing(SEED);
        ring.start(founder("s0", 3));
        ring.node("s0").failSteps(passed, 1);
        ring.runFor(2 * SECOND);
        ring.start(config("s1"));
        ring.start(config("s2"));
        await(ring, passed, () -> ring.isReady("s0") && ring.isReady("s1") && ring.isReady("s2"));
        return ring.node("s0").stepsToFail();
    }

    @Test
    void resize_partsAndLeases_moveAndChangeWhateverStepOfTheOldOneThrows() {
        assertThat(eachStepOnce(passed -> growAndShrink(passed, "s0"))).isBetween(6, MOST_STEPS - 1);
    }

    @Test
    void resize_partsAndLeases_moveAndChangeWhateverStepOfTheNewOneThrows() {
        assertThat(eachStepOnce(passed -> growAndShrink(passed, "s1"))).isBetween(4, MOST_STEPS - 1);
    }

    private static int growAndShrink(int passed, String failing) {
        SimulatedRing ring = new SimulatedRing(SEED);
        for (String name : new String[] {"s0", "s1", "s2"}) {
            SuperPeerConfig config = name.equals("s0") ? founder(name, 1) : config(name);
            ring.start(withAloneLease(config, 2 * LEASE_NANOS));
            ring.awaitReady(name);
        }
        UUID disk = new UUID(3, 3);
        int nid = ring.call("s0", MessageType.ASSIGN_NID, new AssignNid(disk, 1, "p"))
                .nid();
        HostAddress address = new HostAddress("p", 7500);
        OpenLeaseReply opened = ring.call(
                "s0",
                MessageType.OPEN_LEASE,
                new OpenLease(nid, disk, 1, "p", address, address, 4096, "", "", 0, null));
        RenewLease renewal = new RenewLease(nid, 1, opened.epoch(), new PeerStatistics(0, 0, 0, 0, 4096, 0, 0));
        ring.node(failing).failSteps(passed, 1);
        for (int size : new int[] {3, 1, 3}) {
            BooleanSupplier asked =
                    () -> !ring.send(SimulatedRing.address("s0"), MessageType.RESIZE_RING, new ResizeRing(size))
                            .isCompletedExceptionally();
            await(ring, passed, asked);
            await(ring, passed, () -> ring.superPeer("s0").ring().members().size() == size);
            long leaseNanos = size == 3 ? LEASE_NANOS : 2 * LEASE_NANOS;
            await(ring, passed, () -> grantsLeasesOf(ring, renewal, leaseNanos));
        }
        return ring.node(failing).stepsToFail();
    }

    private static boolean grantsLeasesOf(SimulatedRing ring, RenewLease renewal, long leaseNanos) {
        for (String name : new String[] {"s0", "s1", "s2"}) {
            var reply = ring.send(SimulatedRing.address(name), MessageType.RENEW_LEASE, renewal);
            if (!reply.isCompletedExceptionally() && reply.join().leaseNanos() == leaseNanos) {
                return true;
            }
        }
        return false;
    }

    @Test
    void plan_drain_endsWhateverStepThrows() {
        assertThat(eachStepOnce(ThrowingStepsTest::drain)).isBetween(10, MOST_STEPS - 1);
    }

    private static int drain(int passed) {
        SimulatedRing ring = new SimulatedRing(SEED);
        Map<Integer, ScriptedPeer> peers = new TreeMap<>();
        ring.startRing(1);
        ScriptedPeer leaving = new ScriptedPeer(ring, 0, peers);
        ScriptedPeer staying = new ScriptedPeer(ring, 1, peers);
        leaving.start();
        staying.start();
        await(ring, passed, () -> leaving.holdsLease() && staying.holdsLease());
        for (long lid = 1; lid < 40; lid += 10) {
            leaving.pieces.add(
                    new SurveyReply.Piece(Cid.of(leaving.nid(), lid), Cid.of(leaving.nid(), lid + 9), 10, 100));
        }
        ring.node("s0").failSteps(passed, 1);
        ring.call("s0", MessageType.START_PLAN, new StartPlan(PlanKind.DRAIN, leaving.nid(), 0, 0));
        await(ring, passed, () -> ring.call("s0", MessageType.LIST_PLANS, new Empty())
                .json()
                .contains("\"state\":\"done\",\"note\""));
        assertThat(leaving.pieces).as("step %d", passed).isEmpty();
        return ring.node("s0").stepsToFail();
    }

    @Test
    void lock_leaseThatIsNotRenewed_passesOnWhateverStepThrows() {
        assertThat(eachStepOnce(ThrowingStepsTest::passOn)).isBetween(2, MOST_STEPS - 1);
    }

    private static int passOn(int passed) {
        SimulatedRing ring = new SimulatedRing(SEED);
        ring.startRing(1);
        long cid = Cid.of(0x8000, 5);
        ring.node("s0").failSteps(passed, 1);
        ring.call("s0", MessageType.ACQUIRE_LOCK, new AcquireLock(cid, 1, 2 * SECOND, 0));
        AcquireLock next = new AcquireLock(cid, 2, 2 * SECOND, SECOND);
        await(
                ring,
                passed,
                () -> ring.call("s0", MessageType.ACQUIRE_LOCK, next).token() == 2);
        return ring.node("s0").stepsToFail();
    }
}
