package dev.granary.bench.compare;

import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Maps on the heap. */
final class HeapMapStore extends ByteArrayStore {

    private final Map<Long, byte[]> map;

    private HeapMapStore(Map<Long, byte[]> map) {
        this.map = map;
    }

    static HeapMapStore concurrentHashMap(long objects) {
        return new HeapMapStore(new ConcurrentHashMap<>(Math.toIntExact(objects)));
    }

    /** A Caffeine cache, bounded but with room for all objects. */
    static HeapMapStore caffeine(long objects) {
        return new HeapMapStore(Caffeine.newBuilder()
                .maximumSize(objects + objects / 8 + 1_000)
                .initialCapacity(Math.toIntExact(objects))
                .<Long, byte[]>build()
                .asMap());
    }

    @Override
    byte @Nullable [] find(Long key) {
        return map.get(key);
    }

    @Override
    void store(Long key, byte[] value) {
        map.put(key, value);
    }

    @Override
    public void close() {
        map.clear();
    }
}
