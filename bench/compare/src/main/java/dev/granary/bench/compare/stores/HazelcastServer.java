package dev.granary.bench.compare.stores;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;

/** One Hazelcast member, values in binary form on the heap: off-heap is not in the open source edition. */
final class HazelcastServer {

    private HazelcastServer() {}

    /** Starts it and returns its version. */
    static String start(int port) {
        Config config = new Config();
        NetworkConfig network = config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
        network.getInterfaces().setEnabled(true).addInterface(StoreServer.LOOPBACK);
        network.getJoin().getMulticastConfig().setEnabled(false);
        network.getJoin().getAutoDetectionConfig().setEnabled(false);
        config.addMapConfig(new MapConfig(StoreServer.OBJECTS)
                .setInMemoryFormat(InMemoryFormat.BINARY)
                .setBackupCount(0)
                .setStatisticsEnabled(false));
        return Hazelcast.newHazelcastInstance(config)
                .getCluster()
                .getLocalMember()
                .getVersion()
                .toString();
    }
}
