package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.KeepingCluster;
import dev.granary.cli.base.Json;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link NameCommand} against a cluster that keeps names. */
class NameCommandTest {

    private static final String FIRST = "0x8000000000000001";
    private static final String SECOND = "0x8000000000000002";

    private final KeepingCluster cluster = new KeepingCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private Run name(String... arguments) {
        List<String> all = new ArrayList<>(List.of("name"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--seeds", cluster.seed()));
        return Run.of(all.toArray(String[]::new));
    }

    private void put(String name, String cid) {
        Run run = name("put", name, cid);
        assertThat(run.code()).as(run.error()).isZero();
    }

    @Test
    void put_name_standsForTheChunkFromThenOn() {
        put("config", FIRST);
        assertThat(name("get", "config").output().strip()).isEqualTo(FIRST);
        put("config", SECOND);
        assertThat(name("get", "config").output().strip()).isEqualTo(SECOND);
    }

    @Test
    void put_ifAbsentButItIsThere_failsAndLeavesIt() {
        put("config", FIRST);
        Run run = name("put", "config", SECOND, "--if-absent");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("'config' stands for a chunk already");
        assertThat(name("get", "config").output().strip()).isEqualTo(FIRST);
        assertThat(name("put", "other", SECOND, "--if-absent").code()).isZero();
        assertThat(cluster.names).containsKeys("config", "other");
    }

    @Test
    void put_replaceAnother_failsAndLeavesIt() {
        put("config", FIRST);
        Run run = name("put", "config", SECOND, "--replace", SECOND);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("'config' does not stand for " + SECOND);
        assertThat(name("put", "config", SECOND, "--replace", FIRST).code()).isZero();
        assertThat(name("get", "config").output().strip()).isEqualTo(SECOND);
    }

    @Test
    void put_bothConditions_isRefused() {
        Run run = name("put", "config", FIRST, "--if-absent", "--replace", SECOND);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("exclude each other");
        assertThat(cluster.names).isEmpty();
    }

    @Test
    void getAndRemove_nameOfNothing_failAndNameIt() {
        for (String command : List.of("get", "remove")) {
            Run run = name(command, "absent");
            assertThat(run.code()).isEqualTo(1);
            assertThat(run.output()).isEmpty();
            assertThat(run.error()).contains("'absent' stands for nothing");
        }
    }

    @Test
    void remove_name_isGone() {
        put("config", FIRST);
        assertThat(name("remove", "config").code()).isZero();
        assertThat(cluster.names).isEmpty();
    }

    @Test
    void list_moreNamesThanAPage_printsEachOnceInOrder() {
        for (int i = 0; i < 2_500; i++) {
            cluster.names.put(String.format("n%05d", i), 0x8000_0000_0000_0001L + i);
        }
        cluster.names.put("other", 0x8000_0000_0000_0001L);
        List<String> lines = name("list", "n").output().lines().toList();
        assertThat(lines).hasSize(2_500).isSortedAccordingTo((one, other) -> one.substring(19)
                .compareTo(other.substring(19)));
        assertThat(lines.getFirst()).isEqualTo(FIRST + " n00000");
        assertThat(name("list").output().lines()).hasSize(2_501);
    }

    /** The last page is full, so it does not say that it is the last one. */
    @Test
    void list_asManyNamesAsAPage_ends() {
        for (int i = 0; i < 1_000; i++) {
            cluster.names.put(String.format("n%05d", i), 0x8000_0000_0000_0001L);
        }
        assertThat(name("list").output().lines()).hasSize(1_000);
    }

    @Test
    void list_asJson_hasCidsAsTexts() {
        put("config", FIRST);
        JsonNode all = Json.parse("names", name("list", "-o", "json").output());
        assertThat(all).hasSize(1);
        assertThat(all.path(0).path("cid").asText()).isEqualTo(FIRST);
        assertThat(all.path(0).path("name").asText()).isEqualTo("config");
    }

    @Test
    void name_withoutAVerb_saysWhatThereIs() {
        Run run = Run.of("name");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.error()).contains("put, get, remove or list");
    }
}
