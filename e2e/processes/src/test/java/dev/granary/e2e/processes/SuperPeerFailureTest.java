package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.e2e.load.Load;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Kills each super-peer in turn with kill -9, under load of clients, half of them with empty caches. */
@Tag(Tags.ALONE)
@Tag(Tags.LONG)
class SuperPeerFailureTest {

    private static final int CLIENTS = 8;

    @Test
    void anySuperPeer_killedUnderLoad_noClientSeesIt() {
        try (LocalCluster cluster = LocalCluster.up(3, 5)) {
            cluster.awaitStatus(
                    "five live storage peers",
                    status -> status.at("/totals/livePeers").asInt() == 5);
            List<String> errors;
            long operations;
            try (Load load = Load.start(cluster.clientOptions(), CLIENTS)) {
                load.runFor(3);
                for (int i = 0; i < 3; i++) {
                    String victim = "super-peer-" + i;
                    load.note("kill -9 of " + victim);
                    cluster.kill(victim);
                    load.runFor(5);
                    load.note("start of " + victim);
                    cluster.up().ok();
                    load.runFor(5);
                }
                errors = load.stop();
                operations = load.operations();
            }
            assertThat(errors).isEmpty();
            assertThat(operations).isGreaterThan(1_000);
        }
    }
}
