package dev.granary.tools.bench.process;

import dev.granary.cli.cluster.ClusterState.NodeState;
import dev.granary.cli.cluster.ExitHook;
import dev.granary.cli.cluster.LocalCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A cluster of processes on this machine. They end when this is closed, and with this process. */
public final class RunningCluster implements AutoCloseable {

    private final LocalCluster cluster;
    private final ExitHook hook;

    private RunningCluster(LocalCluster cluster) {
        this.cluster = cluster;
        this.hook = ExitHook.begin("end-of-measured-cluster", () -> cluster.stop(step -> {}));
    }

    /** Starts a cluster in an empty directory. */
    public static RunningCluster start(Path directory, LocalCluster.Plan plan) {
        return new RunningCluster(LocalCluster.start(directory, plan, step -> {}));
    }

    /** Starts one super-peer and some storage peers, whose chunks have no copies. */
    public static RunningCluster withoutCopies(Path directory, int peers, String memory) {
        return start(directory, new LocalCluster.Plan(1, peers, memory, 0, Map.of("zone.backups", "0")));
    }

    public LocalCluster cluster() {
        return cluster;
    }

    /** The process ids of all nodes. */
    public List<Long> pids() {
        return cluster.state().nodes().stream().map(NodeState::pid).toList();
    }

    @Override
    public void close() {
        cluster.stop(step -> {});
        hook.close();
    }
}
