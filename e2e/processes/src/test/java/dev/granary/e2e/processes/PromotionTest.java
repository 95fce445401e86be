package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.e2e.load.Load;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The ring grows from one super-peer to three and shrinks again, under load of clients, half of them with empty caches.
 */
@Tag(Tags.ALONE)
class PromotionTest {

    private static final int CLIENTS = 8;

    @Test
    void ring_resizedUnderLoad_noClientSeesIt() {
        try (LocalCluster cluster = LocalCluster.up(3, 5)) {
            cluster.awaitStatus(
                    "five live storage peers",
                    status -> status.at("/totals/livePeers").asInt() == 5);
            resize(cluster, 1);
            List<String> errors;
            long operations;
            try (Load load = Load.start(cluster.clientOptions(), CLIENTS)) {
                load.runFor(3);
                for (int size : new int[] {3, 1}) {
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
