package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.PeerInfo;
import dev.granary.net.message.PeerStatistics;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class KnownPeersTest {
    private static final HostAddress ADDRESS = new HostAddress("p", 7500);
    private static final PeerStatistics NOTHING = new PeerStatistics(0, 0, 0, 0, 1, 0, 0);
    private static final Ring RING =
            new Ring(new UUID(1, 1), 1, 2, true, List.of(superPeer(0x0001), superPeer(0x8001)));

    private final KnownPeers known = new KnownPeers();

    private static RingMember superPeer(int nid) {
        return new RingMember(nid, "s", ADDRESS, ADDRESS);
    }

    private static PeerInfo peer(int nid, long epoch, PeerInfo.Drain drain) {
        return new PeerInfo(
                nid, "p", ADDRESS, ADDRESS, true, 0, epoch, 1, 1, drain, 0, NOTHING, epoch - 1, "", "", false);
    }

    @Test
    void told_nobodyServesTheirArcAnyMore_peersStay() {
        known.told(
                List.of(peer(0x4000, 1, PeerInfo.Drain.NONE), peer(0x8000, 1, PeerInfo.Drain.NONE)), List.of(0x8001));
        known.told(List.of(), List.of());

        assertThat(known.all()).extracting(PeerInfo::nid).containsExactly(0x4000, 0x8000);
    }

    @Test
    void told_sameIncarnationAgain_isAsToldLast() {
        known.told(List.of(peer(0x4000, 1, PeerInfo.Drain.NONE)), List.of(0x8001));
        known.told(List.of(peer(0x4000, 1, PeerInfo.Drain.RUNNING)), List.of(0x8001));

        assertThat(known.all()).extracting(PeerInfo::draining).containsExactly(true);
    }

    @Test
    void told_earlierIncarnationByAFormerLeader_laterStays() {
        known.told(List.of(peer(0x4000, 2, PeerInfo.Drain.NONE)), List.of(0x8001));
        known.told(List.of(peer(0x4000, 1, PeerInfo.Drain.RUNNING)), List.of());

        assertThat(known.all()).extracting(PeerInfo::epoch).containsExactly(2L);
    }

    @Test
    void knowsArcsOf_oneArcWasNeverTold_isFalseUntilItIs() {
        known.told(List.of(), List.of(0x0001));
        known.told(List.of(), List.of());
        assertThat(known.knowsArcsOf(RING)).isFalse();

        known.told(List.of(), List.of(0x8001));
        assertThat(known.knowsArcsOf(RING)).isTrue();
    }
}
