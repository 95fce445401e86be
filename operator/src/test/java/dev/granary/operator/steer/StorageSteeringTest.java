package dev.granary.operator.steer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.observe.ClusterView.StoragePeer;
import dev.granary.operator.steer.Scene.Pod;
import java.util.List;
import org.junit.jupiter.api.Test;

class StorageSteeringTest {
    private static Decision decide(Scene scene, int wanted, int existing) {
        return StorageSteering.decide(
                new StorageSteering.Wish("social", wanted, existing, true, 15, 180),
                scene.storagePods(),
                scene.view(),
                Scene.NOW);
    }

    private static List<String> phases(Decision decision) {
        return decision.stops().stream()
                .map(stop -> stop.pod() + " " + stop.reason().text() + " "
                        + stop.phase().text())
                .toList();
    }

    @Test
    void nothingToDo_nothingIsDone() {
        Decision decision = decide(Scene.of(1, 3), 3, 3);
        assertThat(decision.replicas()).isEqualTo(3);
        assertThat(decision.actions()).isEmpty();
        assertThat(decision.stops()).isEmpty();
    }

    @Test
    void nobodyAnswers_fewerAreWanted_noPodGoes() {
        Scene scene = Scene.of(1, 3);
        Decision decision = StorageSteering.decide(
                new StorageSteering.Wish("social", 1, 3, true, 15, 180), scene.storagePods(), null, Scene.NOW);
        assertThat(decision.replicas()).isEqualTo(3);
        assertThat(decision.actions()).isEmpty();
    }

    @Test
    void scaleIn_begins_drainsTheHighestOrdinalsAndKeepsAllPods() {
        Decision decision = decide(Scene.of(1, 5), 3, 5);
        assertThat(decision.replicas()).isEqualTo(5);
        assertThat(decision.actions())
                .containsExactly(
                        new Action.StartDrain("social-storage-4", Scene.nidNumber(4)),
                        new Action.StartDrain("social-storage-3", Scene.nidNumber(3)));
        assertThat(phases(decision))
                .containsExactly("social-storage-4 ScaleIn Draining", "social-storage-3 ScaleIn Draining");
    }

    @Test
    void scaleIn_tooLittleRoom_nothingMovesAndItIsSaid() {
        Scene scene = Scene.of(1, 3)
                .storagePeer(Scene.peer(2, "live", 10, 800, 900, "none"))
                .storagePeer(Scene.peer(0, "live", 10, 400, 500, "none"))
                .storagePeer(Scene.peer(1, "live", 10, 400, 500, "none"));
        Decision decision = decide(scene, 2, 3);
        assertThat(decision.actions()).isEmpty();
        assertThat(decision.replicas()).isEqualTo(3);
        assertThat(decision.stops()).singleElement().satisfies(stop -> {
            assertThat(stop.phase()).isEqualTo(Stop.Phase.BLOCKED);
            assertThat(stop.message()).contains("have room for 800B, but 1.0Ki", "Nothing has been moved");
        });
    }

    @Test
    void scaleIn_peerIsDeadAndOthersHaveAllItHad_podGoes() {
        for (String drain : List.of("none", "running")) {
            Scene scene = Scene.of(3, 3).storagePeer(Scene.dead(2, drain, 0L, 0));
            Decision decision = decide(scene, 2, 3);
            assertThat(decision.replicas()).isEqualTo(2);
            assertThat(phases(decision)).containsExactly("social-storage-2 ScaleIn Released");
        }
    }

    @Test
    void scaleIn_peerIsDeadAndOwnsOrKeepsSomething_podStaysAndItIsSaid() {
        for (StoragePeer peer : List.of(
                Scene.dead(2, "none", 1L, 0), Scene.dead(2, "none", 0L, 1), Scene.dead(2, "running", null, 0))) {
            Decision decision = decide(Scene.of(3, 3).storagePeer(peer), 2, 3);
            assertThat(decision.replicas()).isEqualTo(3);
            assertThat(phases(decision)).containsExactly("social-storage-2 ScaleIn Blocked");
            assertThat(decision.stops().getFirst().message()).contains("it has no lease", "Replicated");
        }
    }

    @Test
    void scaleIn_peerIsDeadAndNotAllArcsHaveTold_podStays() {
        Scene scene = Scene.of(3, 3).unreachable(1).storagePeer(Scene.dead(2, "none", 0L, 0));
        assertThat(decide(scene, 2, 3).replicas()).isEqualTo(3);
    }

    @Test
    void scaleIn_drainDoneButPeerReportsChunks_podStays() {
        Scene scene = Scene.of(1, 3).storagePeer(Scene.peer(2, "live", 1, 10, 20, "done"));
        assertThat(decide(scene, 2, 3).replicas()).isEqualTo(3);
    }

    @Test
    void scaleIn_peerOwnsNothing_podGoes() {
        Scene scene = Scene.of(1, 3).storagePeer(Scene.peer(2, "live", 0, 0, 5, "done"));
        Decision decision = decide(scene, 2, 3);
        assertThat(decision.replicas()).isEqualTo(2);
        assertThat(phases(decision)).containsExactly("social-storage-2 ScaleIn Released");
    }

    @Test
    void scaleIn_peerStillKeepsCopies_podStaysAndItIsSaid() {
        Decision decision = decide(Scene.of(1, 3).storagePeer(Scene.emptied(2, 4)), 2, 3);
        assertThat(decision.replicas()).isEqualTo(3);
        assertThat(phases(decision)).containsExactly("social-storage-2 ScaleIn Draining");
        assertThat(decision.stops().getFirst().message()).contains("4 copies");
        assertThat(decide(Scene.of(1, 3).storagePeer(Scene.emptied(2, 0)), 2, 3).replicas())
                .isEqualTo(2);
    }

    @Test
    void updateAndEviction_peerStillKeepsCopies_podStays() {
        Scene outdated = Scene.of(1, 3).storagePeer(Scene.emptied(1, 1)).storagePod(1, Pod.OUTDATED);
        assertThat(decide(outdated, 3, 3).actions()).isEmpty();
        Scene cordoned = Scene.of(1, 3).storagePeer(Scene.emptied(1, 1)).storagePod(1, Pod.CORDONED);
        assertThat(decide(cordoned, 3, 3).actions()).isEmpty();
    }

    @Test
    void scaleIn_lowerOrdinalIsEmptyFirst_higherOneKeepsBoth() {
        Scene scene = Scene.of(1, 4)
                .storagePeer(Scene.peer(2, "live", 0, 0, 5, "done"))
                .storagePeer(Scene.peer(3, "live", 4, 40, 50, "running"));
        assertThat(decide(scene, 2, 4).replicas()).isEqualTo(4);
    }

    @Test
    void scaleIn_peerAwayWithChunks_blocks() {
        Scene scene = Scene.of(1, 3)
                .storagePeer(Scene.peer(2, "expired", 10, 100, 200, "none"))
                .storagePod(2, Pod.DEAD);
        Decision decision = decide(scene, 2, 3);
        assertThat(decision.replicas()).isEqualTo(3);
        assertThat(phases(decision)).containsExactly("social-storage-2 ScaleIn Blocked");
    }

    @Test
    void scaleIn_podThatNeverJoined_goesAtOnce() {
        Scene scene = Scene.of(1, 4).withoutPeer(3).storagePod(3, Pod.NOT_READY);
        assertThat(decide(scene, 3, 4).replicas()).isEqualTo(3);
    }

    @Test
    void scaleIn_podThatIsJustJoining_stays() {
        Scene scene = Scene.of(1, 4).withoutPeer(3);
        assertThat(decide(scene, 3, 4).replicas()).isEqualTo(4);
    }

    @Test
    void scaleIn_reverted_drainIsAbortedAndNoPodGoes() {
        Scene scene = Scene.of(1, 3).storagePeer(Scene.peer(2, "live", 0, 0, 5, "done"));
        Decision decision = decide(scene, 3, 3);
        assertThat(decision.replicas()).isEqualTo(3);
        assertThat(decision.actions()).containsExactly(new Action.AbortDrain("social-storage-2", Scene.nidNumber(2)));
    }

    @Test
    void drainedPeer_podIsGoingDown_drainIsNotAborted() {
        Scene scene = Scene.of(1, 3)
                .storagePeer(Scene.peer(2, "live", 0, 0, 5, "done"))
                .storagePod(2, Pod.TERMINATING);
        assertThat(decide(scene, 3, 3).actions()).isEmpty();
    }

    @Test
    void update_allOutdated_oneIsDrainedTheOthersWait() {
        Scene scene = Scene.of(1, 3);
        for (int i = 0; i < 3; i++) {
            scene.storagePod(i, Pod.OUTDATED);
        }
        Decision decision = decide(scene, 3, 3);
        assertThat(decision.actions()).containsExactly(new Action.StartDrain("social-storage-2", Scene.nidNumber(2)));
        assertThat(phases(decision))
                .containsExactlyInAnyOrder(
                        "social-storage-2 Update Draining",
                        "social-storage-1 Update Waiting",
                        "social-storage-0 Update Waiting");
    }

    @Test
    void update_drained_thatVeryPodIsReplaced() {
        Scene scene = Scene.of(1, 3).storagePeer(Scene.peer(1, "live", 0, 0, 5, "done"));
        for (int i = 0; i < 3; i++) {
            scene.storagePod(i, Pod.OUTDATED);
        }
        assertThat(decide(scene, 3, 3).actions())
                .containsExactly(new Action.ReplacePod("social-storage-1", "uid-social-storage-1"));
    }

    @Test
    void update_podIsGoingDown_nothingElseBegins() {
        Scene scene = Scene.of(1, 3)
                .storagePeer(Scene.peer(2, "live", 0, 0, 5, "done"))
                .storagePod(2, Pod.OUTDATED)
                .storagePod(2, Pod.TERMINATING)
                .storagePod(1, Pod.OUTDATED);
        assertThat(decide(scene, 3, 3).actions()).isEmpty();
    }

    @Test
    void update_replacedPodIsBack_takesChunksAgainAndTheNextWaitsForIt() {
        Scene scene = Scene.of(1, 3)
                .storagePeer(Scene.peer(2, "live", 0, 0, 5, "running"))
                .storagePod(2, Pod.FRESH)
                .storagePod(1, Pod.OUTDATED)
                .storagePod(0, Pod.OUTDATED);
        Decision decision = decide(scene, 3, 3);
        assertThat(decision.actions()).containsExactly(new Action.AbortDrain("social-storage-2", Scene.nidNumber(2)));
        assertThat(phases(decision))
                .containsExactlyInAnyOrder("social-storage-1 Update Waiting", "social-storage-0 Update Waiting");
    }

    @Test
    void update_podWhoseProcessDoesNotRun_isReplacedAtOnce() {
        Scene scene = Scene.of(1, 3)
                .storagePeer(Scene.peer(2, "expired", 10, 100, 200, "none"))
                .storagePod(2, Pod.OUTDATED)
                .storagePod(2, Pod.DEAD);
        assertThat(decide(scene, 3, 3).actions())
                .containsExactly(new Action.ReplacePod("social-storage-2", "uid-social-storage-2"));
    }

    @Test
    void update_podsLackMemoryOnly_allGrowAtOnceAndNoPeerIsDrained() {
        Scene scene = Scene.of(1, 3)
                .storagePod(2, Pod.CAN_GROW)
                .storagePod(1, Pod.GROWS)
                .storagePod(0, Pod.CAN_GROW);
        Decision decision = decide(scene, 3, 3);
        assertThat(decision.actions())
                .containsExactlyInAnyOrder(
                        new Action.GrowMemory("social-storage-0", "uid-social-storage-0", "3Gi"),
                        new Action.GrowMemory("social-storage-2", "uid-social-storage-2", "3Gi"));
        assertThat(phases(decision))
                .containsExactlyInAnyOrder(
                        "social-storage-0 Update Growing",
                        "social-storage-1 Update Growing",
                        "social-storage-2 Update Growing");
    }

    @Test
    void update_oneLacksMoreThanMemory_waitsForThoseThatGrow() {
        Scene scene = Scene.of(1, 3).storagePod(2, Pod.OUTDATED).storagePod(0, Pod.GROWS);
        Decision decision = decide(scene, 3, 3);
        assertThat(decision.actions()).isEmpty();
        assertThat(phases(decision))
                .containsExactlyInAnyOrder("social-storage-0 Update Growing", "social-storage-2 Update Waiting");
    }

    @Test
    void update_nodeDoesNotGrowThePodInTime_podIsReplacedAsOthersAre() {
        Scene scene = Scene.of(1, 3).storagePod(2, Pod.GROWS_FOR_LONG);
        assertThat(decide(scene, 3, 3).actions())
                .containsExactly(new Action.StartDrain("social-storage-2", Scene.nidNumber(2)));
    }

    @Test
    void update_podThatCouldGrowIsLeaving_isDrained() {
        Scene scene = Scene.of(1, 3).storagePod(2, Pod.CAN_GROW).storagePod(2, Pod.CORDONED);
        assertThat(decide(scene, 3, 3).actions())
                .containsExactly(new Action.StartDrain("social-storage-2", Scene.nidNumber(2)));
    }

    @Test
    void update_notAllowed_nothingIsReplaced() {
        Scene scene = Scene.of(1, 3).storagePod(2, Pod.OUTDATED);
        Decision decision = StorageSteering.decide(
                new StorageSteering.Wish("social", 3, 3, false, 15, 180), scene.storagePods(), scene.view(), Scene.NOW);
        assertThat(decision.actions()).isEmpty();
        assertThat(decision.stops()).isEmpty();
    }

    @Test
    void update_whileScalingIn_waits() {
        Scene scene = Scene.of(1, 3).storagePod(0, Pod.OUTDATED);
        assertThat(decide(scene, 2, 3).actions())
                .containsExactly(new Action.StartDrain("social-storage-2", Scene.nidNumber(2)));
    }

    @Test
    void cordonedNode_podIsDrainedThenReleasedButNotDeleted() {
        Scene scene = Scene.of(1, 3).storagePod(1, Pod.CORDONED);
        assertThat(decide(scene, 3, 3).actions())
                .containsExactly(new Action.StartDrain("social-storage-1", Scene.nidNumber(1)));
        scene.storagePeer(Scene.peer(1, "live", 0, 0, 5, "done"));
        Decision released = decide(scene, 3, 3);
        assertThat(released.actions())
                .containsExactly(new Action.Guard("social-storage-1", "uid-social-storage-1", false));
        assertThat(phases(released)).containsExactly("social-storage-1 NodeCordoned Released");
    }

    @Test
    void uncordonedNode_podIsGuardedAndTakesChunksAgain() {
        Scene scene = Scene.of(1, 3).storagePod(1, Pod.RELEASED).storagePeer(Scene.peer(1, "live", 0, 0, 5, "done"));
        assertThat(decide(scene, 3, 3).actions())
                .containsExactly(
                        new Action.Guard("social-storage-1", "uid-social-storage-1", true),
                        new Action.AbortDrain("social-storage-1", Scene.nidNumber(1)));
    }
}
