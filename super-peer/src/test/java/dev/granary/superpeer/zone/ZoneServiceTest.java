package dev.granary.superpeer.zone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RecoveryMessages.RecoverZone;
import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.OpenZone;
import dev.granary.net.message.ZoneMessages.WantedCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.net.message.ZoneMessages.ZoneList;
import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.net.message.ZoneMessages.ZoneRanges;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ZoneCommand;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ZoneServiceTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final int D = 0x2000;
    private static final int ZONE = BackupZone.id(A, 1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LoneArc arc = new LoneArc(2);
    private final ZoneService zones =
            new ZoneService(arc.lone.node(), arc.state, arc::commit, arc.service, arc.arcs, arc.catalog, arc.planner);
    private final Map<Integer, ZoneEpoch> dropped = new TreeMap<>();

    ZoneServiceTest() {
        for (int nid : new int[] {A, B, C, D}) {
            arc.serve(nid, new Answers().to(MessageType.DROP_COPIES, drop -> {
                        dropped.put(nid, drop.zones().getFirst());
                        return new Empty();
                    }));
        }
        arc.lone.answer(MessageType.OPEN_ZONE, zones::openZone);
        arc.lone.answer(MessageType.CHANGE_COPIES, zones::changeCopies);
        arc.lone.answer(MessageType.RECOVERED, zones::recovered);
        arc.lone.answer(MessageType.LIST_ZONES, zones::listZones);
        arc.lone.answer(MessageType.ZONE_RANGES, zones::zoneRanges);
        arc.lone.answer(MessageType.RECOVER_ZONE, zones::recoverZone);
        arc.lone.run(arc::begin);
        arc.lone.runFor(SECOND);
        arc.committed.clear();
    }

    @AfterEach
    void nothingFailed() {
        assertThat(arc.lone.failures).isEmpty();
    }

    private Placement changed(long epoch, List<Integer> drop, List<Integer> add) {
        return arc.lone
                .reply(MessageType.CHANGE_COPIES, new ChangeCopies(ZONE, A, 1, epoch, drop, add, "test"))
                .placement();
    }

    @Test
    void openZone_takenOverChunks_haveAZoneWithCopiesOnOthers() {
        arc.open(A, 1, B, D);
        OpenZone open = new OpenZone(A, C, 1);
        Placement placed = arc.lone.reply(MessageType.OPEN_ZONE, open).placement();
        assertThat(placed.owner()).isEqualTo(C);
        assertThat(placed.zone()).isEqualTo(BackupZone.id(A, 2));
        assertThat(placed.backups()).hasSize(2).doesNotContain(C).doesNotHaveDuplicates();
        assertThat(placed.state()).isEqualTo(PlacementState.IN_SYNC);
        assertThat(arc.lone.reply(MessageType.OPEN_ZONE, open)).as("once more").isEqualTo(new ZonePlacement(placed));
        assertThat(arc.committed).hasSize(1);
    }

    @Test
    void openZone_notOfStoragePeers_isRefused() {
        for (OpenZone wrong : List.of(new OpenZone(0x0001, C, 1), new OpenZone(A, 0x0001, 1), new OpenZone(A, C, 0))) {
            assertThat(arc.lone.refusal(MessageType.OPEN_ZONE, wrong).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        }
        assertThat(arc.committed).isEmpty();
    }

    @Test
    void changeCopies_ofThePresentEpoch_droppedMembersAreTold() {
        arc.open(A, 1, B, C);
        Placement expected = new Placement(A, new int[] {C, D}, 2, ZONE, PlacementState.IN_SYNC);
        assertThat(changed(1, List.of(B), List.of(D))).isEqualTo(expected);
        arc.lone.runFor(SECOND);
        assertThat(dropped).containsExactly(Map.entry(B, new ZoneEpoch(ZONE, 2)));

        assertThat(changed(1, List.of(C), List.of())).as("of an earlier epoch").isEqualTo(expected);
        arc.lone.runFor(SECOND);
        assertThat(dropped).hasSize(1);
    }

    @Test
    void changeCopies_memberThatIsFilledAgain_isNotToldToDropItsCopy() {
        arc.open(A, 1, B, C);
        assertThat(changed(1, List.of(B), List.of(B)).backups()).containsExactlyInAnyOrder(B, C);
        arc.lone.runFor(SECOND);
        assertThat(dropped).isEmpty();
    }

    @Test
    void changeCopies_zoneOrPeerIsUnknown_isRefused() {
        ChangeCopies change = new ChangeCopies(ZONE, A, 1, 1, List.of(), List.of(0x1000), "");
        assertThat(arc.lone.refusal(MessageType.CHANGE_COPIES, change).code()).isEqualTo(ErrorCode.NOT_FOUND);
        arc.open(A, 1, B);
        assertThat(arc.lone.refusal(MessageType.CHANGE_COPIES, change).message())
                .contains("storage peer 0x1000");
        assertThat(arc.committed).isEmpty();
    }

    @Test
    void requests_storagePeersOfSomeArcAreUnknown_wait() {
        LoneArc fresh = new LoneArc(2);
        fresh.reported = List.of();
        ZoneService service = new ZoneService(
                fresh.lone.node(), fresh.state, fresh::commit, fresh.service, fresh.arcs, fresh.catalog, fresh.planner);
        fresh.open(A, 1, B, C);
        fresh.lone.answer(MessageType.OPEN_ZONE, service::openZone);
        fresh.lone.answer(MessageType.LIST_ZONES, service::listZones);
        fresh.lone.run(fresh::begin);
        fresh.lone.runFor(SECOND);
        assertThat(fresh.lone
                        .refusal(MessageType.OPEN_ZONE, new OpenZone(A, C, 1))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(fresh.lone
                        .reply(MessageType.LIST_ZONES, new ListZones(A, A, 0))
                        .wantedCopies())
                .isEqualTo(WantedCopies.UNKNOWN);
    }

    @Test
    void recovered_byTheCandidate_othersThatWereMembersDropTheirCopies() {
        arc.open(A, 1, B, C);
        arc.end(A);
        ZoneRecord.Recovery decision = new ZoneRecord.Recovery(B, 1, 5, 1, List.of(new ZoneMember(B, 1)));
        arc.state.apply(new ZoneCommand.DecideRecoveries(A, List.of(new ZoneCommand.Decision(ZONE, 2, decision))));
        Recovered wrong = new Recovered(ZONE, 3, C, 1, 10, 80, false);
        assertThat(arc.lone.reply(MessageType.RECOVERED, wrong).placement().isServed())
                .isFalse();
        assertThat(zones.recoveries().recoveredCount()).isZero();

        Placement placed = arc.lone
                .reply(MessageType.RECOVERED, new Recovered(ZONE, 3, B, 1, 10, 80, false))
                .placement();

        assertThat(placed.owner()).isEqualTo(B);
        assertThat(placed.epoch()).isEqualTo(3);
        assertThat(zones.recoveries().recoveredCount()).isEqualTo(1);
        arc.lone.runFor(SECOND);
        assertThat(arc.zone(ZONE).spares()).as("C has a spare copy").isNotNull();
        assertThat(dropped).isEmpty();
    }

    @Test
    void listZones_ofAnOwner_onlyItsOwnBehindTheLastOne() {
        arc.open(A, 3, B, C);
        arc.lone.reply(MessageType.OPEN_ZONE, new OpenZone(A, C, 1));
        ZoneList all = arc.lone.reply(MessageType.LIST_ZONES, new ListZones(A, A, 0));
        assertThat(all.zones()).extracting(Placement::zone).containsExactly(ZONE, ZONE + 1, ZONE + 2);
        assertThat(all.wantedCopies()).isEqualTo(2);
        assertThat(all.nextZone()).isZero();
        assertThat(arc.lone
                        .reply(MessageType.LIST_ZONES, new ListZones(A, A, ZONE + 1))
                        .zones())
                .hasSize(1);
        assertThat(arc.lone
                        .reply(MessageType.LIST_ZONES, new ListZones(A, C, 0))
                        .zones())
                .extracting(Placement::zone)
                .containsExactly(ZONE + 3);
        assertThat(arc.lone
                        .reply(MessageType.LIST_ZONES, new ListZones(0x0001, A, 0))
                        .zones())
                .isEmpty();
    }

    @Test
    void zoneRanges_ofAZone_fromAChunkOn() {
        arc.open(A, 2, B, C);
        RangeList ranges = arc.lone.reply(MessageType.ZONE_RANGES, new ZoneRanges(ZONE + 1, 0));
        assertThat(ranges.nextCid()).isZero();
        assertThat(ranges.ranges())
                .containsExactly(new CidRange(
                        Cid.of(A, 101), Cid.of(A, 200), arc.zone(ZONE + 1).placement()));
        assertThat(arc.lone
                        .reply(MessageType.ZONE_RANGES, new ZoneRanges(ZONE, Cid.of(A, 150)))
                        .ranges())
                .isEmpty();
        assertThat(arc.lone
                        .refusal(MessageType.ZONE_RANGES, new ZoneRanges(ZONE + 7, 0))
                        .code())
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void recoverZone_thatHasAnOwner_isRefused() {
        arc.open(A, 1, B, C);
        assertThat(arc.lone
                        .refusal(MessageType.RECOVER_ZONE, new RecoverZone(ZONE))
                        .code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
        arc.end(A);
        assertThat(arc.lone
                        .reply(MessageType.RECOVER_ZONE, new RecoverZone(ZONE))
                        .placement())
                .isEqualTo(arc.zone(ZONE).placement());
    }

    @Test
    void requests_arcIsNotLedAnyMore_comeLater() {
        arc.open(A, 1, B, C);
        arc.lone.run(arc.service::end);
        assertThat(arc.lone
                        .refusal(MessageType.LIST_ZONES, new ListZones(A, A, 0))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.lone
                        .refusal(MessageType.ZONE_RANGES, new ZoneRanges(ZONE, 0))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.lone
                        .refusal(MessageType.RECOVER_ZONE, new RecoverZone(ZONE))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
    }
}
