package dev.granary.process.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigTest {

    private static final ConfigKey<Long> SIZE =
            ConfigKey.withDefault("memory.size", ConfigTypes.size(16 << 20, 8L << 40), "1Gi", "Size.");
    private static final ConfigKey<Integer> RING =
            ConfigKey.withDefault("ring.size", ConfigTypes.integer(1, 9), "1", "Ring.");
    private static final ConfigKey<Long> LEASE = ConfigKey.withDefault(
            "lease.duration", ConfigTypes.durationNanos(200_000_000L, 300_000_000_000L), "10s", "Lease.");
    private static final ConfigKey<List<HostAddress>> SEEDS =
            ConfigKey.required("cluster.seeds", ConfigTypes.addresses(), "Seeds.");
    private static final ConfigKey<String> NAME =
            ConfigKey.optional("node.name", ConfigTypes.name(), "the host name", "Name.");
    private static final ConfigSchema SCHEMA = new ConfigSchema(List.of(SIZE, RING, LEASE, SEEDS, NAME));
    private static final Map<String, String> SEEDS_SET = Map.of("GRANARY_CLUSTER_SEEDS", "a:1");

    @TempDir
    Path directory = Path.of("");

    @Test
    void load_fileAndEnvironment_environmentWinsAndDefaultsFill() throws IOException {
        Path file = write("memory.size = 512Mi\nring.size=3\ncluster.seeds=a:1, [::1]:2\n");

        Config config = Config.load(SCHEMA, file, Map.of("GRANARY_RING_SIZE", "5", "PATH", "/bin"));

        assertThat(config.get(SIZE)).isEqualTo(512L << 20);
        assertThat(config.get(RING)).isEqualTo(5);
        assertThat(config.get(LEASE)).isEqualTo(10_000_000_000L);
        assertThat(config.get(SEEDS)).containsExactly(new HostAddress("a", 1), new HostAddress("::1", 2));
        assertThat(config.find(NAME)).isEmpty();
    }

    private enum Way {
        STRAIGHT_ON,
        BACK
    }

    @Test
    void get_choiceOfSeveralWords_isWrittenWithHyphens() {
        ConfigKey<Way> way = ConfigKey.withDefault("some.way", ConfigTypes.choice(Way.class), "back", "Way.");
        ConfigSchema schema = new ConfigSchema(List.of(way));
        assertThat(Config.load(schema, null, Map.of("GRANARY_SOME_WAY", "straight-on"))
                        .get(way))
                .isEqualTo(Way.STRAIGHT_ON);
        assertThat(Config.load(schema, null, Map.of()).get(way)).isEqualTo(Way.BACK);
    }

    @Test
    void load_severalErrors_namesEachKeyValueAndWhatIsAllowed() throws IOException {
        Path file = write("memroy.size=1Gi\nring.size=12\nlease.duration=10\n");

        ConfigException e = catchThrowableOfType(
                ConfigException.class, () -> Config.load(SCHEMA, file, Map.of("GRANARY_RING_SIZ", "1")));

        assertThat(e.errors())
                .containsExactly(
                        "memroy.size: unknown key (its value is '1Gi'); the nearest known key is memory.size",
                        "GRANARY_RING_SIZ: unknown key in the environment (its value is '1');"
                                + " the nearest known one is GRANARY_RING_SIZE",
                        "ring.size: the value '12' is too large; allowed: a whole number from 1 to 9",
                        "lease.duration: the value '10' has no unit; allowed: a time from 200ms to 5m (with ms, s, m or h)",
                        "cluster.seeds: must be set; allowed: host:port, or several with commas between them");
    }

    @Test
    void load_valuesOutsideTheirBounds_areRefused() {
        assertWrong(
                "GRANARY_MEMORY_SIZE",
                "1Mi",
                "memory.size: the value '1Mi' is too small; allowed: a size from 16Mi"
                        + " to 8Ti (bytes, or with Ki, Mi, Gi or Ti)");
        assertWrong("GRANARY_MEMORY_SIZE", "9Ti", "is too large");
        assertWrong("GRANARY_MEMORY_SIZE", "99999999999Ti", "is too large");
        assertWrong("GRANARY_MEMORY_SIZE", "1GB", "is no size");
        assertWrong("GRANARY_MEMORY_SIZE", "-1", "is no size");
        assertWrong("GRANARY_LEASE_DURATION", "100ms", "is too small");
        assertWrong("GRANARY_CLUSTER_SEEDS", "a", "has no port");
        assertWrong("GRANARY_NODE_NAME", "a b", "has other characters");
    }

    private static void assertWrong(String variable, String value, String complaint) {
        Map<String, String> environment = new HashMap<>(SEEDS_SET);
        environment.put(variable, value);
        assertThatThrownBy(() -> Config.load(SCHEMA, null, environment))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(complaint)
                .hasMessageContaining("'" + value + "'");
    }

    @Test
    void load_variablesOfKubernetesServicesAndScripts_areNotKeys() {
        Map<String, String> environment = new HashMap<>(SEEDS_SET);
        environment.put("GRANARY_SERVICE_HOST", "10.0.0.1");
        environment.put("GRANARY_SOCIAL_STORAGE_SERVICE_PORT_HTTP", "7501");
        environment.put("GRANARY_PORT", "tcp://10.0.0.1:7400");
        environment.put("GRANARY_PORT_7400_TCP_ADDR", "10.0.0.1");
        environment.put("GRANARY_JVM_OPTIONS", "-Xmx1g");
        environment.put("GRANARY_NODE_JVM_OPTIONS", "-Xmx2g");
        environment.put("GRANARY_TOOLS", "/opt/granary/tools");

        assertThat(Config.load(SCHEMA, null, environment).get(SEEDS)).hasSize(1);
    }

    @Test
    void load_keyTwiceInFile_isRefused() throws IOException {
        Path file = write("ring.size=1\nring.size=3\n");

        assertThatThrownBy(() -> Config.load(SCHEMA, file, SEEDS_SET))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("ring.size: is set twice in")
                .hasMessageContaining("to '1' and to '3'");
    }

    @Test
    void load_missingFile_isNamed() {
        Path file = directory.resolve("none.properties");

        assertThatThrownBy(() -> Config.load(SCHEMA, file, SEEDS_SET))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void units_everySuffix_isReadAndShownAgain() {
        for (String size : List.of("1", "1023", "1Ki", "3Mi", "7Gi", "8Ti")) {
            assertThat(Units.formatSize(Units.parseSize(size))).isEqualTo(size);
        }
        for (String time : List.of("1ms", "999ms", "10s", "5m", "2h")) {
            assertThat(Units.formatDuration(Units.parseDurationNanos(time))).isEqualTo(time);
        }
    }

    @Test
    void editDistance_insertRemoveReplace_countsEach() {
        assertThat(EditDistance.between("", "abc")).isEqualTo(3);
        assertThat(EditDistance.between("memroy", "memory")).isEqualTo(2);
        assertThat(EditDistance.between("ring.siz", "ring.size")).isEqualTo(1);
        assertThat(EditDistance.between("same", "same")).isZero();
    }

    @Test
    void toMarkdown_everyKey_isARow() {
        assertThat(SCHEMA.toMarkdown().lines())
                .hasSize(7)
                .contains("| `ring.size` | `1` | a whole number from 1 to 9 | Ring. |")
                .contains(
                        "| `node.name` | the host name | 1 to 253 letters, digits, dots, hyphens or underscores | Name. |");
    }

    private Path write(String content) throws IOException {
        return Files.writeString(directory.resolve("node.properties"), content);
    }
}
