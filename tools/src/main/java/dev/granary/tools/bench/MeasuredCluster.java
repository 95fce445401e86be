package dev.granary.tools.bench;

import dev.granary.cli.cluster.ClusterState.NodeState;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.client.GranaryClient;
import dev.granary.tools.bench.process.RunningCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A measured cluster of processes on this machine. They end when this is closed, and with this process. */
final class MeasuredCluster implements AutoCloseable {

    /** The number of super-peers. Three keep a majority when one dies, but nobody kills one here. */
    static final int SUPER_PEERS = 3;

    private static final long MIB = 1 << 20;
    private static final Duration DEADLINE = Duration.ofSeconds(90);

    private final RunningCluster running;

    private MeasuredCluster(RunningCluster running) {
        this.running = running;
    }

    /**
     * Starts a cluster.
     *
     * @param directory an empty directory for its files
     * @param memoryBytes the chunk memory of each storage peer
     * @param backups backups of each zone, if there are enough peers
     * @param lease length of leases, such as {@code 1s}
     */
    static MeasuredCluster start(Path directory, int peers, long memoryBytes, int backups, String lease) {
        return start(directory, SUPER_PEERS, peers, memoryBytes, backups, lease);
    }

    /** The same with another number of super-peers. */
    static MeasuredCluster start(
            Path directory, int superPeers, int peers, long memoryBytes, int backups, String lease) {
        Map<String, String> settings = Map.of("zone.backups", Integer.toString(backups), "lease.duration", lease);
        String memory = (memoryBytes + MIB - 1) / MIB + "Mi";
        return new MeasuredCluster(
                RunningCluster.start(directory, new LocalCluster.Plan(superPeers, peers, memory, 0, settings)));
    }

    GranaryClient connect() {
        return GranaryClient.connect(running.cluster().administratorOptions().withDeadline(DEADLINE));
    }

    /** The storage peer that was started last. */
    NodeState lastPeer() {
        return running.cluster().state().nodes().getLast();
    }

    @Override
    public void close() {
        running.close();
    }
}
