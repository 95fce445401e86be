package dev.granary.operator.steer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.api.AutoscalingSpec;
import dev.granary.operator.api.GranaryStatus.AutoscalerStatus;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.ClusterView.StoragePeer;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class AutoscalerTest {
    private static final AutoscalingSpec BY_FILL = new AutoscalingSpec(2, 6, 50, null, 15, 300);
    private static final AutoscalingSpec BY_LOAD = new AutoscalingSpec(2, 6, 50, 1000L, 15, 300);
    private static final Instant NOW = Scene.NOW;

    /** Three peers of 1000 bytes. */
    private static ClusterView view(long usedOfEach, long usesOfEach) {
        Scene scene = Scene.of(1, 3);
        for (int i = 0; i < 3; i++) {
            scene.storagePeer(new StoragePeer(
                    Scene.nid(i),
                    "social-storage-" + i,
                    "live",
                    1,
                    10,
                    0,
                    usedOfEach,
                    1000,
                    1,
                    "none",
                    usesOfEach,
                    0,
                    1L,
                    0));
        }
        return scene.view();
    }

    private static AutoscalerStatus next(AutoscalingSpec spec, AutoscalerStatus before, long used, int seconds) {
        return Autoscaler.next(spec, before, 3, true, view(used, 0), NOW.plusSeconds(seconds));
    }

    private static AutoscalerStatus first(long used) {
        return Autoscaler.next(BY_FILL, null, 3, true, view(used, 0), NOW);
    }

    @Test
    void next_withinTarget_keepsTheNumber() {
        assertThat(first(450)).isEqualTo(new AutoscalerStatus(3, 45, 0, null, null));
    }

    @Test
    void next_tooFull_growsOnlyAfterAWhile() {
        AutoscalerStatus first = first(800);
        assertThat(first.replicas()).isEqualTo(3);
        assertThat(first.moreSince()).isEqualTo("2026-01-01T01:00:00Z");
        assertThat(next(BY_FILL, first, 800, 14).replicas()).isEqualTo(3);
        assertThat(next(BY_FILL, first, 800, 15).replicas()).isEqualTo(5);
    }

    @Test
    void next_fillFallsInBetween_beginsToWaitAgain() {
        AutoscalerStatus calm = next(BY_FILL, first(800), 450, 10);
        assertThat(calm.moreSince()).isNull();
        assertThat(next(BY_FILL, calm, 800, 20).replicas()).isEqualTo(3);
    }

    @Test
    void next_nearlyFewEnough_doesNotFlap() {
        // Two peers would be at 48 % with a target of 50 %: the next chunks would bring the third one back.
        AutoscalerStatus status = first(320);
        assertThat(status.replicas()).isEqualTo(3);
        assertThat(status.lessSince()).isNull();
    }

    @Test
    void next_oneLessWouldDoForLong_shrinksByOne() {
        AutoscalerStatus first = first(100);
        assertThat(first.lessSince()).isNotNull();
        assertThat(next(BY_FILL, first, 100, 299).replicas()).isEqualTo(3);
        assertThat(next(BY_FILL, first, 100, 300).replicas()).isEqualTo(2);
    }

    @Test
    void next_busyPeers_growByLoad() {
        AutoscalerStatus first = Autoscaler.next(BY_LOAD, null, 3, true, view(100, 1300), NOW);
        assertThat(Autoscaler.next(BY_LOAD, first, 3, true, view(100, 1300), NOW.plusSeconds(15))
                        .replicas())
                .isEqualTo(4);
    }

    @Test
    void next_othersCouldNotTakeAPeersChunks_growsWhereThereAreCopies() {
        AutoscalingSpec late = new AutoscalingSpec(2, 6, 90, null, 0, 0);
        // 2100 of 3000 bytes are below the target of 90 %, but would not fit into the 2000 bytes of two peers.
        assertThat(Autoscaler.next(late, null, 3, true, view(700, 0), NOW).replicas())
                .isEqualTo(4);
        assertThat(Autoscaler.next(late, null, 3, false, view(700, 0), NOW).replicas())
                .isEqualTo(3);
    }

    @Test
    void next_oneLessCouldNotLoseAPeer_staysWhereThereAreCopies() {
        AutoscalingSpec eager = new AutoscalingSpec(2, 6, 90, null, 0, 0);
        // 1200 bytes: two peers would be 60 % full, but none could take the place of the other.
        assertThat(Autoscaler.next(eager, null, 3, true, view(400, 0), NOW).replicas())
                .isEqualTo(3);
        assertThat(Autoscaler.next(eager, null, 3, false, view(400, 0), NOW).replicas())
                .isEqualTo(2);
    }

    @Test
    void next_onePeerIsEnough_noSecondOneForCopiesAlone() {
        AutoscalingSpec one = new AutoscalingSpec(1, 6, 70, null, 0, 0);
        assertThat(Autoscaler.next(one, new AutoscalerStatus(1, 0, 0, null, null), 1, true, view(100, 0), NOW)
                        .replicas())
                .isEqualTo(1);
    }

    @Test
    void next_farTooFull_staysWithinMax() {
        assertThat(next(BY_FILL, first(1000), 1000, 15).replicas()).isEqualTo(6);
    }

    @Test
    void next_nobodyAnswers_nothingChanges() {
        assertThat(Autoscaler.next(BY_FILL, null, 3, true, null, NOW).replicas())
                .isEqualTo(3);
    }
}
