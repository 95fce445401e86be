package dev.granary.bench.compare.stores;

import java.util.List;
import java.util.function.Consumer;
import org.apache.ignite.Ignition;
import org.apache.ignite.client.ClientCache;
import org.apache.ignite.client.IgniteClient;
import org.apache.ignite.configuration.ClientConfiguration;
import org.jspecify.annotations.Nullable;

/** The thin client of Ignite. All threads share one. */
final class IgniteComparedClient implements ComparedClient {

    private final IgniteClient client;
    private final ClientCache<Long, byte[]> cache;

    IgniteComparedClient(HostPort address) {
        client = Ignition.startClient(new ClientConfiguration().setAddresses(address.toString()));
        cache = client.cache(StoreServer.OBJECTS);
    }

    @Override
    public Session open() {
        return new Shared(cache);
    }

    @Override
    public void close() {
        client.close();
    }

    private record Shared(ClientCache<Long, byte[]> cache) implements Session {

        @Override
        public byte @Nullable [] read(long key) {
            return cache.get(key);
        }

        @Override
        public void update(long key, byte[] value) {
            cache.put(key, value);
        }

        @Override
        public void insert(long key, byte[] value) {
            cache.put(key, value);
        }

        @Override
        public void delete(long key) {
            cache.remove(key);
        }

        @Override
        public void readAll(long[] keys, Consumer<byte[]> found) {
            cache.getAll(HazelcastComparedClient.boxed(keys)).values().forEach(found);
        }

        @Override
        public void insertAll(long[] keys, List<byte[]> values) {
            cache.putAll(HazelcastComparedClient.pairs(keys, values));
        }
    }
}
