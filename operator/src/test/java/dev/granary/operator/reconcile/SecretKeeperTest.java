package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.access.ClusterSecret;
import dev.granary.operator.Samples;
import dev.granary.operator.build.Secrets;
import dev.granary.operator.build.StatefulSets;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.reconcile.PlayedApi.Reply;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The Secret of a cluster is made once and read afterwards. */
class SecretKeeperTest {
    private static final ClusterPlan PLAN = Samples.plan("{}");

    private volatile String stored = "";

    private Reply answer(PlayedApi.Request request) {
        if (request.method().equals("POST")) {
            stored = request.body();
            return Reply.of(201, request.body());
        }
        return stored.isEmpty() ? Reply.error(404, "NotFound") : Reply.of(200, stored);
    }

    private static SecretKeeper keeper(PlayedApi api, int seed) {
        return new SecretKeeper(api.client(), new SplittableRandom(seed));
    }

    @Test
    void keep_thereIsNone_isMadeOnceAndReadAfterwards() throws IOException {
        try (PlayedApi api = new PlayedApi(this::answer)) {
            String made = keeper(api, 1).keep(PLAN);
            assertThat(made).hasSizeGreaterThanOrEqualTo(ClusterSecret.MIN_BYTES);
            assertThat(keeper(api, 2).keep(PLAN)).isEqualTo(made);
            assertThat(api.requests()).extracting(PlayedApi.Request::method).containsExactly("GET", "POST", "GET");
            Secret secret = Serialization.unmarshal(stored, Secret.class);
            assertThat(secret.getMetadata().getOwnerReferences())
                    .singleElement()
                    .satisfies(owner -> assertThat(owner.getUid()).isEqualTo(PLAN.uid()));
            assertThat(secret.getImmutable()).isTrue();
        }
    }

    @Test
    void keep_secretOfSomebodyElse_isLeftAlone() throws IOException {
        Secret other = Secrets.of(PLAN, "the secret of somebody else");
        other.getMetadata().getOwnerReferences().getFirst().setUid("another");
        stored = Serialization.asJson(other);
        try (PlayedApi api = new PlayedApi(this::answer)) {
            assertThatThrownBy(() -> keeper(api, 1).keep(PLAN))
                    .isInstanceOf(NameTakenException.class)
                    .hasMessageContaining(other.getMetadata().getName());
            assertThat(api.requests()).hasSize(1);
        }
    }

    @Test
    void keep_clusterThatRunsWithoutASecret_getsNone() throws IOException {
        StatefulSet running = StatefulSets.superPeers(PLAN);
        running.getSpec()
                .getTemplate()
                .getSpec()
                .getVolumes()
                .removeIf(volume -> Secrets.VOLUME.equals(volume.getName()));
        ClusterPlan plan = Samples.plan("{}", existing(running));
        assertThat(plan.hasSecret()).isFalse();
        assertThat(Samples.plan("{}", existing(StatefulSets.superPeers(PLAN))).hasSecret())
                .isTrue();
        try (PlayedApi api = new PlayedApi(this::answer)) {
            assertThat(keeper(api, 1).keep(plan)).isNull();
            assertThat(api.requests()).isEmpty();
        }
    }

    /** Pods with and without ports of their own would not reach each other. */
    @Test
    void plan_clusterThatRunsWithOnePortForEverything_keepsIt() {
        StatefulSet running = StatefulSets.superPeers(PLAN);
        assertThat(PLAN.hasPorts()).isTrue();
        assertThat(Samples.plan("{}", existing(running)).hasPorts()).isTrue();
        running.getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getPorts()
                .removeIf(port -> !port.getName().equals("granary"));
        ClusterPlan kept = Samples.plan("{}", existing(running));
        assertThat(kept.hasPorts()).isFalse();
        for (StatefulSet set : List.of(StatefulSets.superPeers(kept), StatefulSets.storage(kept))) {
            Container container =
                    set.getSpec().getTemplate().getSpec().getContainers().getFirst();
            assertThat(container.getPorts()).extracting(ContainerPort::getName).containsExactly("granary", "http");
            assertThat(container.getEnv()).extracting(EnvVar::getName).noneMatch(name -> name.endsWith("_PORT"));
        }
    }

    private static Existing existing(StatefulSet superPeers) {
        return ExistingOf.of(
                Samples.granary("social", "{}"), superPeers, null, Existing.Devices.UNKNOWN, component -> 0);
    }
}
