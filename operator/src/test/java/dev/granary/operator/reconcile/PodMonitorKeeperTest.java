package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.reconcile.PlayedApi.Reply;
import dev.granary.operator.reconcile.PlayedApi.Request;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A cluster with a PodMonitor rests like any other. */
class PodMonitorKeeperTest {
    private static final ClusterPlan WANTED = Samples.plan("{monitoring: {podMonitor: true}}");
    private static final String CRD = """
            {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"monitoring.coreos.com/v1","resources":
             [{"name":"podmonitors","singularName":"podmonitor","namespaced":true,"kind":"PodMonitor","verbs":["get"]}]}
            """;
    private static final String MONITOR = """
            {"kind":"PodMonitor","apiVersion":"monitoring.coreos.com/v1","metadata":
             {"name":"social-granary","namespace":"shop","resourceVersion":"1","generation":1}}
            """;

    private final AtomicLong second = new AtomicLong();
    private final InstantSource clock =
            () -> Instant.parse("2026-01-01T00:00:00Z").plusSeconds(second.get());

    private PodMonitorKeeper keeper(PlayedApi api) {
        return new PodMonitorKeeper(api.client(), new Applier(api.client()), clock);
    }

    private static Reply withCrd(Request request) {
        if (request.path().endsWith("/social-granary")) {
            return request.method().equals("PATCH") ? Reply.of(200, MONITOR) : Reply.error(404, "NotFound");
        }
        return Reply.of(200, CRD);
    }

    private static long writes(PlayedApi api) {
        return api.requests().stream()
                .filter(request -> request.method().equals("PATCH"))
                .count();
    }

    @Test
    void keep_monitorWasMadeJustNow_restsForTenMinutes() throws IOException {
        try (PlayedApi api = new PlayedApi(PodMonitorKeeperTest::withCrd)) {
            PodMonitorKeeper keeper = keeper(api);
            assertThat(keeper.rests(WANTED, null)).isFalse();
            assertThat(keeper.keep(WANTED, false)).isTrue();
            assertThat(writes(api)).isEqualTo(1);
            assertThat(keeper.rests(WANTED, null)).isTrue();
            assertThat(keeper.answer(WANTED)).isTrue();
            int before = api.requests().size();
            second.set(50);
            assertThat(keeper.keep(WANTED, true)).isTrue();
            assertThat(api.requests()).hasSize(before);
            second.set(600);
            assertThat(keeper.rests(WANTED, null)).isFalse();
            keeper.keep(WANTED, true);
            assertThat(writes(api)).isEqualTo(2);
        }
    }

    @Test
    void keep_wantedOtherwise_isMadeAtOnce() throws IOException {
        try (PlayedApi api = new PlayedApi(PodMonitorKeeperTest::withCrd)) {
            PodMonitorKeeper keeper = keeper(api);
            keeper.keep(WANTED, false);
            ClusterPlan other = Samples.plan("{monitoring: {podMonitor: true, intervalSeconds: 30}}");
            assertThat(keeper.rests(other, null)).isFalse();
            keeper.keep(other, true);
            assertThat(writes(api)).isEqualTo(2);
        }
    }

    @Test
    void rests_crdIsMissing_asksForItOnceAMinute() throws IOException {
        try (PlayedApi api = new PlayedApi(_ -> Reply.error(404, "NotFound"))) {
            PodMonitorKeeper keeper = keeper(api);
            assertThat(keeper.keep(WANTED, false)).isFalse();
            int once = api.requests().size();
            second.set(60);
            assertThat(keeper.rests(WANTED, null)).isTrue();
            assertThat(keeper.answer(WANTED)).isFalse();
            assertThat(api.requests()).hasSize(once);
            second.set(61);
            assertThat(keeper.rests(WANTED, null)).isTrue();
            assertThat(api.requests()).hasSizeGreaterThan(once);
        }
    }

    @Test
    void rests_noneIsWanted_unlessThereMayBeOneToRemove() throws IOException {
        try (PlayedApi api = new PlayedApi(_ -> Reply.error(404, "NotFound"))) {
            ClusterPlan none = Samples.plan("{}");
            assertThat(keeper(api).rests(none, null)).isTrue();
            assertThat(keeper(api).answer(none)).isNull();
            assertThat(api.requests()).isEmpty();
        }
    }
}
