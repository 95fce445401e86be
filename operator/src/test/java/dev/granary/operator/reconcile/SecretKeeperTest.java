package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.access.ClusterSecret;
import dev.granary.operator.Samples;
import dev.granary.operator.build.Secrets;
import dev.granary.operator.build.StatefulSets;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.InvalidSpecException;
import dev.granary.operator.plan.Names;
import dev.granary.operator.reconcile.PlayedApi.Reply;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The Secret of a cluster is made once and read afterwards; a change of it makes others. */
class SecretKeeperTest {
    private static final ClusterPlan PLAN = Samples.plan("{}");

    private static final String NAME = "social-granary";

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
            String made = keeper(api, 1).keep(PLAN, null);
            assertThat(made).hasSizeGreaterThanOrEqualTo(ClusterSecret.MIN_BYTES);
            assertThat(keeper(api, 2).keep(PLAN, null)).isEqualTo(made);
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
        Secret other = Secrets.ofNodes(PLAN, 0, "the secret of somebody else");
        other.getMetadata().getOwnerReferences().getFirst().setUid("another");
        stored = Serialization.asJson(other);
        try (PlayedApi api = new PlayedApi(this::answer)) {
            assertThatThrownBy(() -> keeper(api, 1).keep(PLAN, null))
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
            assertThat(keeper(api, 1).keep(plan, null)).isNull();
            assertThat(api.requests()).isEmpty();
        }
    }

    private static ClusterPlan plan(String record) {
        StatefulSet running = StatefulSets.superPeers(PLAN);
        running.getMetadata().getAnnotations().put(Names.SECRET_ANNOTATION, record);
        return Samples.plan("{}", existing(running));
    }

    @Test
    void keep_phasesOfAChange_nodesGetFilesAndAdministratorsTheSecretOfTheNewest() throws IOException {
        PlayedSecrets secrets = new PlayedSecrets();
        try (PlayedApi api = new PlayedApi(secrets)) {
            SecretKeeper keeper = keeper(api, 1);
            String old = keeper.keep(PLAN, null);
            String both = Objects.requireNonNull(keeper.keep(plan("0 Accepting now"), null));
            assertThat(both).startsWith(old + "\n").hasLineCount(2);
            String fresh = both.lines().toList().getLast();
            assertThat(secrets.texts()).containsEntry(NAME, old).containsEntry(NAME + "-nodes-1", both);
            assertThat(keeper.keep(plan("0 Proving now"), null)).isEqualTo(fresh + "\n" + old);
            assertThat(secrets.texts()).containsEntry(NAME, fresh);
            assertThat(keeper.keep(plan("0 Ending now"), null)).isEqualTo(fresh);
            assertThat(secrets.texts()).hasSize(4);
            assertThat(keeper.keep(plan("1 Steady now"), null)).isEqualTo(fresh);
            assertThat(secrets.texts()).containsOnly(Map.entry(NAME, fresh), Map.entry(NAME + "-nodes-3", fresh));
            Secret nodes = Objects.requireNonNull(secrets.get(NAME + "-nodes-3"));
            assertThat(nodes.getImmutable()).isTrue();
            assertThat(nodes.getMetadata().getOwnerReferences()).hasSize(1);
            assertThat(Objects.requireNonNull(secrets.get(NAME)).getImmutable()).isNull();
            keeper.keep(plan("1 Accepting later"), null);
            keeper.keep(plan("1 Proving later"), null);
            assertThat(secrets.texts().get(NAME)).isNotIn(old, fresh);
        }
    }

    @Test
    void keep_phaseOnceMore_writesNothing() throws IOException {
        PlayedSecrets secrets = new PlayedSecrets();
        try (PlayedApi api = new PlayedApi(secrets)) {
            keeper(api, 1).keep(PLAN, null);
            for (String record : List.of("0 Accepting now", "0 Proving now", "0 Ending now", "1 Steady now")) {
                keeper(api, 2).keep(plan(record), null);
                Map<String, String> before = secrets.texts();
                int writes = writes(api);
                keeper(api, 3).keep(plan(record), null);
                assertThat(secrets.texts()).isEqualTo(before);
                assertThat(writes(api)).isEqualTo(writes);
            }
        }
    }

    private static int writes(PlayedApi api) {
        return (int) api.requests().stream()
                .filter(request -> !request.method().equals("GET"))
                .count();
    }

    @Test
    void keep_secretsThatSomebodyHasDeleted_areMadeFromWhatIsLeft() throws IOException {
        PlayedSecrets secrets = new PlayedSecrets();
        try (PlayedApi api = new PlayedApi(secrets)) {
            SecretKeeper keeper = keeper(api, 1);
            keeper.keep(PLAN, null);
            for (String record : List.of("0 Accepting now", "0 Proving now", "0 Ending now", "1 Steady now")) {
                keeper.keep(plan(record), null);
            }
            Map<String, String> all = secrets.texts();
            for (String name : all.keySet()) {
                secrets.remove(name);
                keeper.keep(plan("1 Steady now"), null);
                assertThat(secrets.texts()).isEqualTo(all);
            }
        }
    }

    @Test
    void keep_fileFromWhichTheNextFollowsIsGone_isRefused() throws IOException {
        PlayedSecrets secrets = new PlayedSecrets();
        try (PlayedApi api = new PlayedApi(secrets)) {
            SecretKeeper keeper = keeper(api, 1);
            keeper.keep(PLAN, null);
            keeper.keep(plan("0 Accepting now"), null);
            secrets.remove(NAME + "-nodes-1");
            assertThatThrownBy(() -> keeper.keep(plan("0 Proving now"), null))
                    .isInstanceOf(InvalidSpecException.class)
                    .hasMessageContaining(NAME + "-nodes-1 is gone");
        }
    }

    @Test
    void keep_fileOfSomebodyElse_isLeftAlone() throws IOException {
        PlayedSecrets secrets = new PlayedSecrets();
        Secret other = Secrets.ofNodes(PLAN, 1, "the secret of somebody else");
        other.getMetadata().getOwnerReferences().getFirst().setUid("another");
        secrets.put(other);
        try (PlayedApi api = new PlayedApi(secrets)) {
            keeper(api, 1).keep(PLAN, null);
            assertThatThrownBy(() -> keeper(api, 1).keep(plan("0 Accepting now"), null))
                    .isInstanceOf(NameTakenException.class)
                    .hasMessageContaining(NAME + "-nodes-1");
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
