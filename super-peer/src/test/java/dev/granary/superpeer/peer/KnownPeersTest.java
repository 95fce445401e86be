package dev.granary.superpeer.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.overlay.Arc;
import dev.granary.overlay.HostAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnownPeersTest {
    private static final HostAddress ADDRESS = new HostAddress("p", 7500);
    private static final PeerStatistics NOTHING = new PeerStatistics(0, 0, 0, 0, 1, 0, 0);
    private static final Arc LOW = new Arc(0x8001, 0x0001);
    private static final Arc HIGH = new Arc(0x0001, 0x8001);

    private final KnownPeers known = new KnownPeers();

    private static PeerInfo peer(int nid, long epoch, PeerInfo.Drain drain) {
        return new PeerInfo(
                nid, "p", ADDRESS, ADDRESS, true, 0, epoch, 1, 1, drain, 0, NOTHING, epoch - 1, "", "", false, null);
    }

    @Test
    void told_nobodyServesTheirArcAnyMore_peersStay() {
        known.told(List.of(peer(0x4000, 1, PeerInfo.Drain.NONE), peer(0x8000, 1, PeerInfo.Drain.NONE)), List.of(HIGH));
        known.told(List.of(), List.of());

        assertThat(known.all()).extracting(PeerInfo::nid).containsExactly(0x4000, 0x8000);
    }

    @Test
    void told_sameIncarnationAgain_isAsToldLast() {
        known.told(List.of(peer(0x4000, 1, PeerInfo.Drain.NONE)), List.of(HIGH));
        known.told(List.of(peer(0x4000, 1, PeerInfo.Drain.RUNNING)), List.of(HIGH));

        assertThat(known.all()).extracting(PeerInfo::draining).containsExactly(true);
    }

    @Test
    void told_earlierIncarnationByAFormerLeader_laterStays() {
        known.told(List.of(peer(0x4000, 2, PeerInfo.Drain.NONE)), List.of(HIGH));
        known.told(List.of(peer(0x4000, 1, PeerInfo.Drain.RUNNING)), List.of());

        assertThat(known.all()).extracting(PeerInfo::epoch).containsExactly(2L);
    }

    @Test
    void knowWholeRing_oneArcWasNeverTold_isFalseUntilItIs() {
        known.told(List.of(), List.of(LOW));
        known.told(List.of(), List.of());
        assertThat(known.knowWholeRing()).isFalse();

        known.told(List.of(), List.of(HIGH));
        assertThat(known.knowWholeRing()).isTrue();
    }

    @Test
    void knowWholeRing_partOfAnArcWasTold_isFalseUntilAllOfItIs() {
        known.told(List.of(), List.of(LOW, new Arc(0x0001, 0x4001)));
        assertThat(known.knowWholeRing()).isFalse();

        known.told(List.of(), List.of(new Arc(0x4001, 0x8001)));
        assertThat(known.knowWholeRing()).isTrue();
    }

    @Test
    void knowWholeRing_oneSuperPeerForAll_isTrueOnceItHasTold() {
        known.told(List.of(), List.of(new Arc(0x0001, 0x0001)));
        assertThat(known.knowWholeRing()).isTrue();
    }

    @Test
    void stayingBeside_onesThatDrainAndOnesThatDoNot_countsTheOthersThatDoNot() {
        known.told(
                List.of(
                        peer(0x4000, 1, PeerInfo.Drain.NONE),
                        peer(0x8000, 1, PeerInfo.Drain.RUNNING),
                        peer(0xC000, 1, PeerInfo.Drain.NONE)),
                List.of(HIGH));
        assertThat(known.stayingBeside(0x4000)).isEqualTo(1);
        assertThat(known.stayingBeside(0x8000)).isEqualTo(2);
        assertThat(known.stayingBeside(0x2000)).isEqualTo(2);

        known.told(List.of(peer(0x4000, 1, PeerInfo.Drain.DONE)), List.of());
        known.told(List.of(peer(0x8000, 2, PeerInfo.Drain.NONE)), List.of());
        assertThat(known.stayingBeside(0x2000)).isEqualTo(2);
        assertThat(known.stayingBeside(0x8000)).isEqualTo(1);
    }
}
