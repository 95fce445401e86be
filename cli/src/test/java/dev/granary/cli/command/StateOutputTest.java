package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.granary.cli.base.Json;
import dev.granary.cli.top.TopCommand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that print state, against a super-peer that tells a status and plans. */
class StateOutputTest {

    private static final String STATUS = """
            {"clusterId": "c", "version": "1",
             "ring": {"epoch": 1, "size": 3, "expectedSize": 3, "complete": true, "operation": {}, "superPeers": [
               {"nid": "0x0001", "name": "super-peer-0", "httpAddress": "127.0.0.1:9", "reachable": true,
                "arcServedBy": "0x0001"}]},
             "storagePeers": [{"nid": "0x8000", "name": "storage-0", "state": "live", "httpAddress": "127.0.0.1:9",
               "usedBytes": 90, "capacityBytes": CAPACITY, "usesPerSecond": 7, "chunks": 5, "drain": "none"}],
             "zones": {"inSync": 1, "degraded": 0, "recovering": 0, "lost": 0, "recoveries": []},
             "totals": {"usedBytes": 90, "capacityBytes": CAPACITY}}
            """;
    private static final String PLANS = """
            {"plans": [{"plan": "0x8000/1", "kind": "drain", "nid": "0x8000", "state": "running", "moves": 4,
               "movesDone": 1, "movesFailed": 0, "bytes": 100, "bytesDone": 25, "note": "", "list": []}],
             "proposals": [],
             "hotChunks": [{"cid": "0x8000000000000001", "perSecond": 6, "owner": "0x8000"}]}
            """;

    private static Run run(int capacity, String... arguments) {
        try (ListeningCluster cluster = new ListeningCluster()) {
            cluster.tell(STATUS.replace("CAPACITY", String.valueOf(capacity)), PLANS);
            List<String> all = new ArrayList<>(Arrays.asList(arguments));
            all.addAll(List.of("--seeds", cluster.seed()));
            return Run.of(all.toArray(String[]::new));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status",
                "ring show",
                "plan show",
                "name list",
                "lock show 0x8000000000000001",
                "backup list --store x",
                "top",
                "doctor"
            })
    void output_isNoFormat_isRefusedBeforeAnythingIsAsked(String command) {
        Run run = Run.of((command + " -o xml").split(" "));
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.error())
                .contains("'--output'")
                .contains("TEXT, JSON, YAML")
                .contains("'xml'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"status", "ring show", "plan show", "top", "doctor"})
    void output_jsonAndYaml_sayTheSame(String command) throws Exception {
        JsonNode json =
                Json.parse("json", run(1000, (command + " -o json").split(" ")).output());
        JsonNode yaml = new YAMLMapper()
                .readTree(run(1000, (command + " -o yaml").split(" ")).output());
        assertThat(yaml).isEqualTo(json).isNotEmpty();
    }

    @Test
    void status_asYaml_keepsNidsTexts() {
        assertThat(run(1000, "status", "-o", "yaml").output()).contains("nid: \"0x8000\"");
    }

    @Test
    void status_withJsonAsBefore_isOneLine() {
        assertThat(run(1000, "status", "--json").output().lines()).hasSize(1);
    }

    /** {@link Plans} for programs: the plan once, and no line about its beginning. */
    @Test
    void drain_notWaitedForAsJson_isThePlanAsItBegan() {
        Run run = run(1000, "drain", "0x8000", "--no-wait", "-o", "json");
        assertThat(run.code()).as(run.error()).isZero();
        JsonNode plan = Json.parse("a plan", run.output());
        assertThat(plan.path("plan").asText()).isEqualTo("0x8000/1");
        assertThat(plan.path("movesDone").asInt()).isEqualTo(1);
    }

    /** {@link TopCommand} in a pipe. */
    @Test
    void top_notOnATerminal_printsOneLook() {
        Run run = run(1000, "top");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output()).contains("storage-0", "9.0%", "0x8000/1", "1 of 4", "0x8000000000000001", "user:7");
        assertThat(run(1000, "top", "--no-keys").output()).doesNotContain("user:7");
    }

    @Test
    void top_intervalOutOfRange_isRefused() {
        assertThat(run(1000, "top", "--every", "0").error()).contains("0.1 to 3600 seconds");
        assertThat(run(1000, "top", "--hot", "65").error()).contains("must be 0 to 64");
    }

    @Test
    void doctor_nothingIsWrong_endsWithZeroAndSaysWhatCouldNotBeSeen() {
        Run run = run(1000, "doctor");
        assertThat(run.output()).contains("Nothing is wrong.").contains("127.0.0.1:9/metrics cannot be read");
        assertThat(run.code()).isZero();
    }

    @Test
    void doctor_peerIsFull_endsWithOneAndNamesItWithItsRunbook() {
        Run run = run(91, "doctor");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output())
                .contains("CRITICAL storage peer storage-0 (0x8000) is 98.9% full")
                .contains("runbook: GranaryMemoryFull");
    }

    @Test
    void doctor_nobodyAnswers_endsWithTwo() {
        Run run = Run.of("doctor", "--seeds", "127.0.0.1:9", "--deadline", "1");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.error()).contains("the cluster cannot be looked at");
    }
}
