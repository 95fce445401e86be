package dev.granary.bench.compare;

import org.ehcache.Cache;
import org.ehcache.CacheManager;
import org.ehcache.config.builders.CacheConfigurationBuilder;
import org.ehcache.config.builders.CacheManagerBuilder;
import org.ehcache.config.builders.ResourcePoolsBuilder;
import org.ehcache.config.units.MemoryUnit;
import org.jspecify.annotations.Nullable;

/** Ehcache 3 with only an off-heap tier. */
final class EhcacheStore extends ByteArrayStore {

    private final CacheManager manager;
    private final Cache<Long, byte[]> cache;

    EhcacheStore(long nativeBytes) {
        manager = CacheManagerBuilder.newCacheManagerBuilder().build(true);
        cache = manager.createCache(
                "objects",
                CacheConfigurationBuilder.newCacheConfigurationBuilder(
                        Long.class,
                        byte[].class,
                        ResourcePoolsBuilder.newResourcePoolsBuilder()
                                .offheap(Math.max(1, nativeBytes >> 20), MemoryUnit.MB)));
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
        manager.close();
    }
}
