package dev.granary.e2e.containers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.e2e.load.Load;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Cuts nodes off, mutes, pauses or slows them under a recorded load: no client ever reads two histories. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PartitionTest {

    private static final int CLIENTS = 6;
    private static final int PAUSE_MILLIS = 5;
    private static final int STORAGE_PEERS = 5;
    private static final int LEASE_SECONDS = 3;
    private static final int LONGER_THAN_A_LEASE_SECONDS = 7;

    private final ContainerCluster cluster = ContainerCluster.start(STORAGE_PEERS, LEASE_SECONDS);

    @AfterAll
    void end() {
        cluster.close();
    }

    /** The test before may have left storage peers that come back. */
    @BeforeEach
    void awaitAll() {
        cluster.awaitLivePeers(STORAGE_PEERS);
        cluster.awaitCopies();
    }

    /** Asserts that no impossible value was read, and that everything acknowledged can be read in the end. */
    private static void assertOneHistory(Load load) {
        List<String> problems = load.stop();
        assertThat(load.wrongAnswers()).isEmpty();
        assertThat(problems).filteredOn(text -> text.contains("last get")).isEmpty();
    }

    @Test
    void storagePeer_cutOffFromAllLongerThanItsLease_nobodyReadsTwoHistories() {
        try (Load load = Load.start(cluster.clientOptions(), CLIENTS, PAUSE_MILLIS)) {
            Node victim = cluster.storagePeers().get(1);
            load.runFor(3);
            load.note(victim.name() + " cut off");
            victim.cutOff();
            load.runFor(LONGER_THAN_A_LEASE_SECONDS);
            load.note("healed");
            victim.heal();
            cluster.awaitLivePeers(STORAGE_PEERS);
            load.runFor(3);
            assertOneHistory(load);
        }
    }

    @Test
    void storagePeer_cutOffFromItsSuperPeersOnly_servesNothingAfterItsLease() {
        try (Load load = Load.start(cluster.clientOptions(), CLIENTS, PAUSE_MILLIS)) {
            Node victim = cluster.storagePeers().get(2);
            load.runFor(3);
            load.note(victim.name() + " cut off from super-peers");
            cluster.superPeers().forEach(each -> victim.cutOffFrom(each.address()));
            // Clients and other peers still reach it: it must refuse their requests by itself.
            load.runFor(LONGER_THAN_A_LEASE_SECONDS);
            load.note("healed");
            victim.heal();
            cluster.awaitLivePeers(STORAGE_PEERS);
            load.runFor(3);
            assertOneHistory(load);
        }
    }

    @Test
    void nodes_pausedLongerThanALease_nobodyReadsTwoHistories() {
        try (Load load = Load.start(cluster.clientOptions(), CLIENTS, PAUSE_MILLIS)) {
            load.runFor(3);
            for (Node victim :
                    List.of(cluster.storagePeers().get(0), cluster.superPeers().get(1))) {
                load.note(victim.name() + " paused");
                victim.pause();
                load.runFor(LONGER_THAN_A_LEASE_SECONDS);
                load.note("goes on");
                victim.unpause();
                cluster.awaitLivePeers(STORAGE_PEERS);
            }
            load.runFor(3);
            assertOneHistory(load);
        }
    }

    @Test
    void superPeers_mutedSlowedAndKilledInTurn_noClientSeesIt() {
        try (Load load = Load.start(cluster.clientOptions(), CLIENTS, PAUSE_MILLIS)) {
            load.runFor(3);
            Node muted = cluster.superPeers().get(0);
            load.note(muted.name() + " muted towards the others");
            cluster.superPeers().stream()
                    .filter(each -> each != muted)
                    .forEach(each -> muted.muteTowards(each.address()));
            load.runFor(5);
            muted.heal();
            load.runFor(3);
            Node slow = cluster.superPeers().get(1);
            load.note(slow.name() + " slow");
            slow.slow(0.1);
            load.runFor(5);
            slow.slow(2);
            Node killed = cluster.superPeers().get(2);
            load.note(killed.name() + " killed");
            killed.kill();
            load.runFor(5);
            killed.startAgain();
            load.runFor(3);
            assertOneHistory(load);
        }
    }
}
