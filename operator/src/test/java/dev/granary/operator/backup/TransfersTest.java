package dev.granary.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.api.backup.GranaryBackup;
import dev.granary.operator.api.backup.TransferStatus;
import dev.granary.operator.api.backup.TransferStatus.Progress;
import dev.granary.operator.reconcile.PlayedApi;
import dev.granary.operator.reconcile.PlayedApi.Reply;
import dev.granary.operator.reconcile.PlayedApi.Request;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link Transfers} with an API server that keeps objects, and no controller of Jobs. */
class TransfersTest {
    private static final Instant NOW = Instant.parse("2026-11-22T01:02:03Z");
    private static final Duration PACE = Duration.ofSeconds(5);
    private static final String UID = "6f1f5b2e-0000-4000-8000-000000000001";
    private static final String JOBS = "/apis/batch/v1/namespaces/shop/jobs";
    private static final String PODS = "/api/v1/namespaces/shop/pods";
    private static final String GRANARY = "/apis/granary.dev/v1alpha1/namespaces/shop/granaries/social";
    private static final String BACKUP = "/apis/granary.dev/v1alpha1/namespaces/shop/granarybackups/first";
    private static final String SUPER_PEERS = "/apis/apps/v1/namespaces/shop/statefulsets/social-super-peer";
    private static final Progress HALF = new Progress("reading chunks", 5L, 10L, 50L, 100L, 7L, 1L, 2L);

    /** The objects of the API server, by path. */
    private final Map<String, String> objects = new ConcurrentSkipListMap<>();

    private final Map<String, Progress> progress = new TreeMap<>();
    private final List<TransferTarget> made = new ArrayList<>();
    private final GranaryBackup backup = resource();
    private final PlayedApi api;
    private final Transfers transfers;

    TransfersTest() throws IOException {
        api = new PlayedApi(this::answer);
        transfers = new Transfers(api.client(), progress::get, () -> NOW);
    }

    @AfterEach
    void close() {
        api.close();
    }

    private Reply answer(Request request) {
        if (request.method().equals("GET") && request.path().equals(PODS)) {
            String pods = objects.getOrDefault(PODS, "");
            return Reply.of(200, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[" + pods + "]}");
        }
        if (request.method().equals("POST")) {
            GenericKubernetesResource created =
                    Serialization.unmarshal(request.body(), GenericKubernetesResource.class);
            objects.put(request.path() + "/" + created.getMetadata().getName(), request.body());
            return Reply.of(201, request.body());
        }
        String found = objects.get(request.path());
        return found == null ? Reply.error(404, "NotFound") : Reply.of(200, found);
    }

    private static GranaryBackup resource() {
        return Serialization.unmarshal("""
                apiVersion: granary.dev/v1alpha1
                kind: GranaryBackup
                metadata: {name: first, namespace: shop, uid: %s, generation: 3}
                """.formatted(UID), GranaryBackup.class);
    }

    private static String json(String yaml) {
        return Serialization.asJson(Serialization.unmarshal("---\n" + yaml, Map.class));
    }

    private void cluster(String ready) {
        objects.put(GRANARY, json("""
                {apiVersion: granary.dev/v1alpha1, kind: Granary, metadata: {name: social, namespace: shop},
                 status: {conditions: [{type: Ready, status: "%s"}]}}
                """.formatted(ready)));
        objects.put(SUPER_PEERS, json("""
                {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: social-super-peer, namespace: shop},
                 spec: {template: {spec: {containers: [{name: super-peer, image: "localhost/granary:7"}]}}}}
                """));
    }

    private void job(String ownerUid, String status) {
        objects.put(JOBS + "/first-backup", json("""
                {apiVersion: batch/v1, kind: Job, status: %s, metadata: {name: first-backup, namespace: shop,
                 ownerReferences: [{apiVersion: granary.dev/v1alpha1, kind: GranaryBackup, name: first, uid: "%s"}]}}
                """.formatted(status, ownerUid)));
    }

    private void runningPod(String address) {
        objects.put(PODS, json("""
                {apiVersion: v1, kind: Pod, metadata: {name: p, creationTimestamp: "2026-11-22T01:00:00Z"},
                 status: {phase: Running, podIP: "%s"}}
                """.formatted(address)));
    }

    private Job make(TransferTarget target) {
        made.add(target);
        return Serialization.unmarshal("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: first-backup, namespace: shop, ownerReferences: [{uid: %s, name: first}]}
                """.formatted(UID), Job.class);
    }

    private TransferStatus next(@Nullable TransferStatus before) {
        return transfers.next(backup, before, "social", new Transfers.Work("first-backup", null, this::make));
    }

    private static Condition complete(TransferStatus status) {
        return Objects.requireNonNull(TransferStatuses.find(status, TransferStatuses.COMPLETE));
    }

    private List<String> eventReasons() {
        return objects.entrySet().stream()
                .filter(entry -> entry.getKey().contains("/events/"))
                .map(entry -> Serialization.unmarshal(entry.getValue(), GenericKubernetesResource.class)
                        .<String>get("reason"))
                .toList();
    }

    @Test
    void next_thereIsNoSuchCluster_waitsAndMakesNoJob() {
        TransferStatus status = next(null);
        assertThat(complete(status).getReason()).isEqualTo("NoSuchGranary");
        assertThat(complete(status).getMessage()).contains("social");
        assertThat(TransferStatuses.isOver(status)).isFalse();
        assertThat(made).isEmpty();
    }

    @Test
    void next_clusterIsNotReady_waits() {
        cluster("False");
        assertThat(complete(next(null)).getReason()).isEqualTo("ClusterNotReady");
        cluster("True");
        objects.remove(SUPER_PEERS);
        assertThat(complete(next(null)).getReason()).isEqualTo("ClusterNotReady");
        assertThat(made).isEmpty();
    }

    @Test
    void next_clusterIsReady_makesOneJobOfItsImage() {
        cluster("True");
        TransferStatus first = next(null);
        TransferStatus second = next(first);

        assertThat(complete(first).getReason()).isEqualTo("Running");
        assertThat(first.job()).isEqualTo("first-backup");
        assertThat(second).isEqualTo(first);
        assertThat(made).singleElement().satisfies(target -> assertThat(target.image())
                .isEqualTo("localhost/granary:7"));
        assertThat(objects).containsKey(JOBS + "/first-backup");
        assertThat(eventReasons()).containsExactly("Started");
    }

    /** Otherwise the outcome of somebody else's work would be told as that of this resource. */
    @Test
    void next_jobOfThatNameIsSomebodyElses_failsAndSaysSo() {
        cluster("True");
        job("another-uid", "{}");
        TransferStatus status = next(null);

        assertThat(TransferStatuses.isTrue(status, TransferStatuses.FAILED)).isTrue();
        assertThat(complete(status).getReason()).isEqualTo("NameTaken");
        assertThat(complete(status).getMessage()).contains("first-backup");
    }

    /** A second Job would work a second time, although the first may have done everything. */
    @Test
    void next_jobWasDeletedBeforeItsEnd_failsAndMakesNoOther() {
        cluster("True");
        TransferStatus before = next(null);
        objects.remove(JOBS + "/first-backup");
        made.clear();
        TransferStatus status = next(before);

        assertThat(complete(status).getReason()).isEqualTo("JobGone");
        assertThat(TransferStatuses.isOver(status)).isTrue();
        assertThat(made).isEmpty();
    }

    @Test
    void next_podDoesNotAnswer_keepsTheProgressOfBefore() {
        cluster("True");
        job(UID, "{}");
        runningPod("10.0.0.7");
        progress.put("10.0.0.7", HALF);
        TransferStatus before = next(null);
        assertThat(before.progress()).isEqualTo(HALF);
        progress.clear();

        assertThat(next(before).progress()).isEqualTo(HALF);
    }

    @Test
    void written_clusterIsWaitedFor_isLookedAtAgainAndToldOnce() {
        TransferStatus status = next(null);
        UpdateControl<GranaryBackup> first = transfers.written(backup, status, new GranaryBackup(), PACE);
        assertThat(first.isPatchStatus()).isTrue();
        assertThat(first.getResource().orElseThrow().getStatus()).isEqualTo(status);
        assertThat(first.getResource().orElseThrow().getMetadata().getName()).isEqualTo("first");
        assertThat(first.getScheduleDelay()).contains(PACE.toMillis());
        backup.setStatus(status);
        UpdateControl<GranaryBackup> second = transfers.written(backup, next(status), new GranaryBackup(), PACE);

        assertThat(second.isNoUpdate()).isTrue();
        assertThat(second.getScheduleDelay()).contains(PACE.toMillis());
        assertThat(eventReasons()).containsExactly("NoSuchGranary");
    }

    @Test
    void written_workIsOver_isNotLookedAtAgain() {
        cluster("True");
        job(UID, "{conditions: [{type: Complete, status: \"True\"}]}");
        TransferStatus status = next(null);
        UpdateControl<GranaryBackup> control = transfers.written(backup, status, new GranaryBackup(), PACE);

        assertThat(complete(status).getReason()).isEqualTo("Done");
        assertThat(control.getScheduleDelay()).isEmpty();
        assertThat(eventReasons()).containsExactly("Done");
    }

    // Failed reconciles.

    private static Context<GranaryBackup> attempt(int count) {
        RetryInfo retry = new RetryInfo() {
            @Override
            public int getAttemptCount() {
                return count;
            }

            @Override
            public boolean isLastAttempt() {
                return false;
            }
        };
        // The framework makes contexts itself; of this one only the number of the attempt is asked.
        @SuppressWarnings("unchecked")
        Context<GranaryBackup> context = (Context<GranaryBackup>) Proxy.newProxyInstance(
                TransfersTest.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getRetryInfo")) {
                        return Optional.of(retry);
                    }
                    throw new AssertionError(method);
                });
        return context;
    }

    private ErrorStatusUpdateControl<GranaryBackup> tellError(int attempt, int code) {
        return transfers.tellError(
                backup, attempt(attempt), new KubernetesClientException("it says no", code, null), GranaryBackup::new);
    }

    private void exists(@Nullable TransferStatus status) {
        backup.setStatus(status);
        objects.put(BACKUP, Serialization.asJson(backup));
    }

    @Test
    void tellError_likelyToPass_isToldFromTheSecondTimeOn() {
        exists(null);
        assertThat(tellError(0, 409).getResource()).isEmpty();
        TransferStatus told = tellError(1, 409).getResource().orElseThrow().getStatus();
        assertThat(complete(told).getReason()).isEqualTo("ReconcileFailed");
    }

    @Test
    void tellError_refusedForGood_isToldAtOnceAndByOneEvent() {
        exists(null);
        TransferStatus told = tellError(0, 422).getResource().orElseThrow().getStatus();
        assertThat(complete(told).getReason()).isEqualTo("Refused");
        assertThat(complete(told).getMessage()).contains("it says no");
        exists(told);
        tellError(5, 422);

        assertThat(eventReasons()).containsExactly("Refused");
        assertThat(api.requests().stream()
                        .filter(request -> request.path().contains("/events")
                                && !request.method().equals("GET")))
                .hasSize(1);
    }

    /** The status of ended work never changes again. */
    @Test
    void tellError_workIsOver_changesNothing() {
        cluster("True");
        job(UID, "{conditions: [{type: Complete, status: \"True\"}]}");
        exists(next(null));
        assertThat(tellError(3, 422).getResource()).isEmpty();
        assertThat(eventReasons()).isEmpty();
    }

    @Test
    void tellError_resourceIsDeletedOrTheApiServerFails_isNoFailureItself() throws IOException {
        assertThat(tellError(3, 422).getResource()).as("no such resource").isEmpty();
        try (PlayedApi failing = new PlayedApi(request -> Reply.error(500, "InternalError"))) {
            Transfers other = new Transfers(failing.client(), progress::get, () -> NOW);
            assertThat(other.tellError(
                                    backup,
                                    attempt(3),
                                    new KubernetesClientException("it says no", 422, null),
                                    GranaryBackup::new)
                            .getResource())
                    .isEmpty();
        }
    }
}
