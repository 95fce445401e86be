package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.granary.net.access.NodePorts;
import dev.granary.overlay.HostAddress;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigException;
import dev.granary.process.config.ConfigSchema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeKeysTest {

    @Test
    void read_nothingIsSet_hasTheDefaultsAndTheHostName() {
        NodeKeys keys = NodeKeys.withOptionalSeeds(7400, 7401, "it begins a cluster");
        NodeConfig config = read(keys, Map.of());
        assertThat(config.name()).isEqualTo("machine-1");
        assertThat(config.dataDir()).isEqualTo(Path.of("/var/lib/granary"));
        assertThat(config.listen()).isEqualTo(new HostAddress("0.0.0.0", 7400));
        assertThat(config.http()).isEqualTo(new HostAddress("0.0.0.0", 7401));
        assertThat(config.seeds()).isEmpty();
        assertThat(config.secretFile()).isNull();
        assertThat(config.logFormat()).isEqualTo(LogFormat.TEXT);
        assertThat(config.logLevel()).isEqualTo(LogLevel.INFO);
        assertThat(config.transport()).isEqualTo(TransportKind.AUTO);
        // The port is known once it is listened on.
        assertThat(config.advertised(7777)).isEqualTo(new HostAddress("machine-1", 7777));
    }

    @Test
    void read_allIsSet_hasThat() {
        NodeKeys keys = NodeKeys.withRequiredSeeds(1, 2);
        NodeConfig config = read(
                keys,
                Map.ofEntries(
                        Map.entry("GRANARY_NODE_NAME", "node-a"),
                        Map.entry("GRANARY_NODE_DATA_DIR", "/data"),
                        Map.entry("GRANARY_LISTEN_HOST", "10.0.0.1"),
                        Map.entry("GRANARY_LISTEN_PORT", "5000"),
                        Map.entry("GRANARY_ADVERTISE_HOST", "outside"),
                        Map.entry("GRANARY_ADVERTISE_PORT", "6000"),
                        Map.entry("GRANARY_HTTP_HOST", "127.0.0.1"),
                        Map.entry("GRANARY_HTTP_PORT", "0"),
                        Map.entry("GRANARY_CLUSTER_SEEDS", "a:1,b:2"),
                        Map.entry("GRANARY_CLUSTER_SECRET_FILE", "/secrets/cluster"),
                        Map.entry("GRANARY_LOG_FORMAT", "json"),
                        Map.entry("GRANARY_LOG_LEVEL", "debug"),
                        Map.entry("GRANARY_TRANSPORT", "nio")));
        assertThat(config.name()).isEqualTo("node-a");
        assertThat(config.dataDir()).isEqualTo(Path.of("/data"));
        assertThat(config.listen()).isEqualTo(new HostAddress("10.0.0.1", 5000));
        assertThat(config.advertised(5000)).isEqualTo(new HostAddress("outside", 6000));
        assertThat(config.http()).isEqualTo(new HostAddress("127.0.0.1", 0));
        assertThat(config.secretFile()).isEqualTo(Path.of("/secrets/cluster"));
        assertThat(config.seeds()).containsExactly(new HostAddress("a", 1), new HostAddress("b", 2));
        assertThat(config.logFormat()).isEqualTo(LogFormat.JSON);
        assertThat(config.logLevel()).isEqualTo(LogLevel.DEBUG);
        assertThat(config.transport()).isEqualTo(TransportKind.NIO);
    }

    /** Without a proof whoever says that it is a node is believed, and passes by all users. */
    @Test
    void read_fileOfUsers_needsASecretOrTls() {
        NodeKeys keys = NodeKeys.withOptionalSeeds(1, 2, "unset");
        String users = "GRANARY_USERS_FILE";
        assertThat(read(keys, Map.of()).usersFile()).isNull();
        assertThat(read(keys, Map.of(users, "/users.acl", "GRANARY_CLUSTER_SECRET_FILE", "/secret"))
                        .usersFile())
                .isEqualTo(Path.of("/users.acl"));
        NodeConfig tls = read(keys, Map.of(users, "/users.acl", "GRANARY_TLS_DIRECTORY", "/tls"));
        assertThat(tls.provesNodes()).isTrue();
        assertThat(tls.withPorts(1, 2).usersFile()).isEqualTo(Path.of("/users.acl"));
        ConfigException refused =
                catchThrowableOfType(ConfigException.class, () -> read(keys, Map.of(users, "/users.acl")));
        assertThat(refused.errors())
                .singleElement()
                .asString()
                .startsWith("users.file")
                .contains("cluster.secret.file", "tls.directory");
    }

    @Test
    void read_portsOfNodesAndAdministrators_areNoneUnlessSet() {
        NodeKeys keys = NodeKeys.withOptionalSeeds(7400, 7401, "unset");
        assertThat(read(keys, Map.of()).ports()).isEqualTo(NodePorts.NONE);
        assertThat(read(keys, Map.of("GRANARY_INSIDE_PORT", "7600", "GRANARY_ADMIN_PORT", "7700"))
                        .ports())
                .isEqualTo(new NodePorts(7600, 7700, NodePorts.Phase.CLOSED));
        NodeConfig used = read(keys, Map.of("GRANARY_INSIDE_PORT", "7600", "GRANARY_PORTS_PHASE", "used"));
        assertThat(used.ports()).isEqualTo(new NodePorts(7600, 0, NodePorts.Phase.USED));
        assertThat(used.withPorts(1, 2).ports()).isEqualTo(used.ports());
    }

    @Test
    void read_portThatHasAnotherUse_isRefused() {
        NodeKeys keys = NodeKeys.withOptionalSeeds(7400, 7401, "unset");
        for (Map<String, String> twice : List.of(
                Map.of("GRANARY_INSIDE_PORT", "7700", "GRANARY_ADMIN_PORT", "7700"),
                Map.of("GRANARY_INSIDE_PORT", "7400"),
                Map.of("GRANARY_INSIDE_PORT", "7401"),
                Map.of("GRANARY_ADMIN_PORT", "7401"),
                Map.of("GRANARY_ADMIN_PORT", "7000", "GRANARY_LISTEN_PORT", "7000"))) {
            ConfigException refused = catchThrowableOfType(ConfigException.class, () -> read(keys, twice));
            assertThat(refused.errors())
                    .singleElement()
                    .asString()
                    .containsPattern("^(inside|admin).port: .*as well; allowed: a port of its own");
        }
    }

    @Test
    void withRequiredSeeds_noneAreSet_isRefused() {
        NodeKeys keys = NodeKeys.withRequiredSeeds(1, 2);
        ConfigException refused = catchThrowableOfType(ConfigException.class, () -> read(keys, Map.of()));
        assertThat(refused.errors()).singleElement().asString().startsWith("cluster.seeds");
    }

    @Test
    void read_directoryOfTls_namesItsFilesUnlessOthersAreNamed() {
        NodeKeys keys = NodeKeys.withOptionalSeeds(1, 2, "unset");
        assertThat(read(keys, Map.of()).tls()).isNull();
        assertThat(read(keys, Map.of("GRANARY_TLS_DIRECTORY", "/tls")).tls())
                .isEqualTo(new NodeTls(
                        Path.of("/tls/tls.crt"),
                        Path.of("/tls/tls.key"),
                        Path.of("/tls/ca.crt"),
                        null,
                        NodeTls.Clients.REQUIRED));
        assertThat(read(
                                keys,
                                Map.of(
                                        "GRANARY_TLS_DIRECTORY",
                                        "/tls",
                                        "GRANARY_TLS_CA",
                                        "/ca/all.pem",
                                        "GRANARY_TLS_CRL",
                                        "/ca/crl.pem",
                                        "GRANARY_TLS_CLIENT_AUTHENTICATION",
                                        "optional"))
                        .tls())
                .isEqualTo(new NodeTls(
                        Path.of("/tls/tls.crt"),
                        Path.of("/tls/tls.key"),
                        Path.of("/ca/all.pem"),
                        Path.of("/ca/crl.pem"),
                        NodeTls.Clients.OPTIONAL));
    }

    @Test
    void read_someFilesOfTls_isRefusedForTheOthers() {
        NodeKeys keys = NodeKeys.withOptionalSeeds(1, 2, "unset");
        ConfigException refused = catchThrowableOfType(
                ConfigException.class, () -> read(keys, Map.of("GRANARY_TLS_CERTIFICATE", "/tls/tls.crt")));
        assertThat(refused.errors()).hasSize(2);
        assertThat(refused.errors()).anyMatch(error -> error.startsWith("tls.key: must be set"));
        assertThat(refused.errors()).anyMatch(error -> error.startsWith("tls.ca: must be set"));
    }

    @Test
    void read_portsOutOfTheirRanges_areRefused() {
        NodeKeys keys = NodeKeys.withOptionalSeeds(1, 2, "unset");
        ConfigException refused = catchThrowableOfType(
                ConfigException.class,
                () -> read(keys, Map.of("GRANARY_ADVERTISE_PORT", "0", "GRANARY_LISTEN_PORT", "70000")));
        assertThat(refused.errors()).hasSize(2);
        assertThat(refused.errors()).anyMatch(error -> error.startsWith("advertise.port"));
        assertThat(refused.errors()).anyMatch(error -> error.startsWith("listen.port"));
    }

    @Test
    void all_keys_areShownInHelp() {
        String help = new ConfigSchema(NodeKeys.withOptionalSeeds(7400, 7401, "it begins a cluster")
                        .all())
                .toHelp();
        assertThat(help)
                .contains("node.name", "node.data.dir", "listen.host", "listen.port", "advertise.host")
                .contains("advertise.port", "http.host", "http.port", "cluster.seeds", "log.format", "log.level")
                .contains("transport", "7400", "7401", "it begins a cluster");
    }

    private static NodeConfig read(NodeKeys keys, Map<String, String> environment) {
        return keys.read(Config.load(new ConfigSchema(keys.all()), null, environment), "machine-1");
    }
}
