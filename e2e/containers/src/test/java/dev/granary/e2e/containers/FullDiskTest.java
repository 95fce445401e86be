package dev.granary.e2e.containers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.e2e.load.Load;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Fills disks of storage peers: others take their place; if there are none, changes are refused and gets go on. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FullDiskTest {

    private static final int CLIENTS = 4;
    private static final int STORAGE_PEERS = 5;
    private static final long DISK_BYTES = 96L << 20;
    private static final byte[] VALUE = "a value of some twenty-five".getBytes(UTF_8);

    private final ContainerCluster cluster = ContainerCluster.startWithSmallDisks(STORAGE_PEERS, DISK_BYTES);

    @AfterAll
    void end() {
        cluster.close();
    }

    @Test
    void storagePeer_itsDiskFullUnderLoad_losesNothingAndTakesCopiesAgainWhenThereIsRoom() {
        try (Load load = Load.start(cluster.clientOptions(), CLIENTS)) {
            cluster.awaitCopies();
            load.runFor(3);
            Node victim = cluster.storagePeers().get(3);
            load.note("disk of " + victim.name() + " full");
            victim.fillDisk();
            load.runFor(10);
            load.note("room again");
            victim.freeDisk();
            cluster.awaitCopies();
            load.runFor(3);
            List<String> problems = load.stop();
            assertThat(load.wrongAnswers()).isEmpty();
            assertThat(problems)
                    .filteredOn(text -> text.contains("last get") || Load.isFailed(text))
                    .isEmpty();
        }
    }

    @Test
    void allStoragePeers_theirDisksFull_refuseChangesServeGetsAndGoOnWhenThereIsRoom() {
        try (GranaryClient client = GranaryClient.connect(cluster.clientOptions())) {
            cluster.awaitCopies();
            List<Long> cids = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                cids.add(client.create(VALUE));
            }
            cluster.storagePeers().forEach(Node::fillDisk);
            // What is in buffers still finds room; then a create is refused after all retries, and the error says why.
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100_000; i++) {
                            cids.add(client.create(VALUE));
                        }
                    })
                    .isInstanceOf(GranaryException.class)
                    .hasMessageContaining("backups");
            assertAllThere(client, cids);

            cluster.storagePeers().forEach(Node::freeDisk);
            cluster.awaitCopies();
            cids.add(client.create(VALUE));
            client.put(cids.getFirst(), VALUE);
            assertAllThere(client, cids);
        }
    }

    private static void assertAllThere(GranaryClient client, List<Long> cids) {
        for (long cid : cids) {
            assertThat(client.get(cid)).isEqualTo(VALUE);
        }
    }
}
