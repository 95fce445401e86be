package dev.granary.superpeer.state.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.state.ring.RingEvent.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a view of the ring tells of its growth. */
class RingViewTest {

    private static final long FOUNDED = 1_000_000;
    private static final long MINUTE = 60_000;
    private static final RingEvent FOUNDATION = event(1, FOUNDED, Kind.FOUNDED);

    private static RingEvent event(long number, long wallMillis, Kind kind) {
        return new RingEvent(number, wallMillis, kind, 0x4001);
    }

    private static RingView view(RingEvent... events) {
        return new RingView(1, LoneNode.CLUSTER, 1, 1, true, false, List.of(), null, List.of(events));
    }

    @Test
    void hasJustGrown_superPeerHasComeLater_isTrueForThatTime() {
        long came = FOUNDED + MINUTE;
        RingView grown = view(FOUNDATION, event(2, came, Kind.PROMOTED), event(3, came + 5, Kind.RESIZED));
        assertThat(grown.hasJustGrown(came, MINUTE)).isTrue();
        assertThat(grown.hasJustGrown(came + MINUTE - 1, MINUTE)).isTrue();
        assertThat(grown.hasJustGrown(came + MINUTE, MINUTE)).isFalse();
    }

    @Test
    void hasJustGrown_clusterIsBeingSetUp_isFalse() {
        RingView young = view(
                FOUNDATION, event(2, FOUNDED + 10_000, Kind.PROMOTED), event(3, FOUNDED + MINUTE - 1, Kind.PROMOTED));
        assertThat(young.hasJustGrown(FOUNDED + MINUTE, MINUTE)).isFalse();
    }

    /** The ring forgets old events. */
    @Test
    void hasJustGrown_foundationIsForgotten_countsFromTheLastOneThatCame() {
        RingView old = view(event(40, 10 * MINUTE, Kind.PROMOTED), event(41, 12 * MINUTE, Kind.PROMOTED));
        assertThat(old.hasJustGrown(12 * MINUTE + 30_000, MINUTE)).isTrue();
        assertThat(old.hasJustGrown(14 * MINUTE, MINUTE)).isFalse();
    }

    @Test
    void hasJustGrown_nobodyHasCome_isFalse() {
        assertThat(view(FOUNDATION).hasJustGrown(FOUNDED, MINUTE)).isFalse();
        assertThat(view(event(7, FOUNDED, Kind.DEMOTED)).hasJustGrown(FOUNDED, MINUTE))
                .isFalse();
    }
}
