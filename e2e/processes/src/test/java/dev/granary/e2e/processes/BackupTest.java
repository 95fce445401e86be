package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import dev.granary.e2e.processes.Commands.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster backup of a cluster that serves, restored into another cluster. */
class BackupTest {

    private static final int BATCH = 20_000;

    @TempDir
    private Path folder;

    @Test
    @Tag(Tags.LONG)
    void restore_intoSmallerClusterOfOtherProcesses_everyChunkAndNameIsThereUnderItsIdentifier() throws Exception {
        TreeMap<Long, byte[]> chunks = new TreeMap<>(Long::compareUnsigned);
        List<Long> deleted = new ArrayList<>();
        try (LocalCluster old = LocalCluster.up(3, 3, "zone.backups=1", LocalCluster.PATIENT_LEASES);
                GranaryClient client = GranaryClient.connect(old.clientOptions())) {
            old.awaitStatus(
                    "three storage peers",
                    status -> status.at("/totals/livePeers").asInt() == 3);
            // Created before any chunk is deleted, because identifiers of deleted chunks would be reused.
            long[] busy = client.createZeroed(1000, 16, Place.anywhere());
            fill(client, chunks, deleted);
            // Makes others the owners of a creator's chunks.
            old.granary("drain", "0x4000").ok();
            List<Long> all = new ArrayList<>(chunks.keySet());
            client.names().put("first", all.getFirst());
            client.names().put("äöü/last", all.getLast());
            backUpWhileItIsWritten(old, client, busy);
        }
        assertThat(Commands.granary("backup", "verify", "--store", folder.toString())
                        .ok())
                .contains("is whole");

        try (LocalCluster fresh = LocalCluster.up(1, 2);
                GranaryClient client = GranaryClient.connect(fresh.clientOptions())) {
            fresh.awaitStatus(
                    "two storage peers",
                    status -> status.at("/totals/livePeers").asInt() == 2);
            fresh.granary("restore", "--store", folder.toString(), "--verify").ok();

            long[] cids = chunks.keySet().stream().mapToLong(Long::longValue).toArray();
            List<byte[]> values = client.getAll(cids);
            for (int i = 0; i < cids.length; i++) {
                assertThat(values.get(i)).as("chunk %x", cids[i]).isEqualTo(chunks.get(cids[i]));
            }
            assertThat(client.getAll(deleted.stream().mapToLong(Long::longValue).toArray()))
                    .as("deleted chunks")
                    .allMatch(Objects::isNull);
            assertThat(client.names().get("first")).hasValue(chunks.firstKey());
            assertThat(client.names().get("äöü/last")).hasValue(chunks.lastKey());
            // No identifier is given twice.
            for (long cid : client.createAll(List.of(new byte[1], new byte[2], new byte[3]), Place.anywhere())) {
                assertThat(chunks).doesNotContainKey(cid);
            }
            client.put(chunks.firstKey(), "changed".getBytes(StandardCharsets.UTF_8));
            client.delete(chunks.lastKey());
            Outcome again = fresh.granary("restore", "--store", folder.toString());
            assertThat(again.exitCode()).isEqualTo(1);
            assertThat(again.err()).contains("into an empty cluster only");
            assertThat(client.get(chunks.firstKey())).asString().isEqualTo("changed");
        }
    }

    @Test
    void restore_unfinishedOrDamaged_isRefusedBeforeAnythingIsChanged() throws IOException {
        try (LocalCluster cluster = LocalCluster.up(1, 1)) {
            cluster.granary("create", "hello").ok();
            JsonNode made =
                    LocalCluster.parse(cluster.grouped("backup", "create", "--store", folder.toString(), "--id", "b")
                            .ok());
            assertThat(made.path("chunks").asLong()).isEqualTo(1);
            Path part = folder.resolve("b").resolve("part-000001");
            byte[] bytes = Files.readAllBytes(part);
            bytes[bytes.length / 2] ^= 1;
            Files.write(part, bytes);
        }
        try (LocalCluster fresh = LocalCluster.up(1, 1)) {
            Outcome damaged = fresh.granary("restore", "--store", folder.toString());
            assertThat(damaged.exitCode()).isEqualTo(1);
            assertThat(damaged.err()).contains("damaged");
            Files.delete(folder.resolve("b").resolve("manifest"));
            assertThat(fresh.granary("restore", "--store", folder.toString(), "b")
                            .err())
                    .contains("not finished");
            assertThat(fresh.granary("create", "works").ok()).isEqualTo("0x8000000000000001");
        }
    }

    private static void fill(GranaryClient client, Map<Long, byte[]> chunks, List<Long> deleted) {
        SplittableRandom random = new SplittableRandom(7);
        for (int nid : new int[] {0x4000, 0x8000, 0xC000}) {
            List<byte[]> values = new ArrayList<>();
            for (int i = 0; i < BATCH; i++) {
                byte[] value = new byte[random.nextInt(i % 1000 == 0 ? 20_000 : 100)];
                random.nextBytes(value);
                values.add(value);
            }
            long[] cids = client.createAll(values, Place.on(nid));
            for (int i = 0; i < cids.length; i++) {
                if (i % 10 == 0) {
                    deleted.add(cids[i]);
                } else {
                    chunks.put(cids[i], values.get(i));
                }
            }
        }
        client.deleteAll(deleted.stream().mapToLong(Long::longValue).toArray());
    }

    private void backUpWhileItIsWritten(LocalCluster cluster, GranaryClient client, long[] busy)
            throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        Thread writer = Thread.ofVirtual().start(() -> {
            for (int i = 0; !stop.get(); i++) {
                client.put(busy[i % busy.length], new byte[i % 64]);
            }
        });
        try {
            cluster.grouped("backup", "create", "--store", folder.toString()).ok();
        } finally {
            stop.set(true);
            writer.join();
        }
    }
}
