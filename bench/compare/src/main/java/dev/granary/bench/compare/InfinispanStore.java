package dev.granary.bench.compare;

import org.infinispan.AdvancedCache;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.StorageType;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.context.Flag;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.manager.EmbeddedCacheManager;
import org.jspecify.annotations.Nullable;

/** A local Infinispan cache outside the heap, without eviction. */
final class InfinispanStore extends ByteArrayStore {

    private final EmbeddedCacheManager manager;
    private final AdvancedCache<Long, byte[]> cache;

    InfinispanStore() {
        manager = new DefaultCacheManager(
                new GlobalConfigurationBuilder().nonClusteredDefault().build());
        ConfigurationBuilder configuration = new ConfigurationBuilder();
        configuration.memory().storage(StorageType.OFF_HEAP);
        manager.defineConfiguration("objects", configuration.build());
        cache = manager.<Long, byte[]>getCache("objects").getAdvancedCache().withFlags(Flag.IGNORE_RETURN_VALUES);
    }

    @Override
    byte @Nullable [] find(Long key) {
        return cache.get(key);
    }

    @Override
    void store(Long key, byte[] value) {
        cache.put(key, value);
    }

    @Override
    public void close() {
        manager.stop();
    }
}
