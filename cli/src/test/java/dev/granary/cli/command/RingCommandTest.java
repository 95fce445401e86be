package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.KeepingCluster;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.RebuildProgress;
import dev.granary.net.message.RingMessages.RebuildRing;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.net.message.StatusText;
import dev.granary.overlay.HostAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link RingCommand} and {@link RingRebuild} against a super-peer that answers as the tests say. */
class RingCommandTest {

    private static final String STATUS = """
            {"ring": {"epoch": 9, "size": 2, "expectedSize": 3, "operation": {"kind": "promote", "nid": "0x5556"},
              "superPeers": [
               {"nid": "0x0001", "name": "super-0", "address": "10.0.0.1:7400", "reachable": true,
                "arcServedBy": "0x0001"},
               {"nid": "0xaaab", "name": "super-1", "address": "10.0.0.2:7400", "reachable": false}],
              "candidates": [{"nid": "0x5556", "name": "super-2", "address": "10.0.0.3:7400", "reachable": true}],
              "events": [{"time": "2026-11-22T01:02:03Z", "kind": "demoted", "nid": "0x7777"}]}}
            """;

    private final KeepingCluster cluster = new KeepingCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private Run ring(String... arguments) {
        List<String> all = new ArrayList<>(List.of("ring"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--seeds", cluster.seed()));
        return Run.of(all.toArray(String[]::new));
    }

    private static String line(Run run, String word) {
        return run.output()
                .lines()
                .filter(line -> line.contains(word))
                .findFirst()
                .orElse("no " + word);
    }

    /** An arc that nobody serves, and a super-peer that is away, are what a person looks for. */
    @Test
    void show_troubles_standOut() {
        cluster.answer(MessageType.CLUSTER_STATUS, asks -> new StatusText(STATUS));
        Run run = ring("show");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output()).startsWith("Ring: 2 of 3 super-peers, epoch 9").contains("Under way: promote 0x5556");
        assertThat(line(run, "super-0")).contains("reachable").endsWith("0x0001");
        assertThat(line(run, "super-1")).contains("UNREACHABLE").endsWith("NOBODY");
        assertThat(line(run, "super-2")).endsWith("candidate");
        assertThat(line(run, "demoted")).contains("2026-11-22T01:02:03Z").endsWith("0x7777");
    }

    @Test
    void show_nothingIsUnderWay_saysNothingOfIt() {
        cluster.answer(
                MessageType.CLUSTER_STATUS, asks -> new StatusText("{\"ring\": {\"size\": 1, \"operation\": {}}}"));
        assertThat(ring("show").output()).doesNotContain("Under way");
    }

    @Test
    void resize_size_isAskedForAndSaid() {
        cluster.answer(MessageType.RESIZE_RING, asks -> new Empty());
        assertThat(ring("resize", "5").output()).contains("The ring is to have 5 super-peers.");
        assertThat(ring("resize", "1").output()).contains("The ring is to have 1 super-peer.");
        assertThat(cluster.asked).containsExactly(new ResizeRing(5), new ResizeRing(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-3", "32768"})
    void resize_impossibleSize_isRefusedBeforeAnythingIsAsked(String size) {
        cluster.answer(MessageType.RESIZE_RING, asks -> new Empty());
        Run run = ring("resize", "--", size);
        assertThat(run.code()).isNotZero();
        assertThat(cluster.asked).isEmpty();
    }

    @Test
    void resize_superPeersRefuse_saysWhy() {
        cluster.refuse(MessageType.RESIZE_RING, ErrorCode.BAD_REQUEST, "there are 2 candidates only");
        Run run = ring("resize", "9");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output()).isEmpty();
        assertThat(run.error()).contains("there are 2 candidates only");
    }

    @Test
    void rebuild_untilItIsDone_tellsEachStepOnce() {
        AtomicInteger calls = new AtomicInteger();
        cluster.answer(MessageType.REBUILD_RING, asks -> {
            int call = calls.incrementAndGet();
            return new RebuildProgress(
                    call == 4, call < 3 ? "waits for 1 storage peer" : "rebuilds arcs", 1, List.of());
        });
        Run run = ring("rebuild", "--storage-peers", "10.0.0.1:7500, 10.0.0.2:7500", "--accept-loss");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.error().lines()).containsExactly("waits for 1 storage peer", "rebuilds arcs");
        assertThat(run.output()).contains("rebuilt");
        assertThat(cluster.asked)
                .hasSize(4)
                .containsOnly(new RebuildRing(
                        List.of(new HostAddress("10.0.0.1", 7500), new HostAddress("10.0.0.2", 7500)), true));
    }

    @Test
    void rebuild_neverDone_endsByTheTimeoutAndSaysWhatItWaitsFor() {
        cluster.answer(
                MessageType.REBUILD_RING, asks -> new RebuildProgress(false, "waits for 0x8000", 1, List.of(0x8000)));
        Run run = ring("rebuild", "--storage-peers", "10.0.0.1:7500", "--timeout", "1");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("not done after 1 s: waits for 0x8000");
    }

    @Test
    void rebuild_superPeerRefuses_isNotRepeated() {
        cluster.refuse(MessageType.REBUILD_RING, ErrorCode.BAD_REQUEST, "the ring is complete");
        Run run = ring("rebuild", "--storage-peers", "10.0.0.1:7500");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("the ring is complete");
        assertThat(cluster.asked).hasSize(1);
    }

    @Test
    void rebuild_storagePeersAreNotNamedOrMalformed_isRefused() {
        Run none = ring("rebuild");
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.error()).contains("--storage-peers HOST:PORT");
        Run malformed = ring("rebuild", "--storage-peers", "10.0.0.1");
        assertThat(malformed.code()).isEqualTo(1);
        assertThat(malformed.error()).contains("10.0.0.1").contains("usually port 7500");
        assertThat(cluster.asked).isEmpty();
    }
}
