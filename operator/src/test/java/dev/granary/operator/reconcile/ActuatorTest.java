package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.apiserver.RecordingControl;
import dev.granary.operator.control.ClusterControl;
import dev.granary.operator.reconcile.PlayedApi.Reply;
import dev.granary.operator.status.Happening;
import dev.granary.operator.steer.Action;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ActuatorTest {
    private static final Action GUARD = new Action.Guard("social-storage-1", "uid-1", false);
    private static final Action DRAIN = new Action.StartDrain("social-storage-2", 0x1020);

    private static final Reply POD = Reply.of(200, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}");

    private final RecordingControl control = new RecordingControl();

    private Actuator.Result run(PlayedApi api, Action... actions) {
        return new Actuator(api.client(), control, InstantSource.system())
                .run("shop", new ClusterControl.Target(List.of(), null, null), List.of(actions));
    }

    @Test
    void run_release_namesTheUidOfThePodThatItWasDecidedFor() throws IOException {
        try (PlayedApi api = new PlayedApi(_ -> POD)) {
            assertThat(run(api, GUARD).happenings())
                    .extracting(Happening::reason)
                    .containsExactly("PodReleased");
            assertThat(api.requests())
                    .filteredOn(request -> request.method().equals("PATCH"))
                    .extracting(PlayedApi.Request::body)
                    .containsExactly("{\"metadata\":{\"uid\":\"uid-1\",\"labels\":{\"granary.dev/guarded\":null}}}");
        }
    }

    @Test
    void run_release_podHasGone_isNotSaid() throws IOException {
        try (PlayedApi api = new PlayedApi(_ -> Reply.error(404, "gone"))) {
            assertThat(run(api, GUARD).happenings()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 409, 422})
    void run_podHasGoneOrIsAnother_otherActionsAreCarriedOut(int code) throws IOException {
        try (PlayedApi api =
                new PlayedApi(request -> request.method().equals("GET") ? POD : Reply.error(code, "gone"))) {
            Actuator.Result result = run(api, GUARD, DRAIN);
            assertThat(control.calls()).containsExactly("drain 0x1020");
            assertThat(result.happenings()).extracting(Happening::reason).containsExactly("DrainStarted");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 500})
    void run_apiServerFailsOrRefuses_isNotPassedOver(int code) throws IOException {
        try (PlayedApi api = new PlayedApi(_ -> Reply.error(code, "no"))) {
            assertThatThrownBy(() -> run(api, GUARD, DRAIN)).isInstanceOf(KubernetesClientException.class);
        }
    }

    @Test
    void run_oldKubernetesCannotResize_podIsMarkedForReplacement() throws IOException {
        try (PlayedApi api = new PlayedApi(
                request -> request.method().equals("PATCH") && request.path().endsWith("/resize")
                        ? Reply.error(404, "no such subresource")
                        : POD)) {
            assertThat(run(api, new Action.GrowMemory("social-storage-1", "uid-1", "3Gi"))
                            .happenings())
                    .extracting(Happening::reason)
                    .containsExactly("MemoryNotGrown");
            assertThat(api.requests())
                    .extracting(PlayedApi.Request::body)
                    .anyMatch(body -> body.contains("\"granary.dev/memory-refused\":\"3Gi\""));
        }
    }
}
