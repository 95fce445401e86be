package dev.granary.bench.compare;

import dev.granary.bench.memory.SizePattern;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import org.jspecify.annotations.Nullable;

/** Chronicle Map in anonymous memory. */
final class ChronicleStore extends ByteArrayStore {

    private static final double BLOAT = 4;

    private final ChronicleMap<Long, byte[]> map;

    ChronicleStore(long objects, SizePattern sizes) {
        ChronicleMapBuilder<Long, byte[]> builder = ChronicleMap.of(Long.class, byte[].class)
                .name("objects")
                .putReturnsNull(true)
                .entries(objects);
        if (sizes.minBytes() == sizes.maxBytes()) {
            builder.constantValueSizeBySample(new byte[sizes.maxBytes()]);
        } else {
            builder.averageValueSize((double) sizes.bytesBefore(objects) / objects)
                    .maxBloatFactor(BLOAT);
        }
        map = builder.create();
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
        map.close();
    }
}
