package dev.granary.operator.steer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.control.SleepStep;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.SecretPlan;
import dev.granary.operator.steer.Hibernating.Phase;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HibernatingTest {
    private static ClusterPlan plan(boolean hibernate) {
        return Samples.plan("{hibernate: " + hibernate + "}", Samples.existing(3, 3, "1Gi", "10Gi", "id"));
    }

    private static ClusterPlan asleep(boolean hibernate, boolean superPeers) {
        ClusterPlan plan = plan(hibernate);
        return plan.with(plan.superPeers().sleeping(superPeers), plan.storage().sleeping(true));
    }

    private static Scene parked(int... ordinals) {
        Scene scene = Scene.of(3, 3);
        for (int ordinal : ordinals) {
            scene.storagePeer(Scene.peer(ordinal, "parked", 10, 100, 200, "none"));
        }
        return scene;
    }

    private static Hibernating.Result decide(ClusterPlan plan, Scene scene, @Nullable Phase before) {
        return Hibernating.decide(plan, scene.superPods(), scene.storagePods(), scene.view(), before)
                .orElseThrow();
    }

    private static Hibernating.Result nobodyAnswers(ClusterPlan plan, PodsView storage, @Nullable Phase before) {
        return Hibernating.decide(plan, PodsView.NONE, storage, null, before).orElseThrow();
    }

    @Test
    void awake_andIsToBe_isLeftAlone() {
        Scene scene = Scene.of(3, 3);
        assertThat(Hibernating.decide(plan(false), scene.superPods(), scene.storagePods(), scene.view(), null))
                .isEmpty();
    }

    /** It goes on when the cluster is awake; pods come back with the files that they had. */
    @Test
    void secretChanges_clusterIsToSleepOrToWake_keepsPhaseAndTemplates() {
        SecretPlan proving = new SecretPlan(0, SecretPlan.Phase.PROVING, "now", "now");
        for (ClusterPlan plan : new ClusterPlan[] {plan(true), asleep(true, true), asleep(false, false)}) {
            ClusterPlan decided =
                    decide(plan.with(proving), Scene.of(3, 3), null).plan();
            assertThat(decided.secret()).isEqualTo(proving);
            assertThat(decided.superPeers().keepsTemplate()).isTrue();
            assertThat(decided.storage().keepsTemplate()).isTrue();
        }
    }

    @Test
    void notFormedYet_isToSleep_formsFirst() {
        ClusterPlan plan = Samples.plan("{hibernate: true}");
        Optional<Hibernating.Result> result =
                Hibernating.decide(plan, PodsView.NONE, PodsView.NONE, (ClusterView) null, null);
        assertThat(result).isEmpty();
    }

    @Test
    void toSleep_begins_refusesChangesAndParksNobody() {
        Hibernating.Result result = decide(plan(true), Scene.of(3, 3), null);
        assertThat(result.step()).isEqualTo(SleepStep.REFUSE_CHANGES);
        assertThat(result.phase()).isEqualTo(Phase.REFUSING_CHANGES);
        assertThat(result.plan().storage().asleep()).isFalse();
    }

    @Test
    void toSleep_allRefuseChanges_parks() {
        assertThat(decide(plan(true), parked(0), Phase.WRITING_MEMORY).step()).isEqualTo(SleepStep.PARK);
    }

    @Test
    void toSleep_oneIsNotParked_noPodGoes() {
        Hibernating.Result result = decide(plan(true), parked(0, 1), Phase.WRITING_MEMORY);
        assertThat(result.plan().storage().asleep()).isFalse();
        assertThat(result.plan().superPeers().asleep()).isFalse();
    }

    @Test
    void toSleep_allParkedButAnArcHasNotTold_noPodGoes() {
        Hibernating.Result result = decide(plan(true), parked(0, 1, 2).unreachable(1), Phase.WRITING_MEMORY);
        assertThat(result.plan().storage().asleep()).isFalse();
    }

    @Test
    void toSleep_nobodyAnswers_noPodGoes() {
        Hibernating.Result result = nobodyAnswers(plan(true), Scene.of(3, 3).storagePods(), Phase.WRITING_MEMORY);
        assertThat(result.plan().storage().asleep()).isFalse();
        assertThat(result.step()).isNull();
    }

    @Test
    void toSleep_allParked_storagePodsGoAndSuperPeersStay() {
        Hibernating.Result result = decide(plan(true), parked(0, 1, 2), Phase.WRITING_MEMORY);
        assertThat(result.plan().storage().asleep()).isTrue();
        assertThat(result.plan().storage().replicas()).isEqualTo(3);
        assertThat(result.plan().superPeers().asleep()).isFalse();
    }

    @Test
    void toSleep_aStoragePodIsStillThere_superPeersStay() {
        Hibernating.Result result = decide(asleep(true, false), parked(0, 1, 2), Phase.STOPPING_PODS);
        assertThat(result.plan().superPeers().asleep()).isFalse();
    }

    @Test
    void toSleep_noStoragePodIsLeft_superPeersGoAndItSleeps() {
        Hibernating.Result result = nobodyAnswers(asleep(true, false), PodsView.NONE, Phase.STOPPING_PODS);
        assertThat(result.plan().superPeers().asleep()).isTrue();
        assertThat(result.phase()).isEqualTo(Phase.ASLEEP);
    }

    @Test
    void wake_asleep_superPeersComeFirst() {
        Hibernating.Result result = nobodyAnswers(asleep(false, true), PodsView.NONE, Phase.ASLEEP);
        assertThat(result.plan().superPeers().asleep()).isFalse();
        assertThat(result.plan().superPeers().replicas()).isEqualTo(3);
        assertThat(result.plan().storage().asleep()).isTrue();
    }

    @Test
    void wake_ringIsNotServed_storagePeersWait() {
        assertThat(nobodyAnswers(asleep(false, false), PodsView.NONE, Phase.WAKING)
                        .plan()
                        .storage()
                        .asleep())
                .isTrue();
    }

    @Test
    void wake_ringIsServed_storagePeersStart() {
        Hibernating.Result result = decide(asleep(false, false), parked(0, 1, 2), Phase.WAKING);
        assertThat(result.plan().storage().asleep()).isFalse();
    }

    @Test
    void wake_allPodsAreThere_asksThemToWorkAndDeletesNobody() {
        Hibernating.Result result = decide(plan(false), parked(0, 1, 2), Phase.WAKING);
        assertThat(result.step()).isEqualTo(SleepStep.WORK);
        assertThat(result.actions()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"REFUSING_CHANGES", "WRITING_MEMORY"})
    void turnedBack_inTheMiddle_parkedProcessesAreReplacedAndOthersWork(Phase before) {
        Hibernating.Result result = decide(plan(false), parked(1), before);
        assertThat(result.step()).isEqualTo(SleepStep.WORK);
        assertThat(result.actions())
                .singleElement()
                .isInstanceOfSatisfying(Action.ReplacePod.class, replace -> assertThat(replace.pod())
                        .isEqualTo("social-storage-1"));
    }

    @ParameterizedTest
    @EnumSource
    void phase_ofItsText_isItself(Phase phase) {
        assertThat(Phase.of(phase.text())).isEqualTo(phase);
    }
}
