package dev.granary.storage.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.lease.ArcCalls;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A zone and its copies, without the rest of a storage peer. */
class OwnedZoneTest {

    private static final int OWNER = 0x8000;
    private static final int BACKUP = 0xA000;
    private static final int ZONE = BackupZone.id(OWNER, 1);

    private final ReplicationTotals totals = new ReplicationTotals(1 << 20);

    private static Placement placement(long epoch, PlacementState state, int... backups) {
        return new Placement(OWNER, backups, epoch, ZONE, state);
    }

    private OwnedZone zone(Placement placement, boolean fresh) {
        OwnedZone zone = new OwnedZone(placement, 10, fresh, totals);
        advance(zone);
        return zone;
    }

    private static void advance(OwnedZone zone) {
        zone.lock();
        try {
            OwnedZone.release(zone.advance());
        } finally {
            zone.unlock();
        }
    }

    private static void place(OwnedZone zone, Placement placement) {
        zone.lock();
        try {
            zone.place(placement);
            OwnedZone.release(zone.advance());
        } finally {
            zone.unlock();
        }
    }

    /** Runs a test while it holds the zone's lock. */
    private static void locked(OwnedZone zone, Runnable test) {
        zone.lock();
        try {
            test.run();
        } finally {
            zone.unlock();
        }
    }

    @Test
    void refusal_recoveredAloneAndNoCopiesAreWanted_refusesUntilTheArcHasCommittedThat() {
        OwnedZone zone = zone(placement(5, PlacementState.DEGRADED), false);
        assertThat(zone.refusal()).isNotNull();
        assertThat(zone.mustAskToGoWithout()).isTrue();

        place(zone, placement(6, PlacementState.DEGRADED));
        assertThat(zone.refusal()).as("only the epoch has risen").isNotNull();

        place(zone, placement(7, PlacementState.IN_SYNC));
        assertThat(zone.refusal()).isNull();
        assertThat(zone.mustAskToGoWithout()).isFalse();
    }

    @Test
    void refusal_recoveredAloneAndCopiesAreWanted_refusesAndDoesNotAskToGoWithout() {
        totals.wantCopies(1);
        OwnedZone zone = zone(placement(5, PlacementState.DEGRADED), false);
        assertThat(zone.refusal()).isNotNull();
        assertThat(zone.mustAskToGoWithout()).isFalse();
    }

    @Test
    void refusal_newZoneOfTheOnlyPeer_takesWrites() {
        OwnedZone zone = zone(placement(1, PlacementState.IN_SYNC), true);
        assertThat(zone.refusal()).isNull();

        totals.wantCopies(1);
        advance(zone);
        assertThat(zone.refusal()).as("there are more peers now").isNull();
    }

    @Test
    void refusal_newZoneForWhichNobodyWasFound_refusesUntilItHasACopyOrNoneIsWanted() {
        totals.wantCopies(2);
        OwnedZone zone = zone(placement(1, PlacementState.DEGRADED), true);
        assertThat(zone.refusal()).isNotNull();
        assertThat(zone.mustAskToGoWithout()).isFalse();

        place(zone, placement(2, PlacementState.DEGRADED, BACKUP));
        assertThat(zone.refusal()).as("the member has no copy yet").isNotNull();
        locked(zone, () -> {
            ZoneCopy copy = new ZoneCopy(zone, stream());
            copy.becomeMember();
            zone.addCopy(copy);
            OwnedZone.release(zone.advance());
        });
        assertThat(zone.refusal()).isNull();

        totals.wantCopies(0);
        OwnedZone other = zone(placement(1, PlacementState.DEGRADED), true);
        assertThat(other.refusal()).isNotNull();
        assertThat(other.mustAskToGoWithout()).isTrue();
    }

    @Test
    void holds_lateAnswerToWhatWasSentBefore_goesOnBehindItAndNeverBack() {
        ZoneCopy copy = new ZoneCopy(zone(placement(5, PlacementState.IN_SYNC, BACKUP), false), stream());
        copy.acked = 3;
        copy.next = 4;

        locked(copy.zone, () -> {
            copy.fail();
            copy.holds(8, 100);
            assertThat(copy.next)
                    .as("batches that all backups have are not kept to be sent again")
                    .isEqualTo(9);
            assertThat(copy.isFailed()).isFalse();
            assertThat(copy.waiting).isTrue();

            copy.holds(10, 200);
            copy.holds(5, 300);
            assertThat(copy.acked).isEqualTo(10);
            assertThat(copy.next).isEqualTo(11);
            assertThat(copy.waiting).isFalse();
            assertThat(copy.isOverdue(1_000, 1)).isFalse();
        });
    }

    /** A shipment that ends with a throwing step ends a second time. */
    @Test
    void endSync_saidTwice_aCopyThatIsQueuedByThenStaysThereOnce() {
        ZoneCopy copy = new ZoneCopy(zone(placement(5, PlacementState.IN_SYNC, BACKUP), false), stream());
        copy.acked = 9;
        copy.openEpoch = 5;

        locked(copy.zone, () -> {
            copy.wantSync(9);
            copy.leaveSyncQueue();
            copy.beginSync(100);
            assertThat(copy.queueToSync()).as("it is asked about").isFalse();
            copy.endSync();
            assertThat(copy.queueToSync()).isTrue();

            copy.endSync();

            assertThat(copy.queueToSync()).as("it stands in the queue").isFalse();
            copy.leaveSyncQueue();
            assertThat(copy.mustSync()).isTrue();
        });
    }

    @Test
    void cutToHeld_memberOfWhichNothingIsKnown_doesNotHaveOthersForgetWhatTheyHave() {
        OwnedZone zone = zone(placement(5, PlacementState.IN_SYNC, BACKUP, 0xC000, 0xE000), false);
        locked(zone, () -> {
            ZoneCopy good = member(zone, 9);
            ZoneCopy slow = member(zone, 7);
            ZoneCopy unknown = member(zone, 0);
            unknown.fail();

            slow.fail();
            assertThat(zone.cutToHeld(good)).isEqualTo(9);
            assertThat(zone.cutToHeld(slow)).as("a slow one that comes back").isEqualTo(7);
            slow.holds(7, 0);
            assertThat(zone.cutToHeld(good)).isEqualTo(7);
            assertThat(good.acked)
                    .as("it may have been cut, whatever it answers")
                    .isEqualTo(7);
        });
    }

    @Test
    void failedMembers_severalReasons_namesThoseFirstThatAreLeastLikelyToComeBack() {
        OwnedZone zone = zone(placement(5, PlacementState.IN_SYNC, BACKUP, 0xC000, 0xE000), false);
        locked(zone, () -> {
            ZoneCopy slow = failed(zone, 300);
            ZoneCopy dead = failed(zone, 100);
            ZoneCopy full = failed(zone, 400);
            full.breakDown();
            member(zone, 9);

            assertThat(zone.failedMembers()).containsExactly(full, dead, slow);
        });
    }

    private static ZoneCopy failed(OwnedZone zone, long silentSinceNanos) {
        ZoneCopy copy = member(zone, 9);
        copy.fail();
        copy.waitFrom(silentSinceNanos);
        return copy;
    }

    private static ZoneCopy member(OwnedZone zone, long acked) {
        ZoneCopy copy = new ZoneCopy(zone, stream());
        copy.becomeMember();
        copy.acked = acked;
        zone.addCopy(copy);
        return copy;
    }

    /** Returns a stream to a backup that is never asked in these tests. */
    private static ReplicationStream stream() {
        Simulation world = new Simulation(1);
        List<ReplicationStream> made = new ArrayList<>();
        world.node("owner").start(started -> made.add(replication(started).streamTo(BACKUP)));
        world.runFor(1_000_000);
        return made.getFirst();
    }

    private static Replication replication(SimulatedNode.World started) {
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 1);
        return new Replication(
                started.environment().clock(),
                started.environment().scheduler(),
                new RpcClient(
                        started.transport(),
                        started.environment().clock(),
                        started.environment().scheduler(),
                        identity),
                identity,
                new ArcCalls() {
                    @Override
                    public <Q extends Message, R extends Message> void callArc(
                            int nid, MessageType<Q, R> type, Q request, Consumer<R> done, Consumer<Throwable> failed) {
                        throw new AssertionError("nobody is asked here");
                    }
                },
                started.transport().allocator(),
                ReplicationConfig.defaults(),
                new ReplicationMetrics(new CollectorRegistry()));
    }
}
