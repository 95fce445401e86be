package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.e2e.load.Load;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The ring shrinks from three super-peers to one and grows again, under load of clients, half of which have empty
 * caches.
 */
@Tag(Tags.ALONE)
class PromotionTest {

    private static final int CLIENTS = 8;

    /** The pause of clients, which leaves the two cores of a test machine to the cluster. */
    private static final int PAUSE_MILLIS = 5;

    private static final int STORAGE_PEERS = 3;

    @Test
    void ring_resizedUnderLoad_noClientSeesIt() {
        try (LocalCluster cluster = LocalCluster.up(3, STORAGE_PEERS)) {
            cluster.awaitStatus(
                    "all storage peers live",
                    status -> status.at("/totals/livePeers").asInt() == STORAGE_PEERS);
            List<String> errors;
            long operations;
            try (Load load = Load.start(cluster.clientOptions(), CLIENTS, PAUSE_MILLIS)) {
                load.runFor(3);
                for (int size : new int[] {1, 3}) {
                    load.note("resize to " + size);
                    resize(cluster, size);
                    load.note("the ring has " + size);
                    load.runFor(5);
                }
                errors = load.stop();
                operations = load.operations();
            }
            assertThat(errors).isEmpty();
            assertThat(operations).isGreaterThan(1_000);
        }
    }

    private static void resize(LocalCluster cluster, int size) {
        cluster.grouped("ring", "resize", Integer.toString(size)).ok();
        cluster.awaitStatus(
                "a ring of " + size,
                status -> status.at("/ring/size").asInt() == size
                        && status.at("/ring/operation/kind").asText().isEmpty());
    }
}
