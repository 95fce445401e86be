package dev.granary.bench.map;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A map on the heap, as a Java program would use it. Keys are objects around a byte array. A put makes a new key and a
 * new value; a get reads the value in place.
 */
final class HeapMeasured implements MeasuredMap {

    private final Map<Key, byte[]> map;
    private final int keyBytes;
    private final int valueBytes;
    private final long bytesBefore;

    HeapMeasured(MapPlan plan) {
        keyBytes = plan.keyBytes();
        valueBytes = plan.valueBytes();
        bytesBefore = liveBytes();
        map = plan.store() == MapKind.HASHMAP ? new HashMap<>() : new ConcurrentHashMap<>();
    }

    @Override
    public boolean hasBatches() {
        return false;
    }

    @Override
    public long bytes() {
        return liveBytes() - bytesBefore;
    }

    @Override
    public void close() {
        map.clear();
    }

    @Override
    public Session session() {
        return new HeapSession();
    }

    private static long liveBytes() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** A key whose bytes do not change while it is in the map. Only keys for lookups get other bytes. */
    private static final class Key {
        private final byte[] bytes;
        private int hash;

        Key(byte[] bytes) {
            this.bytes = bytes;
        }

        Key fill(int number) {
            Contents.key(number, bytes, 0, bytes.length);
            hash = Arrays.hashCode(bytes);
            return this;
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && Arrays.equals(bytes, key.bytes);
        }
    }

    private final class HeapSession implements Session {
        private final Key lookup = new Key(new byte[keyBytes]);

        @Override
        public void put(int number) {
            byte[] value = new byte[valueBytes];
            Contents.value(number, value);
            map.put(new Key(new byte[keyBytes]).fill(number), value);
        }

        @Override
        public void get(int number) {
            byte[] value = map.get(lookup.fill(number));
            if (value == null || Contents.word(value, 0) != Contents.mark(number)) {
                throw Contents.wrong(number);
            }
        }

        @Override
        public void getBatch(int[] numbers, int from, int count) {
            throw new UnsupportedOperationException("a map on the heap has no batches");
        }
    }
}
