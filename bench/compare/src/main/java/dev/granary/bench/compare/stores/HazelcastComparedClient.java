package dev.granary.bench.compare.stores;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The client of Hazelcast, without a near cache. All threads share one. */
final class HazelcastComparedClient implements ComparedClient {

    private final HazelcastInstance client;
    private final IMap<Long, byte[]> map;

    HazelcastComparedClient(HostPort address) {
        ClientConfig config = new ClientConfig();
        config.getNetworkConfig().addAddress(address.toString());
        client = HazelcastClient.newHazelcastClient(config);
        map = client.getMap(StoreServer.OBJECTS);
    }

    @Override
    public Session open() {
        return new Shared(map);
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private record Shared(IMap<Long, byte[]> map) implements Session {

        @Override
        public byte @Nullable [] read(long key) {
            return map.get(key);
        }

        @Override
        public void update(long key, byte[] value) {
            map.set(key, value);
        }

        @Override
        public void insert(long key, byte[] value) {
            map.set(key, value);
        }

        @Override
        public void delete(long key) {
            map.delete(key);
        }

        @Override
        public void readAll(long[] keys, Consumer<byte[]> found) {
            map.getAll(boxed(keys)).values().forEach(found);
        }

        @Override
        public void insertAll(long[] keys, List<byte[]> values) {
            map.setAll(pairs(keys, values));
        }
    }

    static Set<Long> boxed(long[] keys) {
        Set<Long> all = HashSet.newHashSet(keys.length);
        for (long key : keys) {
            all.add(key);
        }
        return all;
    }

    static Map<Long, byte[]> pairs(long[] keys, List<byte[]> values) {
        Map<Long, byte[]> all = HashMap.newHashMap(keys.length);
        for (int i = 0; i < keys.length; i++) {
            all.put(keys[i], values.get(i));
        }
        return all;
    }
}
