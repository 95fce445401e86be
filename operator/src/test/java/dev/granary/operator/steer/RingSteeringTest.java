package dev.granary.operator.steer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.steer.Scene.Pod;
import org.junit.jupiter.api.Test;

class RingSteeringTest {
    private static Decision decide(Scene scene, int wanted, int existing) {
        return RingSteering.decide(
                new RingSteering.Wish("social", wanted, existing, true, 15),
                scene.superPods(),
                scene.view(),
                Scene.NOW);
    }

    @Test
    void ringAsWanted_nothingIsDone() {
        Decision decision = decide(Scene.of(3, 3), 3, 3);
        assertThat(decision.replicas()).isEqualTo(3);
        assertThat(decision.actions()).isEmpty();
    }

    @Test
    void nobodyAnswers_nothingChanges() {
        Decision decision = RingSteering.decide(
                new RingSteering.Wish("social", 1, 3, true, 15), Scene.of(3, 0).superPods(), null, Scene.NOW);
        assertThat(decision.replicas()).isEqualTo(3);
        assertThat(decision.actions()).isEmpty();
    }

    @Test
    void grow_moreAreWanted_podsComeOneByOne() {
        assertThat(decide(Scene.of(1, 3), 5, 1).replicas()).isEqualTo(2);
        Decision waiting = decide(Scene.of(1, 3), 5, 2);
        assertThat(waiting.replicas()).isEqualTo(2);
    }

    @Test
    void grow_candidateIsThere_ringIsResized() {
        Scene scene = Scene.of(2, 3).demoted(1, 0).expects(1);
        assertThat(decide(scene, 2, 2).actions()).containsExactly(new Action.ResizeRing(2));
    }

    @Test
    void shrink_member_isDemotedFirst() {
        Decision decision = decide(Scene.of(3, 3), 1, 3);
        assertThat(decision.actions()).containsExactly(new Action.ResizeRing(1));
        assertThat(decision.replicas()).isEqualTo(3);
    }

    @Test
    void shrink_demotedButStillVotes_podStays() {
        assertThat(decide(Scene.of(3, 3).demoted(2, 1), 2, 3).replicas()).isEqualTo(3);
    }

    @Test
    void shrink_demotedAndVotesNowhere_podGoes() {
        assertThat(decide(Scene.of(3, 3).demoted(2, 0), 2, 3).replicas()).isEqualTo(2);
    }

    @Test
    void shrink_ringKeptTheHighestOrdinal_saysSoAndKeepsThePods() {
        Decision decision = decide(Scene.of(3, 3).demoted(1, 0), 2, 3);
        assertThat(decision.replicas()).isEqualTo(3);
        assertThat(decision.stops()).singleElement().satisfies(stop -> assertThat(stop.phase())
                .isEqualTo(Stop.Phase.BLOCKED));
    }

    @Test
    void update_ringOfOne_growsToThreeFirst() {
        Scene scene = Scene.of(1, 3).superPod(0, Pod.OUTDATED);
        Decision decision = decide(scene, 1, 1);
        assertThat(decision.replicas()).isEqualTo(2);
        assertThat(decision.actions()).isEmpty();
        assertThat(decision.stops()).singleElement().satisfies(stop -> assertThat(stop.message())
                .contains("grows to 3 super-peers first"));
    }

    @Test
    void update_threeOutdated_highestIsReplaced() {
        Scene scene = Scene.of(3, 3);
        for (int i = 0; i < 3; i++) {
            scene.superPod(i, Pod.OUTDATED);
        }
        assertThat(decide(scene, 3, 3).actions())
                .containsExactly(new Action.ReplacePod("social-super-peer-2", "uid-social-super-peer-2"));
    }

    @Test
    void update_oneIsJustBackOrUnreachableOrRingMoves_nextWaits() {
        assertThat(decide(Scene.of(3, 3).superPod(2, Pod.FRESH).superPod(1, Pod.OUTDATED), 3, 3)
                        .actions())
                .isEmpty();
        assertThat(decide(Scene.of(3, 3).unreachable(2).superPod(1, Pod.OUTDATED), 3, 3)
                        .actions())
                .isEmpty();
        assertThat(decide(Scene.of(3, 3).changing().superPod(1, Pod.OUTDATED), 3, 3)
                        .actions())
                .isEmpty();
    }

    @Test
    void update_isOver_ringShrinksAgain() {
        assertThat(decide(Scene.of(3, 3), 1, 3).actions()).containsExactly(new Action.ResizeRing(1));
    }

    @Test
    void update_isOverButTheLastOneIsJustBack_ringKeepsItsSize() {
        assertThat(decide(Scene.of(3, 3).superPod(0, Pod.FRESH), 1, 3).actions())
                .isEmpty();
        assertThat(decide(Scene.of(3, 3).superPod(0, Pod.NOT_READY), 1, 3).actions())
                .isEmpty();
    }

    @Test
    void shrink_oneThatGoesIsBroken_isDemotedAllTheSame() {
        assertThat(decide(Scene.of(3, 3).superPod(2, Pod.DEAD), 1, 3).actions())
                .containsExactly(new Action.ResizeRing(1));
    }

    @Test
    void cordonedNode_ringOfThree_podIsReleased() {
        Scene scene = Scene.of(3, 3).superPod(1, Pod.CORDONED);
        assertThat(decide(scene, 3, 3).actions())
                .containsExactly(new Action.Guard("social-super-peer-1", "uid-social-super-peer-1", false));
    }
}
