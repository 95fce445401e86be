package dev.granary.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.cli.command.Run;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.Keys;
import dev.granary.client.Place;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.client.admin.HotKeys;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** What {@code granary top} shows of a cluster whose processes are real, while one key and one range are hot. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TopOfAClusterTest {

    private static final String PASSWORD = "password-of-the-viewer";
    private static final String HOT_KEY = "session:{hot}";
    private static final String HOT_SLOTS =
            SlotGroup.slotsOf(SlotGroup.nid(SlotGroup.ofKey(HOT_KEY.getBytes(StandardCharsets.UTF_8))));
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private static Path directory = Path.of("");

    private LocalCluster cluster;
    private Path password = Path.of("");

    @BeforeAll
    void start() throws IOException {
        Path users = Files.writeString(
                directory.resolve("users.acl"),
                "user default off\nuser viewer on >" + PASSWORD + " +granary.status ~app:*\n");
        password = Files.writeString(directory.resolve("password"), PASSWORD);
        cluster = LocalCluster.start(
                directory.resolve("cluster"),
                new LocalCluster.Plan(1, 3, "16Mi", 0, 0, Map.of("users.file", users.toString())),
                line -> {});
    }

    @AfterAll
    void stop() {
        cluster.stop(line -> {});
    }

    private JsonNode top(String... options) {
        List<String> arguments = new ArrayList<>(List.of(
                "top", "-o", "json", "--dir", directory.resolve("cluster").toString()));
        arguments.addAll(List.of(options));
        Run run = Run.of(arguments.toArray(String[]::new));
        assertThat(run.code()).as(run.error()).isZero();
        return Json.parse("a look", run.output());
    }

    /** Looks until something is seen, with load in between. */
    private JsonNode until(Runnable load, Predicate<JsonNode> seen) {
        long endNanos = System.nanoTime() + PATIENCE.toNanos();
        JsonNode look = top();
        while (!seen.test(look)) {
            assertThat(System.nanoTime()).as("%s", look).isLessThan(endNanos);
            load.run();
            look = top();
        }
        return look;
    }

    private GranaryClient client() {
        return GranaryClient.connect(ClientOptions.builder()
                .addresses(cluster.addresses())
                .clusterSecretFile(cluster.secretFile().orElseThrow())
                .deadline(Duration.ofSeconds(20))
                .build());
    }

    private Collection<HotKeys.Missing> missingForTheViewer() {
        try (GranaryClient viewer = GranaryClient.connect(ClientOptions.builder()
                .addresses(cluster.addresses())
                .user("viewer")
                .password(PASSWORD)
                .deadline(Duration.ofSeconds(20))
                .build())) {
            return ClusterAdmin.of(viewer)
                    .hotKeys(List.of(0x4000, 0x8000, 0xC000), 5)
                    .missing()
                    .values();
        }
    }

    /** Goes first: the load of the other one would take half a minute to fade. */
    @Test
    @Order(1)
    void top_oneKeyIsHot_isFirstWithItsSlotGroupAndOnlyForThoseWhoMayReadAllKeys() {
        try (GranaryClient client = client()) {
            Keys<String> keys = client.keys(name -> name.getBytes(StandardCharsets.UTF_8));
            keys.set(HOT_KEY, new byte[] {1});
            for (int i = 0; i < 50; i++) {
                keys.set("cold:" + i, new byte[] {2});
            }
            JsonNode look = until(
                    () -> {
                        for (int i = 0; i < 2_000; i++) {
                            keys.get(i % 4 == 0 ? "cold:" + i % 50 : HOT_KEY);
                        }
                    },
                    seen -> seen.at("/hotKeys/0/key").asText().equals(HOT_KEY)
                            && seen.at("/hotRanges/0/slots").asText().equals(HOT_SLOTS)
                            // What was counted before the load fades.
                            && seen.at("/hotRanges/0/loadPercent").asDouble() > 50);
            JsonNode key = look.at("/hotKeys/0");
            JsonNode range = look.at("/hotRanges/0");
            assertThat(key.path("slots").asText()).isEqualTo(HOT_SLOTS);
            assertThat(key.path("owner").asText())
                    .isEqualTo(range.path("owner").asText())
                    .startsWith("0x");
            assertThat(key.path("perSecond").asLong()).isPositive();
            assertThat(look.path("usesPerSecond").asLong())
                    .as("keys are a load")
                    .isPositive();
            assertThat(look.path("hotKeysMissing")).isEmpty();

            assertThat(top("--no-keys").path("hotKeys")).isEmpty();
            JsonNode ofViewer = top("--user", "viewer", "--password-file", password.toString());
            assertThat(ofViewer.path("hotRanges")).isNotEmpty();
            assertThat(ofViewer.toString()).doesNotContain(HOT_KEY);
            assertThat(ofViewer.at("/hotKeysMissing/0/why").asText()).contains("no permission for the key '*'");
            assertThat(missingForTheViewer())
                    .as("the command asks no second time")
                    .isNotEmpty()
                    .allMatch(HotKeys.Missing::refused);
            assertThat(ClusterAdmin.of(client).statusJson())
                    .as("which the console, the plugin and support reports have")
                    .contains("\"slots\":\"" + HOT_SLOTS + "\"")
                    .doesNotContain(HOT_KEY);
        }
    }

    @Test
    @Order(2)
    void top_oneRangeIsHot_isFirstWithItsZoneAndOwner() {
        try (GranaryClient client = client()) {
            List<byte[]> contents = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                contents.add(new byte[] {3});
            }
            long[] cids = client.createAll(contents, Place.near(client.create(new byte[] {3})));
            String creator = Nid.toHex(Cid.nid(cids[0]));
            JsonNode look = until(
                    () -> {
                        for (int i = 0; i < 200; i++) {
                            client.getAll(cids);
                        }
                    },
                    seen -> seen.at("/hotRanges/0/zone").asText().startsWith(creator + "/"));
            JsonNode range = look.at("/hotRanges/0");
            assertThat(range.path("owner").asText()).isEqualTo(creator);
            assertThat(range.path("slots").asText()).isEmpty();
            assertThat(Cid.compare(Cid.parse(range.path("from").asText()), cids[0]))
                    .isNotPositive();
            assertThat(Cid.compare(Cid.parse(range.path("to").asText()), cids[0]))
                    .isNotNegative();
            assertThat(range.path("perSecond").asLong()).isPositive();
        }
    }
}
