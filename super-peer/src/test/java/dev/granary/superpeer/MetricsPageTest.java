package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.process.EnumCounters;
import dev.granary.superpeer.node.RaftMetrics;
import dev.granary.testkit.MetricsPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a super-peer shows, and the page that lists it. */
class MetricsPageTest {

    @Test
    void metricsPage_superPeer_matchesWhatIsRegistered() throws IOException {
        SimulatedRing ring = new SimulatedRing();
        ring.startRing(1);
        MetricsPage.check(Path.of("..", "docs", "metrics.md"), "super-peer", ring.registry("s0"));
    }

    @Test
    void raftMetrics_threeSuperPeers_showWhoLeadsAndWhatIsCommitted() {
        SimulatedRing ring = new SimulatedRing();
        ring.startRing(3);
        ring.runFor(TimeUnit.SECONDS.toNanos(5));
        double leaders = 0;
        double followers = 0;
        double elections = 0;
        double logBytes = 0;
        double commands = 0;
        double commits = 0;
        for (String node : List.of("s0", "s1", "s2")) {
            leaders += groups(ring, node, RaftMetrics.Role.LEADER);
            followers += groups(ring, node, RaftMetrics.Role.FOLLOWER);
            assertThat(groups(ring, node, RaftMetrics.Role.LEADERLESS)).isZero();
            elections += ofRing(ring, node, "granary_superpeer_raft_leader_changes_total");
            logBytes += ofRing(ring, node, "granary_superpeer_raft_log_bytes");
            commands += ofRing(ring, node, "granary_superpeer_raft_commands_total");
            commits += ring.metric(node, "granary_superpeer_raft_commit_seconds_count");
        }
        assertThat(leaders).isEqualTo(1);
        assertThat(followers).isEqualTo(2);
        assertThat(elections).isGreaterThanOrEqualTo(3);
        assertThat(logBytes).isPositive();
        assertThat(commands).isPositive();
        assertThat(commits).isPositive();
    }

    private static double groups(SimulatedRing ring, String node, RaftMetrics.Role role) {
        return ring.registry(node)
                .getSampleValue("granary_superpeer_raft_groups", new String[] {"group", "role"}, new String[] {
                    "ring", EnumCounters.labelOf(role)
                });
    }

    private static double ofRing(SimulatedRing ring, String node, String sample) {
        return ring.registry(node).getSampleValue(sample, new String[] {"group"}, new String[] {"ring"});
    }
}
