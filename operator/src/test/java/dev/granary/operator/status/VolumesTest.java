package dev.granary.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.observe.UnusedVolumes;
import dev.granary.operator.observe.VolumesView;
import dev.granary.operator.observe.VolumesView.State;
import dev.granary.operator.observe.VolumesView.Volume;
import dev.granary.operator.plan.ClusterPlan;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A status does not say that everything is there while volumes are too small. */
class VolumesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final ClusterPlan PLAN = Samples.plan(
            "{superPeers: {min: 1}, storagePeers: {volume: {size: 20Gi}}}",
            Samples.existing(1, 3, "1Gi", "10Gi", "id"));

    private static Volume volume(int ordinal, State state, String message) {
        return new Volume("data-social-storage-" + ordinal, "uid-" + ordinal, "20Gi", state, message);
    }

    private static GranaryStatus status(@Nullable GranaryStatus before, Volume... volumes) {
        List<PodView> pods = IntStream.range(0, 3)
                .mapToObj(i -> new PodView(
                        "social-storage-" + i, i, "uid", true, NOW, null, false, false, null, true, null, true, null))
                .toList();
        PodsView ready = new PodsView(pods, List.of(), List.of(), false, true);
        Answer answer = new Answer.Seen(new ClusterView(
                "id",
                Samples.ring(true),
                IntStream.range(0, 3)
                        .mapToObj(i -> Samples.storagePeer(i, "live", 1, "none"))
                        .toList(),
                new ClusterView.Totals(1, 3, 3, 9, 10, 1000, 90, 4096, 1 << 30),
                Samples.zonesInSync()));
        VolumesView view = new VolumesView(List.of(volumes));
        return StatusBuilder.of(
                PLAN,
                new Observation(
                        ready,
                        ready,
                        answer,
                        List.of(),
                        List.of(),
                        null,
                        null,
                        null,
                        null,
                        view,
                        Observation.Addresses.NONE,
                        UnusedVolumes.NONE),
                before,
                1,
                NOW);
    }

    private static List<String> verdicts(GranaryStatus status) {
        return Objects.requireNonNull(status.conditions()).stream()
                .map(c -> c.getType() + "=" + c.getStatus() + "/" + c.getReason())
                .toList();
    }

    private static String message(GranaryStatus status, String type) {
        return Objects.requireNonNull(StatusBuilder.find(status, type)).getMessage();
    }

    @Test
    void status_volumesGrow_isNotStable() {
        GranaryStatus status = status(null, volume(0, State.GROWN, ""), volume(1, State.GROWING, ""));
        assertThat(verdicts(status))
                .contains(
                        "VolumesGrown=False/Resizing",
                        "Progressing=True/GrowingVolumes",
                        "Reconciling=True/GrowingVolumes");
        assertThat(message(status, "VolumesGrown")).contains("data-social-storage-1 to 20Gi");
        assertThat(StatusBuilder.isGrowingVolumes(status)).isTrue();
    }

    @Test
    void status_classForbidsExpansion_saysSoOnceAndWhatToDo() {
        GranaryStatus grows = status(null, volume(0, State.TO_GROW, ""));
        GranaryStatus refused = status(grows, volume(0, State.REFUSED, "only some classes can"));
        assertThat(verdicts(refused))
                .contains(
                        "VolumesGrown=False/ExpansionRefused",
                        "Progressing=False/VolumesNotGrown",
                        "Stalled=True/ExpansionRefused");
        assertThat(message(refused, "VolumesGrown")).contains("only some classes can", "allowVolumeExpansion");
        assertThat(Happenings.between(grows, refused))
                .extracting(Happening::reason)
                .contains("ExpansionRefused");
        assertThat(Happenings.between(refused, refused)).isEmpty();
        assertThat(Objects.requireNonNull(refused.summary()).message()).isEqualTo(message(refused, "VolumesGrown"));
    }

    @Test
    void status_fileSystemWaits_saysSo() {
        GranaryStatus status = status(null, volume(0, State.FILE_SYSTEM, ""));
        assertThat(verdicts(status))
                .contains("VolumesGrown=False/FileSystemResizePending", "Progressing=True/GrowingVolumes");
        assertThat(message(status, "VolumesGrown")).contains("data-social-storage-0", "granary.dev/leave");
    }

    @Test
    void status_allHaveGrown_isStable() {
        assertThat(verdicts(status(null, volume(0, State.GROWN, ""))))
                .contains("VolumesGrown=True/AllGrown", "Progressing=False/Stable", "Stalled=False/Applied");
    }
}
