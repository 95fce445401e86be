package dev.granary.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.HibernationStatus;
import dev.granary.operator.api.GranaryStatus.SecretStatus;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.Planner;
import dev.granary.operator.plan.TemplateHistory;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a status says of a change of the secret. */
class SecretPhasesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");
    private static final String PROVING = "0 Proving now";

    private static ClusterPlan plan(String spec, @Nullable String record, @Nullable String rejected) {
        Granary granary = Samples.granary("social", spec);
        granary.getMetadata().setAnnotations(Map.of(Names.CHANGE_SECRET_ANNOTATION, "now"));
        TemplateHistory history =
                new TemplateHistory(new TemplateHistory.Rendered("x", "example.org/granary:1", "{}"), null, rejected);
        Existing existing = new Existing(
                new Existing.Role(1, "1Gi", history),
                new Existing.Role(3, "10Gi", history),
                null,
                Existing.Devices.UNKNOWN,
                "id",
                false,
                record,
                false,
                null);
        return new Planner(Samples.DEFAULTS).plan(granary, existing);
    }

    private static PodsView pods(int count) {
        List<PodView> views = IntStream.range(0, count)
                .mapToObj(i ->
                        new PodView("p-" + i, i, "u" + i, true, NOW, null, false, false, null, true, null, true, null))
                .toList();
        return new PodsView(views, List.of(), List.of(), false, true);
    }

    private static GranaryStatus status(ClusterPlan plan, @Nullable HibernationStatus hibernation) {
        List<ClusterView.StoragePeer> peers = IntStream.range(0, 3)
                .mapToObj(i -> Samples.storagePeer(i, "live", 1, "none"))
                .toList();
        ClusterView view = new ClusterView(
                "id",
                Samples.ring(true),
                peers,
                new ClusterView.Totals(1, 3, 3, 9, 10, 1000, 90, 4096, 1 << 30),
                Samples.zonesInSync());
        Observation seen =
                new Observation(pods(1), pods(3), new Answer.Seen(view), List.of(), List.of(), null, hibernation, null);
        return StatusBuilder.of(plan, seen, null, 1, NOW);
    }

    private static GranaryStatus status(String record) {
        return status(plan("{superPeers: {min: 1}}", record, null), null);
    }

    private static SecretStatus secret(GranaryStatus status) {
        return Objects.requireNonNull(status.secret());
    }

    private static String progressing(GranaryStatus status) {
        Condition condition = Objects.requireNonNull(StatusBuilder.find(status, Conditions.PROGRESSING));
        return condition.getStatus() + "/" + condition.getReason();
    }

    @Test
    void status_phases_tellThePresentFileAndThatWorkGoesOn() {
        for (String phase : List.of("Accepting", "Proving", "Ending")) {
            GranaryStatus status = status("0 " + phase + " now");
            assertThat(secret(status).phase()).isEqualTo(phase);
            assertThat(secret(status).message()).contains("of three rolling restarts");
            assertThat(progressing(status)).isEqualTo("True/ChangingSecret");
            assertThat(StatusBuilder.isTrue(status, Conditions.READY)).isTrue();
        }
        assertThat(secret(status(PROVING)).nodesName()).isEqualTo("social-granary-nodes-2");
        assertThat(secret(status(PROVING)).name()).isEqualTo("social-granary");
        assertThat(secret(status(PROVING)).message()).contains("new content of the Secret social-granary");
    }

    @Test
    void status_nothingChanges_saysHowToChangeIt() {
        GranaryStatus status = status("1 Steady now");
        assertThat(secret(status).phase()).isEqualTo("Steady");
        assertThat(secret(status).record()).isEqualTo("1 Steady now");
        assertThat(secret(status).message()).contains(Names.CHANGE_SECRET_ANNOTATION);
        assertThat(progressing(status)).isEqualTo("False/Stable");
    }

    @Test
    void status_wishThatWaits_isWorkAndSaysWhatItWaitsFor() {
        GranaryStatus status = status("1 Steady before");
        assertThat(secret(status).message()).contains("begins when each pod runs the newest template");
        assertThat(progressing(status)).isEqualTo("True/ChangingSecret");
        assertThat(secret(status("1 Ending before")).message()).contains("another change");
    }

    @Test
    void status_changeThatIsHeldUp_saysWhy() {
        GranaryStatus paused =
                status(plan("{superPeers: {min: 1}, updateStrategy: {paused: true}}", PROVING, null), null);
        assertThat(progressing(paused)).isEqualTo("False/UpdatePaused");
        assertThat(secret(paused).message()).contains("while updateStrategy.paused is true");
        GranaryStatus back = status(plan("{superPeers: {min: 1}}", PROVING, "inputs"), null);
        assertThat(progressing(back)).isEqualTo("False/Stable");
        assertThat(StatusBuilder.isTrue(back, Conditions.DEGRADED)).isTrue();
        assertThat(secret(back).message()).contains("a template was rolled back");
        GranaryStatus asleep =
                status(plan("{}", PROVING, null), new HibernationStatus("Asleep", "all pods are gone", "then"));
        assertThat(secret(asleep).message()).contains("when the cluster is awake");
    }

    @Test
    void between_phases_areEvents() {
        assertThat(Happenings.between(status("0 Accepting now"), status(PROVING)))
                .extracting(Happening::reason)
                .containsExactly("ChangingSecret");
        assertThat(Happenings.between(status("0 Ending now"), status("1 Steady now")))
                .extracting(Happening::reason)
                .contains("SecretChanged");
        assertThat(Happenings.between(status(PROVING), status(PROVING))).isEmpty();
    }
}
