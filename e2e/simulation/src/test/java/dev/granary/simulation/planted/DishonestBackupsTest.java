package dev.granary.simulation.planted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.SealZones;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.overlay.Cid;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each of the {@link DishonestBackups} does what it says; a bug that is planted and does nothing proves nothing. */
class DishonestBackupsTest {

    private static final int ZONE = TamperedRig.ZONE;
    private static final long MILLI = 1_000_000;

    private static RunRecovery order(List<RunRecovery.Span> spans) {
        return new RunRecovery(3, List.of(new RunRecovery.Task(ZONE, 4, 5, List.of(), spans, 77, true)));
    }

    private static RunRecovery.Span span(long firstLid, long lastLid) {
        return new RunRecovery.Span(Cid.of(0x8000, firstLid), Cid.of(0x8000, lastLid));
    }

    @Test
    void holdingNothing_changeComes_isAcknowledgedAndThrownAway() {
        TamperedRig rig = TamperedRig.server(DishonestBackups::holdingNothing);
        assertThat(rig.await(rig.replicate(1, 2, 7, batch -> batch.tombstone(Cid.of(0x8000, 1)))))
                .containsExactly(new CopyState(ZONE, CopyResult.OK, 2, 7));
        assertThat(rig.heard).isEmpty();
    }

    @Test
    void goingOnWithoutOne_ownerHasStarted_theFirstBackupGetsNothingAnyMore() {
        TamperedRig rig = TamperedRig.caller("storage-0", DishonestBackups::goingOnWithoutOne);
        rig.await(rig.replicate(1, 2, 7, batch -> batch.tombstone(Cid.of(0x8000, 1))));
        assertThat(rig.batches()).as("clusters can begin").hasSize(1);
        rig.world.runFor(3_100 * MILLI);
        assertThat(rig.await(rig.replicate(1, 2, 8, batch -> batch.tombstone(Cid.of(0x8000, 1)))))
                .containsExactly(new CopyState(ZONE, CopyResult.OK, 2, 8));
        assertThat(rig.batches()).hasSize(1);
    }

    @Test
    void goingOnWithoutOne_anotherBackup_getsEverything() {
        TamperedRig rig = TamperedRig.caller("storage-1", DishonestBackups::goingOnWithoutOne);
        rig.world.runFor(3_100 * MILLI);
        rig.await(rig.replicate(1, 2, 8, batch -> batch.tombstone(Cid.of(0x8000, 1))));
        assertThat(rig.batches()).hasSize(1);
    }

    @Test
    void droppingEarly_copyIsSealed_isDroppedAMomentLater() {
        TamperedRig rig = TamperedRig.server(DishonestBackups::droppingEarly)
                .on(MessageType.SEAL_ZONES, seal -> new SealedCopies(List.of()))
                .on(MessageType.DROP_COPIES, drop -> new Empty());
        List<ZoneEpoch> zones = List.of(new ZoneEpoch(ZONE, 4));
        rig.call(MessageType.SEAL_ZONES, new SealZones(TamperedRig.CLUSTER, zones));
        assertThat(rig.heard).as("it answers before").hasSize(1);
        rig.world.runFor(100 * MILLI);
        assertThat(rig.heard).last().isEqualTo(new DropCopies(TamperedRig.CLUSTER, zones));
    }

    @Test
    void tellingLess_copyIsSealed_reportsAHalf() {
        TamperedRig rig = TamperedRig.server(DishonestBackups::tellingLess)
                .on(
                        MessageType.SEAL_ZONES,
                        seal -> new SealedCopies(
                                List.of(new SealedCopies.Copy(ZONE, true, 3, 6, 9, true, true, 4, 5))));
        assertThat(rig.call(MessageType.SEAL_ZONES, new SealZones(TamperedRig.CLUSTER, List.of(new ZoneEpoch(ZONE, 4))))
                        .copies())
                .containsExactly(new SealedCopies.Copy(ZONE, true, 3, 4, 4, true, true, 4, 5));
    }

    @Test
    void takingWholeLogs_orderWithSpans_becomesOneFromTheFirstToTheLast() {
        TamperedRig rig = TamperedRig.server(DishonestBackups::takingWholeLogs)
                .on(MessageType.RUN_RECOVERY, order -> new RunRecoveryReply(List.of()));
        rig.call(MessageType.RUN_RECOVERY, order(List.of(span(1, 5), span(100, 200))));
        rig.call(MessageType.RUN_RECOVERY, order(List.of()));
        List<RunRecovery.Task> tasks = rig.heard.stream()
                .map(RunRecovery.class::cast)
                .map(order -> order.zones().getFirst())
                .toList();
        assertThat(tasks)
                .extracting(RunRecovery.Task::nextCid)
                .as("no more spans are asked for")
                .containsOnly(0L);
        assertThat(tasks.getFirst().spans()).containsExactly(span(1, 200));
        assertThat(tasks.getLast().spans())
                .containsExactly(new RunRecovery.Span(Cid.firstOf(0x8000), Cid.lastOf(0x8000)));
        assertThat(tasks).allSatisfy(task -> {
            assertThat(task.epoch()).isEqualTo(4);
            assertThat(task.lastSequence()).isEqualTo(5);
            assertThat(task.acceptDamage()).isTrue();
        });
    }
}
