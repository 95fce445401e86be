package dev.granary.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StatusBuilderTest {
    private static final Instant EARLY = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATE = Instant.parse("2026-01-01T01:00:00Z");
    private static final PodsView ALL_READY = new PodsView(3, 3, List.of("10.0.0.1"), List.of(), List.of(), false);
    private static final ClusterPlan FORMED = Samples.plan("{}", new Existing(1, 3, "1Gi", "10Gi", "id"));

    @Test
    void status_allLive_isReadyStableAndNotBackedUp() {
        GranaryStatus status = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        assertThat(verdicts(status))
                .containsExactly(
                        "Ready=True/AllPeersLive",
                        "Progressing=False/Stable",
                        "Degraded=False/AsExpected",
                        "BackedUp=False/InMemoryOnly",
                        "RestartRequired=False/UpToDate",
                        "RingSizeAsWanted=True/AsWanted");
        assertThat(status.summary()).isEqualTo(new GranaryStatus.SummaryStatus("3/3", "3/1", "4Ki/1Gi"));
        assertThat(status.storage()).isNotNull();
        assertThat(status.storage().selector())
                .isEqualTo("app.kubernetes.io/component=storage,app.kubernetes.io/instance=social,"
                        + "app.kubernetes.io/name=granary");
    }

    @Test
    void status_noAnswerAfterFormed_isDegradedAndKeepsLastNumbers() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus after = status(FORMED, seen(new Answer.Unreachable("timed out")), before, LATE);
        assertThat(verdicts(after))
                .contains("Ready=False/SuperPeersUnreachable", "Degraded=True/SuperPeersUnreachable");
        assertThat(after.chunks()).isEqualTo(before.chunks());
        assertThat(after.ring()).isEqualTo(before.ring());
        assertThat(condition(after, "Ready").getMessage()).contains("timed out");
    }

    @Test
    void status_expiredPeer_isNamed() {
        GranaryStatus status = status(FORMED, seen(view("id", true, "expired", 2)), null, EARLY);
        assertThat(verdicts(status))
                .contains("Ready=False/StoragePeersMissing", "Degraded=True/StoragePeersWithoutLease");
        assertThat(condition(status, "Degraded").getMessage()).contains("social-storage-0");
    }

    @Test
    void status_ringIncomplete_isNotReady() {
        GranaryStatus status = status(FORMED, seen(view("id", false, "live", 3)), null, EARLY);
        assertThat(verdicts(status)).contains("Ready=False/RingIncomplete", "Degraded=True/RingIncomplete");
    }

    @Test
    void status_firstAnswer_recordsClusterIdAndNeverAnother() {
        GranaryStatus first = status(Samples.plan("{}"), seen(view("id", true, "live", 3)), null, EARLY);
        assertThat(first.clusterId()).isEqualTo("id");
        GranaryStatus second = status(FORMED, seen(view("other", true, "live", 3)), first, LATE);
        assertThat(second.clusterId()).isEqualTo("id");
        assertThat(verdicts(second)).contains("Degraded=True/ClusterIdMismatch");
    }

    @Test
    void status_sameVerdictLater_keepsItsTransitionTime() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus same = status(FORMED, seen(view("id", true, "live", 3)), before, LATE);
        assertThat(same).isEqualTo(before);
        GranaryStatus changed = status(FORMED, seen(view("id", true, "expired", 2)), before, LATE);
        assertThat(condition(changed, "Ready").getLastTransitionTime()).isEqualTo("2026-01-01T01:00:00Z");
        assertThat(condition(changed, "BackedUp").getLastTransitionTime()).isEqualTo("2026-01-01T00:00:00Z");
    }

    @Test
    void status_podsOfOlderTemplate_areNamed() {
        PodsView outdated = new PodsView(3, 3, List.of(), List.of("social-storage-1"), List.of(), false);
        GranaryStatus status = status(
                FORMED,
                new Observation(
                        ALL_READY, outdated, seen(view("id", true, "live", 3)).cluster()),
                null,
                EARLY);
        assertThat(verdicts(status)).contains("RestartRequired=True/OlderTemplate");
        assertThat(condition(status, "RestartRequired").getMessage()).contains("social-storage-1", "loses its chunks");
    }

    @Test
    void status_ringWantsOtherSize_saysSo() {
        ClusterPlan plan = Samples.plan("{storage: {replicas: 30}}", new Existing(1, 30, "1Gi", "10Gi", "id"));
        GranaryStatus status = status(plan, seen(view("id", true, "live", 30)), null, EARLY);
        assertThat(verdicts(status)).contains("RingSizeAsWanted=False/RingResizeNotSupported");
    }

    @Test
    void status_rdmaAskedFor_isHonestAboutTheTransport() {
        ClusterPlan plan = Samples.plan("{rdma: {mode: \"on\"}}");
        assertThat(verdicts(status(plan, seen(view("id", true, "live", 3)), null, EARLY)))
                .contains("RdmaReady=False/TransportNotInThisVersion");
    }

    @Test
    void status_podsInTrouble_saysWhy() {
        PodsView trouble =
                new PodsView(3, 0, List.of(), List.of(), List.of("social-storage-0: ImagePullBackOff"), false);
        GranaryStatus status = status(
                Samples.plan("{}"), new Observation(ALL_READY, trouble, new Answer.Unreachable("none")), null, EARLY);
        assertThat(verdicts(status)).contains("Degraded=True/PodsInTrouble");
        assertThat(condition(status, "Ready").getMessage()).contains("ImagePullBackOff");
    }

    @Test
    void failed_readyCluster_staysReadyAndKeepsWhatWasKnown() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus after = StatusBuilder.failed(before, "ReconcileFailed", "boom", 2, LATE);
        assertThat(verdicts(after))
                .contains("Ready=True/AllPeersLive", "Degraded=True/ReconcileFailed", "BackedUp=False/InMemoryOnly");
        assertThat(after.clusterId()).isEqualTo("id");
    }

    @Test
    void happenings_fromNothingToReady_tellTheStoryOnce() {
        GranaryStatus waiting = status(Samples.plan("{}"), seen(new Answer.Unreachable("x")), null, EARLY);
        GranaryStatus ready = status(FORMED, seen(view("id", true, "live", 3)), waiting, LATE);
        assertThat(Happenings.between(null, waiting)).isEmpty();
        assertThat(Happenings.between(waiting, ready))
                .extracting(Happening::reason)
                .containsExactly("ClusterFormed", "Ready");
        assertThat(Happenings.between(ready, ready)).isEmpty();
    }

    @Test
    void happenings_peerLost_warn() {
        GranaryStatus ready = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus lost = status(FORMED, seen(view("id", true, "expired", 2)), ready, LATE);
        assertThat(Happenings.between(ready, lost))
                .extracting(Happening::reason)
                .containsExactly("NotReady", "StoragePeersWithoutLease");
    }

    @Test
    void happenings_scaleInRefused_warnOnce() {
        ClusterPlan plan = Samples.plan("{storage: {replicas: 2}}", new Existing(1, 3, "1Gi", "10Gi", "id"));
        GranaryStatus status = status(plan, seen(view("id", true, "live", 3)), null, EARLY);
        assertThat(Happenings.between(null, status))
                .extracting(Happening::reason)
                .contains("ScaleInNotSupported");
        assertThat(Happenings.between(status, status)).isEmpty();
    }

    private static GranaryStatus status(
            ClusterPlan plan, Observation seen, @Nullable GranaryStatus before, Instant now) {
        return StatusBuilder.of(plan, seen, before, 1, now);
    }

    private static Observation seen(Answer answer) {
        return new Observation(ALL_READY, ALL_READY, answer);
    }

    private static Answer view(String id, boolean complete, String state, int live) {
        return new Answer.Seen(new ClusterView(
                id,
                new ClusterView.Ring(7, complete ? 1 : 0, 1, complete),
                List.of(new ClusterView.StoragePeer("0x8000", "social-storage-0", state, 1)),
                new ClusterView.Totals(1, 3, live, 10, 1000, 90, 4096, 1 << 30)));
    }

    private static List<String> verdicts(GranaryStatus status) {
        return Objects.requireNonNull(status.conditions()).stream()
                .map(c -> c.getType() + "=" + c.getStatus() + "/" + c.getReason())
                .toList();
    }

    private static Condition condition(GranaryStatus status, String type) {
        return Objects.requireNonNull(StatusBuilder.find(status, type));
    }
}
