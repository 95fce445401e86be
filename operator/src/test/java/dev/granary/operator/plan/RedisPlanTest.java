package dev.granary.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.Samples;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a resource says of doors. An older CRD may have let in what the present one refuses. */
class RedisPlanTest {

    private static RedisPlan plan(String redis) {
        return Objects.requireNonNull(Samples.plan("{redis: " + redis + "}").redis());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{redis: {}}", "{redis: {enabled: false, maxClients: 0}}"})
    void of_notEnabled_isNone(String spec) {
        assertThat(Samples.plan(spec).redis()).isNull();
    }

    @Test
    void of_enabledAlone_hasTheDefaultsOfTheCrd() {
        RedisPlan plan = plan("{enabled: true}");
        assertThat(plan.door()).isEqualTo(new RedisPlan.Door("{address}", null, null, "aware", 10_000, null, null));
        assertThat(plan.serviceType()).isEqualTo("ClusterIP");
        assertThat(plan.serviceAnnotations()).isEmpty();
    }

    @Test
    void of_everythingIsSet_isTaken() {
        RedisPlan plan = plan("{enabled: true, announce: {host: \"{nodeAddress}\", firstPort: 31000}, redirect: always,"
                + " maxClients: 500, idleSeconds: 300, service: {type: NodePort, annotations: {a: b}}}");
        assertThat(plan.door()).isEqualTo(new RedisPlan.Door("{nodeAddress}", null, 31_000, "always", 500, 300, null));
        assertThat(plan.serviceType()).isEqualTo("NodePort");
        assertThat(plan.serviceAnnotations()).isEqualTo(Map.of("a", "b"));
    }

    @Test
    void of_hostOutside_mayHaveSeveralPlaceholders() {
        assertThat(plan("{enabled: true, announce: {host: \"{pod}-{ordinal}.example.org\", port: 443}}")
                        .door()
                        .host())
                .isEqualTo("{pod}-{ordinal}.example.org");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            announce: {host: "{ip}"}                     | redis.announce.host must have letters, digits
            announce: {host: "redis_{ordinal}"}          | redis.announce.host must have letters, digits
            announce: {host: redis.example.org}          | redis.announce.host must have {address}, {hostname}
            announce: {host: "{nodeAddress}"}            | or redis.announce.firstPort must be set
            announce: {port: 1, firstPort: 1}            | name one of them
            announce: {port: 65536}                      | redis.announce.port is 65536, but must be from 1 to 65535
            announce: {firstPort: 65534}                 | redis.announce.firstPort is 65534, but must be from 1 to 65533
            maxClients: 0                                | redis.maxClients is 0, but must be from 1 to 1000000
            idleSeconds: 0                               | redis.idleSeconds is 0
            managedUsers: true, usersSecretRef: {name: users} | redis.managedUsers and redis.usersSecretRef exclude
            redirect: sometimes                          | redis.redirect is sometimes, but must be aware, always or never
            service: {type: ExternalName}                | redis.service.type is ExternalName, but must be ClusterIP
            """)
    void of_impossible_isRefusedWithTheField(String field, String message) {
        assertThatThrownBy(() -> plan("{enabled: true, " + field + "}"))
                .isInstanceOf(InvalidSpecException.class)
                .hasMessageContaining(message);
    }

    /** Each storage peer that autoscaling may add needs a port. */
    @Test
    void of_firstPortAndAutoscaling_countsTheMostStoragePeers() {
        String spec =
                "{storagePeers: {autoscaling: {min: 3, max: 9}}, redis: {enabled: true, announce: {firstPort: %d}}}";
        assertThat(Samples.plan(spec.formatted(65_527)).redis()).isNotNull();
        assertThatThrownBy(() -> Samples.plan(spec.formatted(65_528))).isInstanceOf(InvalidSpecException.class);
    }

    @Test
    void users_managed_areInASecretOfTheOperator() {
        RedisPlan managed = plan("{enabled: true, managedUsers: true}");
        assertThat(managed.managedUsers()).isTrue();
        assertThat(managed.door().usersSecret()).isEqualTo("social-granary-users");
        RedisPlan own = plan("{enabled: true, usersSecretRef: {name: mine}}");
        assertThat(own.managedUsers()).isFalse();
        assertThat(own.door().usersSecret()).isEqualTo("mine");
        assertThat(plan("{enabled: true}").door().usersSecret()).isNull();
    }
}
