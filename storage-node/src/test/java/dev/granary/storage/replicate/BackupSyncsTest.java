package dev.granary.storage.replicate;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.C;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.TIMEOUT_NANOS;
import static dev.granary.storage.replicate.LoneOwner.ZONE;
import static dev.granary.storage.replicate.LoneOwner.copy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.backup.ZoneSummary;
import dev.granary.storage.backup.BackupPeer;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackupSyncsTest {

    private static final long SECOND = 1_000 * MILLI;

    private final LoneOwner owner = new LoneOwner();
    private final OwnedZone zone = owner.zone(B, C);
    private final BackupSyncs syncs = copy(zone, B).stream.syncs();

    @AfterEach
    void close() {
        owner.close();
    }

    /** What the disk of a backup has, after its power was away. */
    private long lastOnDisk(int nid) {
        BackupPeer backup = owner.backup(nid);
        backup.powerOff();
        backup.start();
        owner.world.runFor(MILLI);
        ZoneSummary found = Objects.requireNonNull(backup.life().log().zone(ZONE));
        return found.lastSequence();
    }

    @Test
    void pump_changesToBeSynced_areOnTheDisksOfAllMembersOnceTheyCountAsSynced() {
        owner.delete(zone, 1, false);
        owner.delete(zone, 2, true);
        assertThat(owner.world.runUntil(() -> zone.synced() == 2, SECOND)).isTrue();
        assertThat(lastOnDisk(B)).isEqualTo(2);
        assertThat(lastOnDisk(C)).isEqualTo(2);
    }

    @Test
    void pump_changeThatNeedsNoSync_isNotAskedAbout() {
        owner.delete(zone, 1, false);
        assertThat(owner.world.runUntil(() -> zone.acked() == 1, SECOND)).isTrue();
        owner.world.runFor(SECOND);
        assertThat(zone.synced()).isZero();
    }

    @Test
    void pump_changesDuringASync_areSyncedByTheNext() {
        for (int lid = 1; lid <= 20; lid++) {
            owner.delete(zone, lid, true);
            owner.world.runFor(MILLI / 10);
        }
        assertThat(owner.world.runUntil(() -> zone.synced() == 20, SECOND)).isTrue();
        assertThat(lastOnDisk(B)).isEqualTo(20);
    }

    @Test
    void pump_anotherPeerIsAtTheAddress_backupIsAskedOnceItsAddressIsKnown() {
        BackupPeer moved = owner.backup(B);
        owner.run(() -> owner.replication().addresses().learn(B, owner.backup(C).address()));
        owner.delete(zone, 1, true);
        owner.world.runFor(100 * MILLI);
        assertThat(zone.synced()).isZero();
        owner.run(() -> owner.replication().addresses().learn(B, moved.address()));
        assertThat(owner.world.runUntil(() -> zone.synced() == 1, SECOND)).isTrue();
    }

    @Test
    void isSilent_whileItsDiskIsAwaited_onlyWhenTheBackupAnswersNothing() {
        owner.run(syncs::beginDiskWait);
        owner.world.runFor(2 * SECOND);
        assertThat(syncs.isSilent()).as("it answers what needs no disk").isFalse();
        owner.backup(B).kill();
        owner.world.runFor(TIMEOUT_NANOS / 2);
        assertThat(syncs.isSilent()).isFalse();
        owner.world.runFor(TIMEOUT_NANOS);
        assertThat(syncs.isSilent()).isTrue();
        owner.backup(B).start();
        owner.world.runFor(SECOND);
        assertThat(syncs.isSilent()).isFalse();
        owner.run(syncs::endDiskWait);
        owner.world.runFor(SECOND);
        assertThat(syncs.isSilent()).as("nobody waits, so nobody asks").isTrue();
    }

    @Test
    void beginDiskWait_longAfterTheLastAnswer_theBackupHasTheWholeTimeoutAgain() {
        owner.world.runFor(10 * SECOND);
        assertThat(syncs.isSilent()).isTrue();
        owner.run(syncs::beginDiskWait);
        assertThat(syncs.isSilent()).isFalse();
        owner.run(syncs::endDiskWait);
    }

    @Test
    void listen_backupStandsStillDuringASync_isToBeDroppedAfterTheTimeout() {
        owner.wantedCopies = 2;
        owner.run(() -> owner.replication().wantCopies(2));
        owner.delete(zone, 1, false);
        assertThat(owner.world.runUntil(() -> zone.acked() == 1, SECOND)).isTrue();
        owner.run(() -> {
            zone.lock();
            try {
                zone.wantSynced();
            } finally {
                zone.unlock();
            }
            zone.send();
        });
        owner.backup(B).machine().pause(5 * SECOND);
        owner.world.runFor(TIMEOUT_NANOS - 50 * MILLI);
        assertThat(owner.changes).isEmpty();
        owner.world.runFor(200 * MILLI);
        assertThat(owner.changes).isNotEmpty();
        assertThat(owner.changes.getFirst().dropped()).containsExactly(B);
        assertThat(zone.synced()).as("the other one has synced").isEqualTo(1);
    }
}
