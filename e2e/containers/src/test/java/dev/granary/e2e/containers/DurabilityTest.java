package dev.granary.e2e.containers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.e2e.load.Load;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Kills storage peers one after the other: nothing acknowledged is lost. */
class DurabilityTest {

    private static final int CLIENTS = 6;
    private static final int PAUSE_MILLIS = 5;
    private static final int LEASE_SECONDS = 1;
    private static final int KILLS = Integer.getInteger("kills", 5);

    @Test
    void storagePeers_killedInTurn_loseNothingAcknowledged() {
        try (ContainerCluster cluster = ContainerCluster.start(5, LEASE_SECONDS);
                Load load = Load.start(cluster.clientOptions(), CLIENTS, PAUSE_MILLIS)) {
            cluster.awaitCopies();
            load.runFor(3);
            for (int i = 0; i < KILLS; i++) {
                Node victim = cluster.storagePeers().get(i % 5);
                load.note(victim.name() + " killed");
                victim.kill();
                load.runFor(6);
                victim.startAgain();
                cluster.awaitLivePeers(5);
                cluster.awaitCopies();
            }
            load.runFor(2);
            List<String> problems = load.stop();
            assertThat(load.wrongAnswers()).isEmpty();
            // In the end everything can be read; how long operations took meanwhile is only printed.
            assertThat(problems).filteredOn(text -> text.contains("last get")).isEmpty();
        }
    }
}
