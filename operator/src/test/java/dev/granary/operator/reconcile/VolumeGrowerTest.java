package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.Samples;
import dev.granary.operator.observe.VolumesView;
import dev.granary.operator.observe.VolumesView.State;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.reconcile.PlayedApi.Reply;
import dev.granary.operator.status.Happening;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class VolumeGrowerTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final ClusterPlan PLAN =
            Samples.plan("{storagePeers: {volume: {size: 20Gi}}}", Samples.existing(1, 3, "1Gi", "10Gi", "id"));
    private static final Reply DONE = Reply.of(200, "{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\"}");

    private static PersistentVolumeClaim claim(String size) {
        return Serialization.unmarshal("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: data-social-storage-0, uid: u0, labels: {app.kubernetes.io/component: storage}}
                spec: {resources: {requests: {storage: %1$s}}}
                status: {phase: Bound, capacity: {storage: %1$s}}
                """.formatted(size), PersistentVolumeClaim.class);
    }

    /** Grows what is due, as a round of the operator does. */
    private static List<Happening> grow(VolumeGrower grower, String has, int seconds) {
        return grower.grow("shop", grower.view(PLAN, List.of(claim(has))), START.plusSeconds(seconds));
    }

    private static List<PlayedApi.Request> patches(PlayedApi api) {
        return api.requests().stream()
                .filter(request -> request.method().equals("PATCH"))
                .toList();
    }

    @Test
    void grow_smallVolume_isAskedForOnceByItsUid() throws IOException {
        try (PlayedApi api = new PlayedApi(_ -> DONE)) {
            VolumeGrower grower = new VolumeGrower(api.client());
            assertThat(grow(grower, "10Gi", 0)).extracting(Happening::reason).containsExactly("VolumeGrown");
            assertThat(grow(grower, "10Gi", 10)).as("the watch is behind").isEmpty();
            assertThat(patches(api)).singleElement().satisfies(request -> assertThat(request.body())
                    .contains("\"uid\":\"u0\"", "\"storage\":\"20Gi\""));
        }
    }

    @Test
    void grow_volumeHasTheSize_nothingIsAsked() throws IOException {
        try (PlayedApi api = new PlayedApi(_ -> DONE)) {
            VolumeGrower grower = new VolumeGrower(api.client());
            VolumesView view = grower.view(PLAN, List.of(claim("20Gi")));
            assertThat(grower.due(view, START)).isEmpty();
            assertThat(grow(grower, "20Gi", 0)).isEmpty();
            assertThat(api.requests()).isEmpty();
        }
    }

    @Test
    void grow_classForbidsIt_restsLongerAfterEachRefusal() throws IOException {
        AtomicReference<Reply> reply = new AtomicReference<>(Reply.error(403, "the class forbids it"));
        try (PlayedApi api = new PlayedApi(request -> request.method().equals("GET") ? DONE : reply.get())) {
            VolumeGrower grower = new VolumeGrower(api.client());
            for (int second = 0; second < 3600; second += 10) {
                assertThat(grow(grower, "10Gi", second)).isEmpty();
            }
            // After 1, 2, 4 and 8 minutes, then every 10.
            assertThat(patches(api)).hasSize(9);
            assertThat(grower.view(PLAN, List.of(claim("10Gi"))).in(State.REFUSED))
                    .singleElement()
                    .satisfies(volume -> assertThat(volume.message()).isEqualTo("the class forbids it"));
            reply.set(DONE);
            assertThat(grow(grower, "10Gi", 4400)).extracting(Happening::reason).containsExactly("VolumeGrown");
            assertThat(grower.view(PLAN, List.of(claim("10Gi"))).in(State.REFUSED))
                    .isEmpty();
        }
    }

    @Test
    void grow_apiServerFails_isNoRefusal() throws IOException {
        try (PlayedApi api = new PlayedApi(_ -> Reply.error(500, "away"))) {
            VolumeGrower grower = new VolumeGrower(api.client());
            assertThatThrownBy(() -> grow(grower, "10Gi", 0)).isInstanceOf(KubernetesClientException.class);
            assertThat(grower.view(PLAN, List.of(claim("10Gi"))).in(State.REFUSED))
                    .isEmpty();
        }
    }
}
