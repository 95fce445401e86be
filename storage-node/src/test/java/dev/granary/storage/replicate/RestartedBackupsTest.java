package dev.granary.storage.replicate;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.C;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.NID;
import static dev.granary.storage.replicate.LoneOwner.ZONE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.FillCopy;
import dev.granary.net.message.ZoneMessages.LostCopy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What an owner does with orders to fill copies on members whose backups have restarted (ADR 0356), or have lost their
 * logs (ADR 0369).
 */
class RestartedBackupsTest {

    private static final long SECOND = 1_000 * MILLI;

    private final LoneOwner owner = new LoneOwner();
    private final ChunkMemory memory =
            ChunkMemories.open(ChunkMemoryConfig.of(NID, 8 << 20).withHugePages(false));

    private final ZoneContent content = new ZoneContent() {
        @Override
        public ChunkMemory memory() {
            return memory;
        }

        @Override
        public CompletableFuture<Void> turnOver() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void tell(long startCid, long endCidInclusive, Visitor visitor) {
            // No chunk has completion records or tokens.
        }
    };

    @BeforeEach
    void serve() {
        owner.wantedCopies = 2;
        owner.run(() -> {
            owner.replication().wantCopies(2);
            owner.replication().serve(content);
            owner.replication().addTo(owner.requests);
        });
    }

    @AfterEach
    void close() {
        owner.close();
        memory.verify().throwIfBroken();
        memory.close();
    }

    private void restart(int nid) {
        owner.backup(nid).kill();
        owner.backup(nid).start();
    }

    /** The arc takes a member for one that has restarted, and there is no other peer. */
    private void orderCopyOn(int nid, long epoch) {
        FillCopy order = new FillCopy(
                ZONE, epoch, LoneOwner.INCARNATION_EPOCH, nid, owner.backup(nid).address());
        CompletableFuture<?> answer = owner.ask(MessageType.FILL_COPY, order);
        owner.world.runFor(SECOND);
        assertThat(answer).isCompleted();
    }

    private List<Integer> members() {
        return Arrays.stream(Objects.requireNonNull(owner.replication().zones().byId(ZONE))
                        .placement()
                        .backups())
                .boxed()
                .toList();
    }

    @Test
    void fill_bothMembersHaveRestartedAndNothingChanges_eachGetsItsCopyAgainWhileTheZoneTakesWrites() {
        OwnedZone zone = owner.zone(B, C);
        owner.delete(zone, 1, true);
        owner.world.runFor(SECOND);
        restart(B);
        restart(C);
        owner.world.runFor(5 * SECOND);
        assertThat(members()).as("both have everything on their disks").containsExactly(B, C);

        orderCopyOn(B, 1);
        assertThat(members()).containsExactly(C);
        assertThat(zone.refusal()).as("one member is enough").isNull();
        orderCopyOn(B, 2);
        assertThat(members()).containsExactly(C, B);
        orderCopyOn(C, 3);
        assertThat(members()).containsExactly(B);
        assertThat(zone.refusal()).isNull();
        orderCopyOn(C, 4);

        assertThat(members()).containsExactly(B, C);
        assertThat(zone.acked()).isEqualTo(1);
    }

    @Test
    void fill_memberHasRestartedAndTheOtherIsSilent_staysAMember() {
        OwnedZone zone = owner.zone(B, C);
        owner.arcKeeps = true;
        owner.backup(C).kill();
        owner.delete(zone, 1, false);
        owner.world.runFor(2 * SECOND);
        orderCopyOn(B, 1);
        assertThat(owner.changes).isNotEmpty().allMatch(change -> !change.dropped()
                .contains(B));

        owner.arcKeeps = false;
        owner.world.runFor(SECOND);
        orderCopyOn(B, 2);

        assertThat(members()).as("the zone takes no writes without it").containsExactly(B);
        assertThat(zone.acked()).isEqualTo(1);
    }

    @Test
    void fill_orderIsOlderThanThePlacement_memberStays() {
        OwnedZone zone = owner.zone(B, C);
        orderCopyOn(B, 1);
        orderCopyOn(B, 2);
        assertThat(zone.placement().epoch()).isEqualTo(3);

        orderCopyOn(B, 2);

        assertThat(zone.placement().epoch()).isEqualTo(3);
        assertThat(members()).containsExactly(C, B);
    }

    @Test
    void fill_arcAnswersLate_memberIsDroppedOnce() {
        owner.zone(B, C);
        owner.arcKeeps = true;
        orderCopyOn(B, 1);
        orderCopyOn(B, 1);
        assertThat(members()).containsExactly(B, C);
        owner.arcKeeps = false;
        owner.world.runFor(SECOND);

        orderCopyOn(B, 1);

        assertThat(members()).containsExactly(C);
    }

    /** The backup has not synced what it acknowledged, and there is no third storage peer. */
    private OwnedZone zoneWhoseOnlyMemberLacksChanges() {
        OwnedZone zone = owner.zone(B);
        owner.delete(zone, 1, false);
        owner.world.runFor(2 * MILLI);
        assertThat(zone.acked()).isEqualTo(1);
        owner.backup(B).powerOff();
        owner.backup(B).start();
        owner.world.runFor(5 * SECOND);
        assertThat(zone.refusal()).as("the backup lacks what was acknowledged").isNotNull();
        assertThat(owner.changes).isEmpty();
        return zone;
    }

    @Test
    void fill_onlyMemberHasLostChanges_isFilledInItsPlaceAndNothingIsAcknowledgedBefore() {
        OwnedZone zone = zoneWhoseOnlyMemberLacksChanges();
        owner.arcRefusal = ErrorReply.of(ErrorCode.RETRY_LATER, "nobody leads the arc");

        orderCopyOn(B, 1);
        owner.run(() -> owner.replication().wantCopies(0));
        owner.world.runFor(SECOND);
        assertThat(owner.changes).isNotEmpty().allMatch(change -> change.added().equals(List.of(B)));
        assertThat(zone.refusal())
                .as("whatever is wanted, the arc has not committed it")
                .isNotNull();

        owner.arcRefusal = null;
        owner.world.runFor(SECOND);

        assertThat(members()).containsExactly(B);
        assertThat(zone.refusal()).isNull();
        owner.delete(zone, 2, true);
        owner.world.runFor(SECOND);
        assertThat(zone.acked()).isEqualTo(2);
    }

    /** The log of a backup fails and it begins an empty one, in the same incarnation (ADR 0124). */
    private void loseLog(int nid) {
        Map<Integer, Long> promises = owner.backup(nid).life().service().promises();
        owner.backup(nid).kill();
        owner.backup(nid).machine().disk().replace();
        owner.backup(nid).startWithout(promises);
    }

    @Test
    void round_logOfTheOnlyMemberBeginsAnew_arcIsToldAndItsOrderFillsTheMemberInItsPlace() {
        OwnedZone zone = owner.zone(B);
        owner.delete(zone, 1, false);
        owner.world.runFor(SECOND);
        assertThat(zone.acked()).isEqualTo(1);
        assertThat(owner.lostCopyReports).isZero();
        loseLog(B);
        owner.delete(zone, 2, false);
        owner.world.runFor(3 * SECOND);
        assertThat(zone.refusal()).isNotNull();
        assertThat(owner.changes).as("it cannot be dropped").isEmpty();
        assertThat(owner.lostCopies).containsExactly(new LostCopy(ZONE, 1, B));

        orderCopyOn(B, 1);

        assertThat(members()).containsExactly(B);
        assertThat(zone.placement().epoch()).isEqualTo(2);
        assertThat(zone.refusal()).isNull();
        assertThat(zone.acked()).isEqualTo(2);
        int reports = owner.lostCopyReports;
        owner.delete(zone, 3, true);
        owner.world.runFor(5 * SECOND);
        assertThat(zone.acked()).isEqualTo(3);
        assertThat(owner.lostCopyReports).as("nothing is lost any more").isEqualTo(reports);
    }

    @Test
    void round_memberIsFilledInItsPlaceAndEnds_arcIsToldAgain() {
        OwnedZone zone = owner.zone(B);
        loseLog(B);
        owner.world.runFor(3 * SECOND);
        owner.backup(B).kill();
        orderCopyOn(B, 1);
        owner.world.runFor(30 * SECOND);
        int reports = owner.lostCopyReports;

        owner.world.runFor(3 * SECOND);

        assertThat(zone.refusal()).isNotNull();
        assertThat(owner.lostCopies).containsExactly(new LostCopy(ZONE, 1, B));
        assertThat(owner.lostCopyReports).isEqualTo(reports + 3);
    }

    @Test
    void round_memberWithoutItsCopyCanBeDropped_arcIsNotToldOfIt() {
        OwnedZone zone = owner.zone(B, C);
        loseLog(B);
        owner.world.runFor(5 * SECOND);

        assertThat(members()).containsExactly(C);
        assertThat(zone.refusal()).isNull();
        assertThat(owner.lostCopyReports).isZero();
    }

    @Test
    void round_onlyMemberIsSilent_arcIsNotTold() {
        OwnedZone zone = owner.zone(B);
        owner.backup(B).kill();
        owner.delete(zone, 1, false);
        owner.world.runFor(5 * SECOND);

        assertThat(zone.refusal()).isNotNull();
        assertThat(owner.lostCopyReports).as("it may have everything").isZero();
    }

    @Test
    void fill_onlyMemberEndsWhileItIsFilled_theNextOrderBeginsAgain() {
        OwnedZone zone = zoneWhoseOnlyMemberLacksChanges();
        owner.backup(B).kill();
        orderCopyOn(B, 1);
        owner.world.runFor(30 * SECOND);
        assertThat(zone.refusal()).isNotNull();
        owner.backup(B).start();

        orderCopyOn(B, 1);

        assertThat(members()).containsExactly(B);
        assertThat(zone.refusal()).isNull();
    }
}
