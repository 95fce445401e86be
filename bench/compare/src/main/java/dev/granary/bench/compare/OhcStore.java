package dev.granary.bench.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.caffinitas.ohc.CacheSerializer;
import org.caffinitas.ohc.OHCache;
import org.caffinitas.ohc.OHCacheBuilder;
import org.jspecify.annotations.Nullable;

/** OHC, linked (an allocation for each object) or chunked. */
final class OhcStore extends ByteArrayStore {

    private static final int CHUNK_BYTES = 1 << 20;
    private static final int SEGMENTS = 16;

    private final OHCache<Long, byte[]> cache;

    private OhcStore(OHCache<Long, byte[]> cache) {
        this.cache = cache;
    }

    static OhcStore linked(long objects, long nativeBytes) {
        return new OhcStore(builder(objects, nativeBytes).build());
    }

    static OhcStore chunked(long objects, long nativeBytes) {
        return new OhcStore(builder(objects, nativeBytes).chunkSize(CHUNK_BYTES).build());
    }

    private static OHCacheBuilder<Long, byte[]> builder(long objects, long nativeBytes) {
        int slots = (int) Math.min(1 << 27, Long.highestOneBit(Math.max(1, objects / SEGMENTS)) * 2);
        return OHCacheBuilder.<Long, byte[]>newBuilder()
                .keySerializer(new Keys())
                .valueSerializer(new Values())
                .segmentCount(SEGMENTS)
                .hashTableSize(slots)
                .capacity(nativeBytes)
                .throwOOME(true);
    }

    @Override
    byte @Nullable [] find(Long key) {
        return cache.get(key);
    }

    @Override
    void store(Long key, byte[] value) {
        if (!cache.put(key, value)) {
            throw new IllegalStateException("OHC refuses object " + key);
        }
    }

    @Override
    public void close() {
        try {
            cache.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Keys implements CacheSerializer<Long> {

        @Override
        public void serialize(Long key, ByteBuffer target) {
            target.putLong(key);
        }

        @Override
        public Long deserialize(ByteBuffer source) {
            return source.getLong();
        }

        @Override
        public int serializedSize(Long key) {
            return Long.BYTES;
        }
    }

    private static final class Values implements CacheSerializer<byte[]> {

        @Override
        public void serialize(byte[] value, ByteBuffer target) {
            target.put(value);
        }

        @Override
        public byte[] deserialize(ByteBuffer source) {
            byte[] value = new byte[source.remaining()];
            source.get(value);
            return value;
        }

        @Override
        public int serializedSize(byte[] value) {
            return value.length;
        }
    }
}
