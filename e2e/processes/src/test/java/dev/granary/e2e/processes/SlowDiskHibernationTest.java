package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.processes.Commands.Outcome;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A cluster on a disk that takes many lease durations to write the memory hibernates, resumes and still has everything.
 * Two system properties give the amount of memory and the speed of the disk. Fails where no such disk can be made (ADR
 * 0192).
 *
 * <pre>
 * e2e/processes/run -Dtest=SlowDiskHibernationTest \
 *     -Dgranary.slow.mebibytes=8192 -Dgranary.slow.mebibytesPerSecond=190
 * </pre>
 */
@Tag(Tags.LONG)
class SlowDiskHibernationTest {

    private static final int CHUNK_BYTES = 64 << 10;
    private static final int CHUNKS_OF_A_MEBIBYTE = (1 << 20) / CHUNK_BYTES;
    private static final int MEBIBYTES = Integer.getInteger("granary.slow.mebibytes", 256);
    private static final int MEBIBYTES_PER_SECOND = Integer.getInteger("granary.slow.mebibytesPerSecond", 20);
    private static final int MEBIBYTES_OF_A_CREATE = 1024;
    private static final long LEASE_SECONDS = 3;
    private static final int METRICS_MILLIS = 1000;
    private static final String PEER = "storage-0";

    @Test
    void hibernate_dumpTakesManyLeases_leaseHoldsAndAllChunksWakeUp() throws Exception {
        try (ThrottledDisk disk = ThrottledDisk.make(MEBIBYTES * 5L / 4 + 1024, MEBIBYTES_PER_SECOND);
                LocalCluster cluster = LocalCluster.up(
                        disk.directory().resolve("cluster"),
                        3,
                        1,
                        (MEBIBYTES * 9L / 8 + 64) + "Mi",
                        "lease.duration=" + LEASE_SECONDS + "s")) {
            awaitLive(cluster);
            String first =
                    cluster.granary("create", "--on", "0x8000", "the first").ok();
            long chunks = fill(cluster);
            String last =
                    cluster.granary("create", "--on", "0x8000", "the last").ok();

            hibernate(cluster);

            cluster.granary("down").ok();
            long before = System.nanoTime();
            cluster.up().ok();
            awaitLive(cluster);
            JsonNode awake = cluster.awaitStatus(
                    "all chunks", status -> status.at("/totals/chunks").asLong() == chunks + 2);
            System.out.printf("awake after %d s%n", secondsSince(before));
            assertThat(awake.path("storagePeers").findValuesAsText("epoch")).containsOnly("1");
            assertThat(cluster.granary("get", first).ok()).isEqualTo("the first");
            assertThat(cluster.granary("get", last).ok()).isEqualTo("the last");
            cluster.granary("put", last, "changed").ok();
            cluster.granary("down").ok();
        }
    }

    private static void awaitLive(LocalCluster cluster) {
        cluster.awaitStatus(
                "a ring of three and a live storage peer",
                status -> status.at("/totals/livePeers").asInt() == 1
                        && status.at("/ring/complete").asBoolean());
    }

    /** Fills the memory, and returns how many chunks it created. */
    private static long fill(LocalCluster cluster) {
        long before = System.nanoTime();
        long chunks = 0;
        for (int left = MEBIBYTES; left > 0; left -= MEBIBYTES_OF_A_CREATE) {
            int count = Math.min(left, MEBIBYTES_OF_A_CREATE) * CHUNKS_OF_A_MEBIBYTE;
            cluster.granary("create", "--on", "0x8000", "--size", "" + CHUNK_BYTES, "--count", "" + count)
                    .ok();
            chunks += count;
        }
        System.out.printf("%d chunks of %d B after %d s%n", chunks, CHUNK_BYTES, secondsSince(before));
        return chunks;
    }

    /** Hibernates the cluster, and meanwhile checks what other clients are told. */
    private static void hibernate(LocalCluster cluster) throws Exception {
        long before = System.nanoTime();
        CompletableFuture<Outcome> hibernation = CompletableFuture.supplyAsync(() -> cluster.granary("hibernate"));
        Set<String> states = new TreeSet<>();
        int looks = 0;
        long slowestMillis = 0;
        while (!hibernation.isDone()) {
            long asked = System.nanoTime();
            String metrics = cluster.get(PEER, "/metrics").body();
            slowestMillis = Math.max(slowestMillis, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - asked));
            looks++;
            assertThat(metrics).contains("granary_storage_chunks ");
            states.addAll(
                    LocalCluster.parse(cluster.get("super-peer-0", "/status").body())
                            .path("storagePeers")
                            .findValuesAsText("state"));
        }
        String out = hibernation.get().ok();
        long seconds = secondsSince(before);
        System.out.printf(
                "parked after %d s; %d scrapes, the slowest took %d ms; states %s%n%s%n",
                seconds, looks, slowestMillis, states, out);
        assertThat(out).contains("1 of 1 storage peers are parked", "the others have written");
        assertThat(seconds).as("a dump of some leases").isGreaterThan(3 * LEASE_SECONDS);
        assertThat(states).isSubsetOf("live", "parked");
        assertThat(slowestMillis).isLessThan(METRICS_MILLIS);
        assertThat(StreamSupport.stream(cluster.status().path("storagePeers").spliterator(), false)
                        .map(peer -> peer.path("state").asText()))
                .containsOnly("parked");
    }

    private static long secondsSince(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - nanos);
    }
}
