package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.Samples;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.build.Services;
import dev.granary.operator.observe.ClusterObserver;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.observe.UnusedVolumes;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.reconcile.PlayedApi.Reply;
import dev.granary.operator.reconcile.PlayedApi.Request;
import dev.granary.operator.status.Observation;
import dev.granary.operator.status.StatusBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The addresses of Services, and {@link Applier} that asks for them. */
class ServiceAddressesTest {
    private static final ClusterPlan PLAN = Samples.plan("{redis: {enabled: true}}");
    private static final Service CLIENT = Services.client(PLAN);
    private static final Service REDIS = Services.redis(PLAN, Objects.requireNonNull(PLAN.redis()));

    private static Service with(Service service, String address) {
        return new ServiceBuilder(service)
                .editMetadata()
                .withResourceVersion("7")
                .endMetadata()
                .editSpec()
                .withClusterIP(address)
                .endSpec()
                .build();
    }

    private static GranaryStatus status(Observation.Addresses addresses, @Nullable GranaryStatus previous) {
        Observation seen = new Observation(
                PodsView.NONE,
                PodsView.NONE,
                new ClusterObserver.Answer.Unreachable("x"),
                List.of(),
                List.of(),
                null,
                null,
                null,
                null,
                null,
                addresses,
                UnusedVolumes.NONE);
        return StatusBuilder.of(PLAN, seen, previous, 1, Instant.EPOCH);
    }

    private static @Nullable String address(HasMetadata object) {
        return ((Service) object).getSpec().getClusterIP();
    }

    @Test
    void withFormer_serviceHasGone_asksForTheAddressThatTheStatusKeeps() {
        GranaryStatus before =
                status(ServiceAddresses.of(PLAN, List.of(with(CLIENT, "10.96.0.7"), with(REDIS, "10.96.0.8"))), null);
        GranaryStatus after = status(ServiceAddresses.of(PLAN, List.of()), before);
        assertThat(address(ServiceAddresses.withFormer(CLIENT, PLAN, after))).isEqualTo("10.96.0.7");
        assertThat(address(ServiceAddresses.withFormer(REDIS, PLAN, after))).isEqualTo("10.96.0.8");
        Service headless = Services.storage(PLAN);
        assertThat(ServiceAddresses.withFormer(headless, PLAN, after)).isSameAs(headless);
        assertThat(ServiceAddresses.withFormer(CLIENT, PLAN, null)).isSameAs(CLIENT);
    }

    @Test
    void of_serviceOfSomebodyElseOrWithoutAddress_isNotTakenForOurs() {
        Service foreign = with(CLIENT, "10.96.0.7");
        foreign.getMetadata().getOwnerReferences().getFirst().setUid("another");
        assertThat(ServiceAddresses.of(PLAN, List.of(foreign, with(REDIS, "None"))))
                .isEqualTo(Observation.Addresses.NONE);
    }

    private static Reply made(Request request) {
        return request.method().equals("GET")
                ? Reply.error(404, "NotFound")
                : Reply.of(200, request.body().replace("\"metadata\":{", "\"metadata\":{\"resourceVersion\":\"7\","));
    }

    private static List<String> written(PlayedApi api) {
        return api.requests().stream()
                .filter(request -> request.method().equals("PATCH"))
                .map(request -> request.body().contains("10.96.0.7") ? "former" : "any")
                .toList();
    }

    @Test
    void apply_serviceHasGone_isMadeWithItsAddressWhichIsNotAskedForLater() throws IOException {
        try (PlayedApi api = new PlayedApi(ServiceAddressesTest::made)) {
            Applier applier = new Applier(api.client());
            assertThat(applier.apply(CLIENT, with(CLIENT, "10.96.0.7"), null)).isEqualTo(Applier.Outcome.CREATED);
            assertThat(written(api)).containsExactly("former", "any");
            assertThat(applier.isApplied(CLIENT, with(CLIENT, "10.96.0.7"))).isTrue();
        }
    }

    @Test
    void apply_addressIsTaken_takesAnotherAfterAFewTries() throws IOException {
        try (PlayedApi api = new PlayedApi(request ->
                request.body().contains("10.96.0.7") ? Reply.error(422, "provided IP is taken") : made(request))) {
            Applier applier = new Applier(api.client());
            assertThat(applier.apply(CLIENT, with(CLIENT, "10.96.0.7"), null)).isEqualTo(Applier.Outcome.CREATED);
            assertThat(written(api)).containsExactly("former", "former", "former", "former", "any");
        }
    }

    @Test
    void apply_apiServerHasTrouble_isTriedAgainWithTheNextRound() throws IOException {
        try (PlayedApi api = new PlayedApi(
                request -> request.body().contains("10.96.0.7") ? Reply.error(500, "InternalError") : made(request))) {
            Applier applier = new Applier(api.client());
            assertThatThrownBy(() -> applier.apply(CLIENT, with(CLIENT, "10.96.0.7"), null))
                    .isInstanceOf(KubernetesClientException.class);
            assertThat(written(api)).containsExactly("former");
        }
    }
}
