package dev.granary.storage.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ArcTargetTest {

    private static final int OWN = 0x4000;
    private final TimeoutException silence = new TimeoutException("no reply");

    private final RingView ring = new RingView(List.of(new HostAddress("seed", 7400)));
    private final ArcTarget target = new ArcTarget(ring);
    private List<RingMember> holders = List.of();

    private static RingMember member(int k) {
        return new RingMember(
                Nid.superPeerNid(k), "sp-" + k, new HostAddress("h" + k, 7400), new HostAddress("h" + k, 7401));
    }

    @BeforeEach
    void knowARingOfThree() {
        ring.update(new Ring(new UUID(1, 2), 1, 3, true, List.of(member(0)))
                .withMember(member(1))
                .withMember(member(2)));
        holders = ring.holdersOf(OWN);
        assertThat(holders).hasSize(3);
    }

    /**
     * As many questions at once as there are super-peers: all of them came back to the one that is silent, for ever.
     */
    @Test
    void failed_threeQuestionsToTheSameSilentOne_theNextOneIsAsked() {
        ArcTarget.Target silent = target.target(OWN);
        for (int i = 0; i < 3; i++) {
            assertThat(target.failed(OWN, silent, silence)).isFalse();
        }
        assertThat(target.target(OWN).address()).isEqualTo(holders.get(1).address());
    }

    @Test
    void failed_oneAfterTheOther_asksAllOfThemInTurn() {
        for (int i = 0; i < 6; i++) {
            assertThat(target.target(OWN).address())
                    .isEqualTo(holders.get(i % 3).address());
            target.failed(OWN, target.target(OWN), silence);
        }
    }

    @Test
    void failed_namedAnotherWhileOthersWereSilent_theNamedOneIsAsked() {
        HostAddress leader = new HostAddress("leader", 7400);
        ArcTarget.Target asked = target.target(OWN);
        assertThat(target.failed(
                        OWN, asked, new RemoteErrorException("elsewhere", ErrorReply.redirect(leader, 1, "elsewhere"))))
                .isTrue();
        assertThat(target.failed(OWN, asked, silence)).isFalse();
        assertThat(target.target(OWN).address()).isEqualTo(leader);
    }
}
