package dev.granary.bench.compare;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import org.jspecify.annotations.Nullable;

/** One Hazelcast member without backups, values in binary form. */
final class HazelcastStore extends ByteArrayStore {

    private final HazelcastInstance member;
    private final IMap<Long, byte[]> map;

    HazelcastStore() {
        Config config = new Config();
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.addMapConfig(new MapConfig("objects")
                .setInMemoryFormat(InMemoryFormat.BINARY)
                .setBackupCount(0)
                .setStatisticsEnabled(false));
        member = Hazelcast.newHazelcastInstance(config);
        map = member.getMap("objects");
    }

    @Override
    byte @Nullable [] find(Long key) {
        return map.get(key);
    }

    @Override
    void store(Long key, byte[] value) {
        map.set(key, value);
    }

    @Override
    public void close() {
        member.shutdown();
    }
}
