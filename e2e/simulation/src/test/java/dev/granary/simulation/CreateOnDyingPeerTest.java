package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A storage peer dies, for good or for a while, just after clients have asked it to create chunks (ADR 0135). */
class CreateOnDyingPeerTest {

    private static final long SECOND = 1_000_000_000;
    private static final Pattern CHUNKS_OF_LIVE = Pattern.compile("\"state\":\"live\"[^}]*?\"chunks\":(\\d+)");

    @ParameterizedTest
    @MethodSource("delaysOfDeaths")
    void create_peerDies_isDoneOnceByAnother(int delayMicros) {
        check(delayMicros, true);
    }

    @ParameterizedTest
    @MethodSource("delaysOfStarts")
    void create_peerStartsAnew_isDoneOnce(int delayMicros) {
        check(delayMicros, false);
    }

    private static IntStream delaysOfDeaths() {
        return LongForm.pick(
                IntStream.of(100, 500, 700, 900, 1100, 1300, 1500, 2000),
                IntStream.of(100, 300, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1700, 2000, 2500));
    }

    private static IntStream delaysOfStarts() {
        return LongForm.pick(IntStream.of(700, 1100, 1500), IntStream.of(500, 700, 900, 1100, 1300, 1500));
    }

    private static void check(int delayMicros, boolean forGood) {
        try (SimulatedCluster cluster =
                new SimulatedCluster(20_261_122, ClusterShape.of(3, 4, 2).withReplicated(true))) {
            cluster.start();
            RecordingClient client = cluster.clients().getFirst();
            await(cluster, client.create(40, Place.anywhere()));
            // Waits until all zones have their copies.
            cluster.simulation().runFor(5 * SECOND);
            List<CompletableFuture<long[]>> creates = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                creates.add(client.create(5, Place.anywhere()));
            }
            cluster.simulation().runFor(delayMicros * 1_000L);
            StorageMachine dying = cluster.storagePeers().getFirst();
            if (forGood) {
                dying.retire();
            }
            dying.kill();

            for (CompletableFuture<long[]> create : creates) {
                assertThat(await(cluster, create)).hasSize(5);
            }
            cluster.simulation().runFor(10 * SECOND);
            assertThat(chunks(cluster)).isEqualTo(40 + 8 * 5);
            cluster.history().check();
        }
    }

    private static int chunks(SimulatedCluster cluster) {
        Matcher peers = CHUNKS_OF_LIVE.matcher(
                await(cluster, cluster.operator().orElseThrow().admin().statusJson()));
        int chunks = 0;
        while (peers.find()) {
            chunks += Integer.parseInt(peers.group(1));
        }
        return chunks;
    }

    private static <T> T await(SimulatedCluster cluster, CompletableFuture<T> future) {
        assertThat(cluster.simulation().runUntil(future::isDone, 60 * SECOND)).isTrue();
        return future.join();
    }
}
