package dev.granary.tools.bench.redis;

import dev.granary.bench.redis.RespWire;
import dev.granary.bench.redis.Wire;
import dev.granary.cli.cluster.ClusterState.NodeState;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.tools.bench.process.RunningCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A local cluster, as {@code granary up} starts it: one super-peer, and as many storage peers as there are copies. */
public final class GranaryStore implements MeasuredStore {

    private static final long MIB = 1 << 20;

    private final RunningCluster running;
    private final LocalCluster cluster;
    private final int copies;

    private GranaryStore(RunningCluster running, int copies) {
        this.running = running;
        this.cluster = running.cluster();
        this.copies = copies;
    }

    /** Starts a cluster whose storage peers have so much chunk memory each. */
    public static GranaryStore start(int copies, long memoryBytes, Path folder) {
        LocalCluster.Plan plan = new LocalCluster.Plan(
                1,
                copies,
                Math.ceilDiv(memoryBytes, MIB) + "Mi",
                0,
                Map.of("zone.backups", Integer.toString(copies - 1)));
        return new GranaryStore(RunningCluster.start(folder, plan), copies);
    }

    @Override
    public StoreKind kind() {
        return StoreKind.GRANARY;
    }

    @Override
    public int copies() {
        return copies;
    }

    @Override
    public String version() throws IOException {
        try (TextClient client = new TextClient(addresses().getFirst())) {
            return client.info("server", "granary_version");
        }
    }

    @Override
    public List<InetSocketAddress> addresses() {
        return cluster.redisAddresses().stream()
                .map(door -> new InetSocketAddress(door.host(), door.port()))
                .toList();
    }

    /** The address of its super-peer, for clients of ours. */
    public String seed() {
        return cluster.addresses().getFirst();
    }

    private List<Long> pids(boolean ofDoors) {
        return cluster.state().nodes().stream()
                .filter(node -> (node.redisPort() != 0) == ofDoors)
                .map(NodeState::pid)
                .toList();
    }

    @Override
    public List<Long> servers() {
        return pids(true);
    }

    @Override
    public List<Long> others() {
        return pids(false);
    }

    @Override
    public Wire wire(int expirySeconds) {
        return new RespWire(expirySeconds);
    }

    @Override
    public long ownBytes() throws IOException {
        return RedisStore.usedMemory(addresses());
    }

    @Override
    public void limitMemory(long bytes) throws IOException {
        RedisStore.limitMemory(addresses(), bytes);
    }

    @Override
    public void close() {
        running.close();
    }
}
