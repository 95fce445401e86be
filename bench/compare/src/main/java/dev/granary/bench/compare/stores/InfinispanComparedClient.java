package dev.granary.bench.compare.stores;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ClientIntelligence;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.commons.marshall.IdentityMarshaller;
import org.jspecify.annotations.Nullable;

/** The Hot Rod client of Infinispan, with keys and values as bytes. All threads share one, with a pool. */
final class InfinispanComparedClient implements ComparedClient {

    /** Long enough for a million objects in one request. */
    private static final int TIMEOUT_MILLIS = 60_000;

    private final RemoteCacheManager manager;
    private final RemoteCache<byte[], byte[]> cache;

    InfinispanComparedClient(HostPort address) {
        ConfigurationBuilder builder = new ConfigurationBuilder();
        builder.addServer().host(address.host()).port(address.port());
        builder.socketTimeout(TIMEOUT_MILLIS);
        builder.clientIntelligence(ClientIntelligence.BASIC).marshaller(IdentityMarshaller.INSTANCE);
        manager = new RemoteCacheManager(builder.build());
        cache = manager.getCache(StoreServer.OBJECTS);
    }

    @Override
    public Session open() {
        return new Shared(cache);
    }

    @Override
    public void close() {
        manager.stop();
    }

    private record Shared(RemoteCache<byte[], byte[]> cache) implements Session {

        @Override
        public byte @Nullable [] read(long key) {
            return cache.get(KeyBytes.of(key));
        }

        @Override
        public void update(long key, byte[] value) {
            cache.put(KeyBytes.of(key), value);
        }

        @Override
        public void insert(long key, byte[] value) {
            cache.put(KeyBytes.of(key), value);
        }

        @Override
        public void delete(long key) {
            cache.remove(KeyBytes.of(key));
        }

        @Override
        public void readAll(long[] keys, Consumer<byte[]> found) {
            // Arrays are compared by identity, and no two of these are equal.
            Set<byte[]> all = HashSet.newHashSet(keys.length);
            all.addAll(Arrays.asList(KeyBytes.of(keys)));
            cache.getAll(all).values().forEach(found);
        }

        @Override
        public void insertAll(long[] keys, List<byte[]> values) {
            Map<byte[], byte[]> all = HashMap.newHashMap(keys.length);
            for (int i = 0; i < keys.length; i++) {
                all.put(KeyBytes.of(keys[i]), values.get(i));
            }
            cache.putAll(all);
        }
    }
}
