package dev.granary.operator.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What pods are told of their doors. */
class RedisDoorTest {

    private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Z_]+)\\)");

    private static Container storage(String redis) {
        return container(StatefulSets.storage(Samples.plan("{redis: " + redis + "}")));
    }

    private static Container container(StatefulSet set) {
        return set.getSpec().getTemplate().getSpec().getContainers().getFirst();
    }

    private static Map<String, String> redis(Container container) {
        return variables(container, "GRANARY_REDIS");
    }

    private static Map<String, String> variables(Container container) {
        return variables(container, "GRANARY_USERS");
    }

    private static Map<String, String> variables(Container container, String prefix) {
        Map<String, String> values = new TreeMap<>();
        container.getEnv().stream()
                .filter(variable -> variable.getName().startsWith(prefix))
                .forEach(variable -> values.put(variable.getName(), variable.getValue()));
        return values;
    }

    @Test
    void environment_defaults_announceTheAddressOfThePod() {
        assertThat(redis(storage("{enabled: true}")))
                .isEqualTo(Map.of(
                        "GRANARY_REDIS_PORT", "6379",
                        "GRANARY_REDIS_ADVERTISE_HOST", "$(POD_IP)",
                        "GRANARY_REDIS_REDIRECT", "aware",
                        "GRANARY_REDIS_CLIENTS_MAX", "10000"));
    }

    @ParameterizedTest
    @CsvSource({
        "{hostname}, $(POD_NAME).social-storage.shop.svc",
        "redis-{ordinal}.example.org, redis-$(POD_INDEX).example.org",
        "{pod}.example.org, $(POD_NAME).example.org",
        "{ordinal}.{nodeAddress}.nip.example.org, $(POD_INDEX).$(POD_HOST_IP).nip.example.org"
    })
    void environment_host_hasVariablesInPlaceOfPlaceholders(String host, String value) {
        assertThat(redis(storage("{enabled: true, announce: {host: \"" + host + "\"}}")))
                .containsEntry("GRANARY_REDIS_ADVERTISE_HOST", value);
    }

    @Test
    void environment_portsAndTime_areThoseOfTheResource() {
        assertThat(redis(storage("{enabled: true, announce: {port: 443}, idleSeconds: 90}")))
                .containsEntry("GRANARY_REDIS_ADVERTISE_PORT", "443")
                .containsEntry("GRANARY_REDIS_CLIENTS_TIMEOUT", "90s")
                .doesNotContainKey("GRANARY_REDIS_ADVERTISE_PORT_OFFSET");
        assertThat(redis(storage("{enabled: true, announce: {host: \"{nodeAddress}\", firstPort: 31000}}")))
                .containsEntry("GRANARY_REDIS_ADVERTISE_PORT", "31000")
                .containsEntry("GRANARY_REDIS_ADVERTISE_PORT_OFFSET", "$(POD_INDEX)");
    }

    /** Kubernetes replaces only what stands before. */
    @ParameterizedTest
    @ValueSource(strings = {"{address}", "{hostname}", "{pod}", "{ordinal}", "{ordinal}-{nodeAddress}"})
    void environment_everyVariableInAValue_standsBeforeIt(String host) {
        Container container = storage("{enabled: true, announce: {host: \"" + host + "\", firstPort: 31000}}");
        Set<String> before = new HashSet<>();
        List<String> unknown = new ArrayList<>();
        for (EnvVar variable : container.getEnv()) {
            Matcher references = REFERENCE.matcher(variable.getValue() == null ? "" : variable.getValue());
            while (references.find()) {
                if (!before.contains(references.group(1))) {
                    unknown.add(variable.getName() + " " + references.group());
                }
            }
            before.add(variable.getName());
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void template_door_hasAPortAndServesUntilServicesForgetThePod() {
        Container with = storage("{enabled: true}");
        Container without = storage("{enabled: false}");
        assertThat(with.getPorts())
                .extracting(ContainerPort::getName)
                .containsExactly("granary", "http", "inside", "admin", "redis");
        assertThat(with.getLifecycle().getPreStop().getExec().getCommand()).containsExactly("sleep", "3");
        assertThat(without.getPorts())
                .extracting(ContainerPort::getName)
                .containsExactly("granary", "http", "inside", "admin");
        assertThat(without.getLifecycle()).isNull();
    }

    /** A whole directory, since a single file of a Secret stays as it was when the container started. */
    @Test
    void template_usersSecret_isMountedAsADirectoryAndNamed() {
        var set = StatefulSets.storage(Samples.plan("{redis: {enabled: true, usersSecretRef: {name: shop-users}}}"));
        Container container = container(set);
        assertThat(redis(container)).containsEntry("GRANARY_REDIS_USERS_FILE", "/etc/granary-redis-users/users.acl");
        assertThat(container.getVolumeMounts())
                .filteredOn(mount -> mount.getName().equals("redis-users"))
                .singleElement()
                .satisfies(mount -> {
                    assertThat(mount.getMountPath()).isEqualTo("/etc/granary-redis-users");
                    assertThat(mount.getReadOnly()).isTrue();
                    assertThat(mount.getSubPath()).isNull();
                });
        assertThat(set.getSpec().getTemplate().getSpec().getVolumes())
                .filteredOn(volume -> volume.getName().equals("redis-users"))
                .singleElement()
                .satisfies(volume -> {
                    assertThat(volume.getSecret().getSecretName()).isEqualTo("shop-users");
                    assertThat(volume.getSecret().getItems())
                            .extracting(item -> item.getKey())
                            .containsExactly("users.acl");
                });
        assertThat(redis(storage("{enabled: true}"))).doesNotContainKey("GRANARY_REDIS_USERS_FILE");
    }

    /** Where nothing proves who is a node, a super-peer with users would not start. */
    @Test
    void template_superPeer_hasTheUsersWhereNodesProveThemselves() {
        String spec = "{redis: {enabled: true, usersSecretRef: {name: shop-users}}}";
        var set = StatefulSets.superPeers(Samples.plan(spec));
        Container container = container(set);
        assertThat(variables(container)).containsEntry("GRANARY_USERS_FILE", "/etc/granary-redis-users/users.acl");
        assertThat(container.getVolumeMounts())
                .anyMatch(mount -> mount.getName().equals("redis-users"));
        assertThat(RedisDoor.hasUsers(set.getSpec().getTemplate().getSpec().getVolumes(), "shop-users"))
                .isTrue();
        var unprovedNodes = new Existing(
                Existing.Role.NOTHING,
                Existing.Role.NOTHING,
                null,
                Existing.Devices.UNKNOWN,
                null,
                true,
                null,
                false,
                null);
        Container unproved = container(StatefulSets.superPeers(Samples.plan(spec, unprovedNodes)));
        assertThat(variables(unproved)).doesNotContainKey("GRANARY_USERS_FILE");
        assertThat(unproved.getVolumeMounts())
                .noneMatch(mount -> mount.getName().equals("redis-users"));
        Container without = container(StatefulSets.superPeers(Samples.plan("{redis: {enabled: true}}")));
        assertThat(variables(without)).doesNotContainKey("GRANARY_USERS_FILE");
    }

    @Test
    void template_superPeer_hasNoDoor() {
        ClusterPlan plan = Samples.plan("{redis: {enabled: true}}");
        Container superPeer = container(StatefulSets.superPeers(plan));
        assertThat(redis(superPeer)).isEmpty();
        assertThat(superPeer.getPorts())
                .extracting(ContainerPort::getName)
                .containsExactly("granary", "http", "inside", "admin");
    }
}
