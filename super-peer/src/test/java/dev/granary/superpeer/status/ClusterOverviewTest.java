package dev.granary.superpeer.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.superpeer.SimulatedRing;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link ClusterOverview} of a ring of three, as its super-peers give it to their consoles. */
class ClusterOverviewTest {

    private static final String NO_WORK =
            "{\"plans\":[],\"plansUnlisted\":0,\"migrations\":[],\"migrationsUnlisted\":0}";
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SimulatedRing ring = new SimulatedRing();

    @BeforeEach
    void start() {
        ring.startRing(3);
    }

    private String overview(String of) {
        CompletableFuture<String> told = ring.superPeer(of).overview();
        assertThat(ring.simulation.runUntil(told::isDone, 2 * SECOND))
                .as("%s", ring)
                .isTrue();
        return told.join();
    }

    @Test
    void overview_ofAnySuperPeer_hasTheStatusAndTheWorkOfAll() {
        String json = overview("s1");

        assertThat(json)
                .as("%s", ring)
                .matches("\\{\"at\":\"[-0-9T:.]+Z\",\"from\":\"0x[0-9a-f]{4}\",\"status\":\\{\"clusterId\":.*")
                .doesNotContain("\"from\":\"0x0001\"")
                .contains("\"ring\":{", "\"storagePeers\":[]", "\"memoryPlan\":{")
                .endsWith(",\"work\":{\"0x0001\":" + NO_WORK + ",\"0x4001\":" + NO_WORK + ",\"0x8001\":" + NO_WORK
                        + "}}");
        assertThat(json.split("\"reachable\":true", -1)).hasSize(3 + 1);
    }

    @Test
    void overview_aSuperPeerIsSilent_isLeftOutWithinASecond() {
        ring.node("s2").kill();
        String json = overview("s0");

        assertThat(json)
                .as("%s", ring)
                .contains("\"reachable\":false")
                .contains("\"work\":{\"0x0001\":" + NO_WORK + ",");
        assertThat(json.split("\"plansUnlisted\"", -1)).as("works in %s", json).hasSize(2 + 1);
    }

    @Test
    void listWork_fromOutside_isTheWorkOfTheArcsThatItServes() {
        assertThat(ring.call("s0", MessageType.LIST_WORK, new Empty()).json()).isEqualTo(NO_WORK);
    }
}
