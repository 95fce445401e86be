package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.granary.operator.reconcile.PlayedApi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CordonedNodesTest {
    private static final String NODES = list(
            node("well", ""),
            node("cordoned", "\"unschedulable\":true"),
            node("karpenter", taint("karpenter.sh/disrupted")),
            node("old-karpenter", taint("karpenter.sh/disruption")),
            node("autoscaler", taint("ToBeDeletedByClusterAutoscaler")),
            node("maybe-later", taint("DeletionCandidateOfClusterAutoscaler")));

    private final List<Throwable> stops = new CopyOnWriteArrayList<>();

    private static String taint(String key) {
        return "\"taints\":[{\"key\":\"" + key + "\",\"effect\":\"NoSchedule\"}]";
    }

    private static String node(String name, String spec) {
        return "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\",\"resourceVersion\":\"%d\"},\"spec\":{%s}}"
                .formatted(name, name, spec.length() + 1, spec);
    }

    private static String list(String... nodes) {
        return "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":["
                + String.join(",", nodes) + "]}";
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}\n";
    }

    /** An API server with these nodes, whose first watch of nodes gets an answer. */
    private static PlayedApi api(String nodes, Reply watch) throws IOException {
        return new PlayedApi(request -> request.query().contains("watch=true") ? watch : Reply.of(200, nodes));
    }

    private CordonedNodes watch(PlayedApi api) {
        return CordonedNodes.watch(api.client(), this::note);
    }

    private void note(@Nullable Throwable error) {
        if (error != null) {
            stops.add(error);
        }
    }

    private static ConditionFactory awaiting() {
        return await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(20));
    }

    @Test
    void names_cordonedAndTaintedByAutoscalers_areThose() throws IOException {
        try (PlayedApi api = api(NODES, new Reply(200, event("MODIFIED", node("well", "")), true));
                CordonedNodes nodes = watch(api)) {
            awaiting().untilAsserted(() -> assertThat(nodes.names())
                    .containsExactlyInAnyOrder("cordoned", "karpenter", "old-karpenter", "autoscaler"));
            awaiting().until(nodes::isWatching);
            assertThat(stops).isEmpty();
        }
    }

    @Test
    void names_nodesChange_followsAndTells() throws IOException {
        String changes = event("MODIFIED", node("well", taint("karpenter.sh/disrupted")))
                + event("MODIFIED", node("autoscaler", "\"podCIDR\":\"10.0.0.0/24\""))
                + event("DELETED", node("cordoned", "\"unschedulable\":true"));
        AtomicReference<Reply> watch = new AtomicReference<>(new Reply(503, "", false));
        try (PlayedApi api = new PlayedApi(
                        request -> request.query().contains("watch=true") ? watch.get() : Reply.of(200, NODES));
                CordonedNodes nodes = watch(api)) {
            AtomicInteger told = new AtomicInteger();
            awaiting().until(() -> nodes.names().size() == 4);
            nodes.whenChanged(told::incrementAndGet);
            watch.set(new Reply(200, changes, true));
            awaiting().untilAsserted(() -> assertThat(nodes.names())
                    .containsExactlyInAnyOrder("well", "karpenter", "old-karpenter"));
            assertThat(told).hasValue(3);
        }
    }

    @Test
    void watch_apiServerRefusesIt_isNotWatchingAndTriesAgain() throws IOException {
        try (PlayedApi api = api(NODES, Reply.error(403, "Forbidden"));
                CordonedNodes nodes = watch(api)) {
            awaiting().until(() -> watches(api).size() >= 3);
            assertThat(nodes.isWatching()).isFalse();
            assertThat(stops).isEmpty();
        }
    }

    private static List<PlayedApi.Request> watches(PlayedApi api) {
        List<PlayedApi.Request> watches = new ArrayList<>(api.requests());
        watches.removeIf(request -> !request.query().contains("watch=true"));
        return watches;
    }

    @Test
    void watch_nodeThatCannotBeRead_endsItAndIsTold() throws IOException {
        String broken = event("ADDED", "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":\"none\"}");
        try (PlayedApi api = api(NODES, new Reply(200, broken, true));
                CordonedNodes nodes = watch(api)) {
            awaiting().until(() -> !stops.isEmpty());
            assertThat(nodes.isWatching()).isFalse();
        }
    }

    @Test
    void none_knowsNoNodes_missesNone() {
        try (CordonedNodes nodes = CordonedNodes.none()) {
            assertThat(nodes.names()).isEmpty();
            assertThat(nodes.isWatching()).isTrue();
        }
    }
}
