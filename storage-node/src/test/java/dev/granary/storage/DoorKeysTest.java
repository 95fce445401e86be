package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import dev.granary.overlay.HostAddress;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import dev.granary.storage.door.state.DoorConfig;
import dev.granary.storage.door.state.RedirectMode;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the environment of a pod makes of a door. */
class DoorKeysTest {

    private static @Nullable DoorConfig read(Map<String, String> door) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "GRANARY_CLUSTER_SEEDS", "localhost:7400",
                "GRANARY_NODE_DATA_DIR", "data",
                "GRANARY_MEMORY_SIZE", "64Mi",
                "GRANARY_ADVERTISE_HOST", "10.0.0.7"));
        environment.putAll(door);
        Config config = Config.load(StorageKeys.schema(), null, environment);
        return DoorKeys.read(config, StorageKeys.NODE.read(config, "here"));
    }

    private static DoorConfig door(Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(Map.of("GRANARY_REDIS_PORT", "6379"));
        environment.putAll(more);
        return Objects.requireNonNull(read(environment));
    }

    @Test
    void read_noPort_isNoDoor() {
        assertThat(read(Map.of("GRANARY_REDIS_REDIRECT", "never"))).isNull();
    }

    @Test
    void read_portAlone_announcesThePeersOwnHostAndThisPort() {
        DoorConfig door = door(Map.of());
        assertThat(door.announced(6379)).isEqualTo(new HostAddress("10.0.0.7", 6379));
        assertThat(door.redirect()).isEqualTo(RedirectMode.AWARE);
    }

    @Test
    void read_nodeHasTls_doorHasItTooUnlessToldOtherwise() {
        Map<String, String> tls = Map.of("GRANARY_TLS_DIRECTORY", "/tls");
        assertThat(door(Map.of()).tls()).isNull();
        assertThat(door(tls).tls()).isEqualTo(ClientAuthentication.REQUIRED);
        Map<String, String> changed = new HashMap<>(tls);
        changed.put("GRANARY_TLS_CLIENT_AUTHENTICATION", "optional");
        assertThat(door(changed).tls()).isEqualTo(ClientAuthentication.OPTIONAL);
        changed.put("GRANARY_REDIS_TLS_CLIENT_AUTHENTICATION", "none");
        assertThat(door(changed).tls()).isEqualTo(ClientAuthentication.NONE);
        changed.put("GRANARY_REDIS_TLS", "false");
        assertThat(door(changed).tls()).isNull();
        assertThat(door(tls).listeningOn(7).tls()).isEqualTo(ClientAuthentication.REQUIRED);
    }

    @Test
    void read_tlsOfTheDoorWithoutCertificate_isRefused() {
        assertThatThrownBy(() -> door(Map.of("GRANARY_REDIS_TLS", "true")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("redis.tls")
                .hasMessageContaining("has no certificate");
    }

    private static @Nullable Path users(Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "GRANARY_CLUSTER_SEEDS", "localhost:7400",
                "GRANARY_MEMORY_SIZE", "64Mi",
                "GRANARY_CLUSTER_SECRET_FILE", "/secret"));
        environment.putAll(more);
        Config config = Config.load(StorageKeys.schema(), null, environment);
        return DoorKeys.usersFile(config, StorageKeys.NODE.read(config, "here"));
    }

    @Test
    void usersFile_hasTwoNames_whichMustNotDiffer() {
        assertThat(users(Map.of())).isNull();
        assertThat(users(Map.of("GRANARY_USERS_FILE", "/a"))).isEqualTo(Path.of("/a"));
        assertThat(users(Map.of("GRANARY_REDIS_USERS_FILE", "/a"))).isEqualTo(Path.of("/a"));
        assertThat(users(Map.of("GRANARY_USERS_FILE", "/a", "GRANARY_REDIS_USERS_FILE", "/a")))
                .isEqualTo(Path.of("/a"));
        assertThatThrownBy(() -> users(Map.of("GRANARY_USERS_FILE", "/a", "GRANARY_REDIS_USERS_FILE", "/b")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("redis.users.file")
                .hasMessageContaining("users.file, which is /a");
    }

    @Test
    void read_everythingIsSet_isTaken() {
        DoorConfig door = door(Map.of(
                "GRANARY_REDIS_ADVERTISE_HOST", "redis-2.example.org",
                "GRANARY_REDIS_ADVERTISE_PORT", "31000",
                "GRANARY_REDIS_ADVERTISE_PORT_OFFSET", "12",
                "GRANARY_REDIS_REDIRECT", "always",
                "GRANARY_REDIS_CLIENTS_MAX", "50",
                "GRANARY_REDIS_CLIENTS_TIMEOUT", "300s"));
        assertThat(door.announced(6379)).isEqualTo(new HostAddress("redis-2.example.org", 31012));
        assertThat(door.redirect()).isEqualTo(RedirectMode.ALWAYS);
        assertThat(door.limits().clients()).isEqualTo(50);
        assertThat(door.limits().idleNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(300));
    }

    @Test
    void read_offsetWithoutPort_isRefused() {
        assertThatThrownBy(() -> door(Map.of("GRANARY_REDIS_ADVERTISE_PORT_OFFSET", "3")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("redis.advertise.port.offset")
                .hasMessageContaining("only with redis.advertise.port");
    }

    @Test
    void read_offsetLeadsBeyondAllPorts_isRefused() {
        assertThatThrownBy(() -> door(
                        Map.of("GRANARY_REDIS_ADVERTISE_PORT", "65530", "GRANARY_REDIS_ADVERTISE_PORT_OFFSET", "6")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("makes the port 65536; allowed: at most 5");
    }
}
