package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.KeepingCluster;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.StatusText;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What {@link StatusCommand} prints for people; {@link StateOutputTest} has what programs get. */
class StatusCommandTest {

    private static final String STATUS = """
            {"clusterId": "c-1", "version": "0.1",
             "ring": {"epoch": 4, "size": 2, "expectedSize": 3, "complete": false,
              "operation": {"kind": "promote", "nid": "0x5556"},
              "superPeers": [
               {"nid": "0x0001", "name": "super-0", "address": "10.0.0.1:7400", "reachable": true, "leader": true},
               {"nid": "0xaaab", "name": "super-1", "address": "10.0.0.2:7400", "reachable": false}],
              "candidates": [{"nid": "0x5556", "name": "super-2", "address": "10.0.0.3:7400"}]},
             "storagePeers": [
              {"nid": "0x8000", "name": "storage-0", "address": "10.0.0.4:7500", "state": "live", "chunks": 1000000,
               "payloadBytes": 32000000, "usedBytes": 512, "capacityBytes": 1024, "bookkeepingBytes": 300000,
               "copies": 3, "logBytes": 1048576, "lostLidsBelow": 257},
              {"nid": "0x9000", "name": "storage-1", "address": "10.0.0.5:7500", "state": "joining", "chunks": 0,
               "usedBytes": 0, "capacityBytes": 0, "lostLidsBelow": 1}],
             "zones": {"inSync": 1200, "degraded": 1, "recovering": 2, "lost": 1, "recoveries": [
              {"zone": "0x4000/1", "candidate": "0x8000", "chunks": 5000, "ageMillis": 1500, "waitingFor": "",
               "note": ""},
              {"zone": "0x4000/2", "candidate": "", "ageMillis": 90000, "waitingFor": "0x9000",
               "note": "no copy is whole"}]},
             "totals": {"chunks": 1000000, "payloadBytes": 32000000, "usedBytes": 512, "capacityBytes": 1024,
              "livePeers": 1, "storagePeers": 2}}
            """;

    private final KeepingCluster cluster = new KeepingCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private Run status(String text) {
        cluster.answer(MessageType.CLUSTER_STATUS, asks -> new StatusText(text));
        return Run.of("status", "--seeds", cluster.seed());
    }

    private static String line(Run run, String word) {
        return run.output()
                .lines()
                .filter(line -> line.contains(word))
                .findFirst()
                .orElse("no " + word);
    }

    @Test
    void status_ring_namesWhatIsMissingAndUnderWay() {
        Run run = status(STATUS);
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output())
                .startsWith("Cluster c-1, version 0.1")
                .contains("Ring: 2 of 3 super-peers (not all are there), epoch 4")
                .contains("under way: promote 0x5556");
        assertThat(line(run, "super-0")).endsWith("reachable, leader");
        assertThat(line(run, "super-1")).endsWith("UNREACHABLE");
        assertThat(line(run, "super-2")).endsWith("candidate");
    }

    @Test
    void status_storagePeers_haveFillAndBookkeepingAndLosses() {
        Run run = status(STATUS);
        assertThat(line(run, "storage-0"))
                .contains("live", "1,000,000", "50.0%")
                .endsWith("0.3");
        assertThat(run.output())
                .contains("copies of 3 zones of others, 1.0 MiB of logs")
                .containsOnlyOnce("restarted: those of its chunks with a LID below 257");
        assertThat(line(run, "storage-1"))
                .as("without memory and chunks")
                .contains("0.0%")
                .endsWith("-");
    }

    @Test
    void status_zones_tellsWhoRecoversAndWhatIsWaitedFor() {
        Run run = status(STATUS);
        assertThat(run.output())
                .contains("Zones: 1,200 with all copies, 1 with fewer, 2 being recovered, 1 lost")
                .contains("0x4000/1     0x8000 recovers it, 5,000 chunks so far, for 1.5 s")
                .contains("0x4000/2     nobody recovers it yet, waits for 0x9000, for 90.0 s: no copy is whole")
                .contains("Total: 1,000,000 chunks")
                .contains("1 of 2 storage peers live");
    }

    /** Older super-peers leave out what they do not know. */
    @Test
    void status_emptyObject_isPrintedWithZeros() {
        Run run = status("{}");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output()).contains("Total: 0 chunks").doesNotContain("under way");
    }

    @Test
    void status_answerIsNotJson_failsWithoutAStackTrace() {
        Run run = status("<html>");
        assertThat(run.code()).isNotZero();
        assertThat(run.output()).isEmpty();
        assertThat(run.error()).contains("the cluster's status").doesNotContain("\tat ");
    }

    @Test
    void status_nobodyAnswers_namesTheAddress() {
        Run run = Run.of("status", "--seeds", "127.0.0.1:9", "--deadline", "1");
        assertThat(run.code()).isNotZero();
        assertThat(run.error()).contains("127.0.0.1:9").doesNotContain("\tat ");
    }
}
