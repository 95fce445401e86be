package dev.granary.net.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ArcRouteTest {

    private static final int OWN = 0x4000;
    private static final Target LEADER = Target.at(new HostAddress("leader", 7400));

    private final Ring ring = new Ring(new UUID(1, 2), 1, 3, true, List.of(member(0)))
            .withMember(member(1))
            .withMember(member(2));
    private final List<Target> holders = Target.of(ring.holdersOf(OWN));
    private final ArcRoute route = new ArcRoute(() -> ring);

    private static RingMember member(int k) {
        return new RingMember(
                Nid.superPeerNid(k), "sp-" + k, new HostAddress("h" + k, 7400), new HostAddress("h" + k, 7401));
    }

    /**
     * With as many requests at once as there are super-peers, they must not all come back to the silent one for ever.
     */
    @Test
    void failed_threeQuestionsToTheSameSilentOne_theNextOneIsAsked() {
        Target silent = route.target(OWN);
        for (int i = 0; i < 3; i++) {
            route.failed(OWN, silent);
        }
        assertThat(route.target(OWN)).isEqualTo(holders.get(1));
    }

    @Test
    void failed_oneAfterTheOther_asksAllOfThemInTurn() {
        assertThat(holders).hasSize(3);
        for (int i = 0; i < 6; i++) {
            assertThat(route.target(OWN)).isEqualTo(holders.get(i % 3));
            route.failed(OWN, route.target(OWN));
        }
    }

    @Test
    void answered_oneThatWasNamed_isAskedFromNowOn() {
        Target asked = route.target(OWN);
        route.answered(OWN, LEADER);
        assertThat(route.target(OWN)).isEqualTo(LEADER);
        // Another question went the same way, and to a silent one.
        route.failed(OWN, asked);
        assertThat(route.target(OWN)).isEqualTo(LEADER);
    }

    @Test
    void failed_namedOneFallsSilent_theNextOfTheRingIsAsked() {
        route.answered(OWN, LEADER);
        route.failed(OWN, LEADER);
        assertThat(route.target(OWN)).isEqualTo(holders.get(1));
    }

    @Test
    void target_ringIsNotKnown_isRefused() {
        ArcRoute early = new ArcRoute(() -> null);
        assertThatThrownBy(() -> early.target(OWN)).isInstanceOf(IllegalStateException.class);
    }
}
