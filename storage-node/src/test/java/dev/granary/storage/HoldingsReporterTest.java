package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.RecoveryMessages.ReportHoldings;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a whole storage peer tells by its {@link HoldingsReporter}. */
class HoldingsReporterTest {

    private static final int NID = AnsweringSuperPeer.STORAGE_NID;
    private static final int OTHER = 0x4000;
    private static final HostAddress REBUILDER = new HostAddress("new-super", 7400);
    private static final long SECOND = 1_000_000_000;

    private final NodeFixture peer = new NodeFixture();

    @AfterEach
    void close() {
        peer.close();
        assertThat(peer.failures).isEmpty();
    }

    private Holdings reported(RawClient client, long fromCid) {
        return client.await(client.call(MessageType.REPORT_HOLDINGS, new ReportHoldings(REBUILDER, fromCid)));
    }

    private static CidRange ownedFrom(long firstLid) {
        return new CidRange(Cid.of(NID, firstLid), Cid.lastOf(NID), Placement.unreplicated(NID, 1));
    }

    private static CidRange away(long firstLid, long lastLid) {
        Placement placement = new Placement(OTHER, new int[0], 4, NID << 15 | 2, PlacementState.IN_SYNC);
        return new CidRange(Cid.of(NID, firstLid), Cid.of(NID, lastLid), placement);
    }

    @Test
    void report_diskIsNew_saysThatItNeverBelongedToACluster() {
        peer.superPeer.unanswered.add(MessageType.ASSIGN_NID.code());
        peer.start();
        RawClient client = peer.client();
        assertThat(client.errorOf(client.call(MessageType.REPORT_HOLDINGS, new ReportHoldings(REBUILDER, 0))))
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void report_itServes_tellsWhoItIsAndWhatItOwns() {
        peer.ready();
        RawClient client = peer.client();
        client.fence(77, client.create(new byte[8])[0]);
        Holdings told = reported(client, 0);
        assertThat(told.clusterId()).isEqualTo(peer.superPeer.clusterId);
        assertThat(told.nid()).isEqualTo(NID);
        assertThat(told.incarnation()).isEqualTo(peer.superPeer.incarnation);
        assertThat(told.epoch()).isEqualTo(1);
        assertThat(told.firstLid()).isEqualTo(1);
        assertThat(told.lidLimit()).isEqualTo(peer.superPeer.lidLimit);
        assertThat(told.greatestToken()).isEqualTo(77);
        assertThat(told.leaseNanos()).isEqualTo(peer.superPeer.leaseNanos);
        assertThat(told.leaseRemainingNanos()).isBetween(1L, peer.superPeer.leaseNanos);
        assertThat(told.ringEpoch()).isEqualTo(1);
        assertThat(told.superPeers()).containsExactly(AnsweringSuperPeer.NID);
        assertThat(told.ringAddresses()).containsExactly(NodeFixture.SUPER_PEER);
        assertThat(told.address().host()).isEqualTo("peer");
        assertThat(told.moves()).isEmpty();
        assertThat(told.nextCid()).isZero();
        assertThat(told.ranges()).containsExactly(ownedFrom(1));
    }

    /** A ring is rebuilt when no lease can be out any more. */
    @Test
    void report_leaseHasEnded_tellsThatItHoldsNoneAndStillWhatItOwns() {
        peer.ready();
        RawClient client = peer.client();
        peer.cutSuperPeer();
        peer.advance(2 * peer.superPeer.leaseNanos);
        Holdings told = reported(client, 0);
        assertThat(told.leaseRemainingNanos()).isZero();
        assertThat(told.leaseNanos()).isEqualTo(peer.superPeer.leaseNanos);
        assertThat(told.epoch()).isEqualTo(1);
        assertThat(told.ranges()).hasSize(1);
    }

    /** It may not be asked to give back what its former process had: that is lost. */
    @Test
    void report_nextProcessWithoutALease_ownsNothingAndKnowsItsNid() {
        peer.ready();
        peer.superPeer.unanswered.add(MessageType.OPEN_LEASE.code());
        peer.killAndStart();
        peer.advance(SECOND);
        Holdings told = reported(peer.client(), 0);
        assertThat(told.nid()).isEqualTo(NID);
        assertThat(told.clusterId()).isEqualTo(peer.superPeer.clusterId);
        assertThat(told.epoch()).isZero();
        assertThat(told.lidLimit()).isZero();
        assertThat(told.leaseRemainingNanos()).isZero();
        assertThat(told.ranges()).isEmpty();
    }

    @Test
    void report_someOfItsChunksAreElsewhere_namesTheirOwnersAndKeepsTheRest() {
        peer.superPeer.firstLid = 101;
        peer.superPeer.away = List.of(away(3, 5), away(10, 10));
        peer.ready();
        assertThat(reported(peer.client(), 0).ranges()).containsExactly(away(3, 5), away(10, 10), ownedFrom(101));
    }

    @Test
    void report_chunksAreInAZone_namesTheZoneAndItsBackups() {
        peer.superPeer.place();
        peer.superPeer.lidLimit = 1_001;
        peer.ready();
        assertThat(reported(peer.client(), 0).ranges())
                .startsWith(new CidRange(Cid.of(NID, 1), Cid.of(NID, 1_000), peer.superPeer.zone()));
    }

    /** Pages are of one moment: what changes meanwhile must not be missing in all of them. */
    @Test
    void report_moreRangesThanFitIntoAPage_pagesFollowOneAnother() {
        List<CidRange> many = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            many.add(away(1 + 2L * i, 1 + 2L * i));
        }
        peer.superPeer.firstLid = 20_001;
        peer.superPeer.away = many;
        peer.ready();
        RawClient client = peer.client();
        Holdings first = reported(client, 0);
        assertThat(first.ranges()).hasSize(4_096).isEqualTo(many.subList(0, 4_096));
        assertThat(first.nextCid()).isEqualTo(many.get(4_096).startCid());
        Holdings second = reported(client, first.nextCid());
        assertThat(second.ranges())
                .hasSize(5_000 - 4_096 + 1)
                .startsWith(many.get(4_096))
                .contains(many.getLast());
        assertThat(second.nextCid()).isZero();
        assertThat(second.ranges().getLast()).isEqualTo(ownedFrom(20_001));
    }
}
