package dev.granary.bench.map;

import dev.granary.memory.map.OffHeapMap;
import dev.granary.memory.map.OffHeapMapConfig;
import dev.granary.memory.map.OffHeapMapStatistics;
import java.lang.foreign.MemorySegment;

/** The off-heap map; keys and values are copied in and out. */
final class OffHeapMeasured implements MeasuredMap {

    private final OffHeapMap map;
    private final int keyBytes;
    private final int valueBytes;

    OffHeapMeasured(MapPlan plan) {
        keyBytes = plan.keyBytes();
        valueBytes = plan.valueBytes();
        long capacity = (long) plan.entries() * (keyBytes + valueBytes + 12) * 9 / 8 + (32L << 20);
        map = OffHeapMap.open(OffHeapMapConfig.of(capacity));
    }

    @Override
    public boolean hasBatches() {
        return true;
    }

    @Override
    public long bytes() {
        OffHeapMapStatistics figures = map.statistics();
        return figures.committedBytes() + figures.heapBytes();
    }

    @Override
    public void close() {
        map.close();
    }

    @Override
    public Session session() {
        return new OffHeapSession();
    }

    private final class OffHeapSession implements Session {
        private final byte[] key = new byte[keyBytes];
        private final byte[] value = new byte[valueBytes];
        private final byte[] keys = new byte[keyBytes * MapRun.BATCH];
        private final byte[] values = new byte[valueBytes * MapRun.BATCH];
        private final int[] offsets = new int[MapRun.BATCH];
        private final int[] lengths = new int[MapRun.BATCH];
        private final int[] sizes = new int[MapRun.BATCH];
        private final MemorySegment keySegment = MemorySegment.ofArray(key);
        private final MemorySegment valueSegment = MemorySegment.ofArray(value);
        private final MemorySegment keysSegment = MemorySegment.ofArray(keys);
        private final MemorySegment valuesSegment = MemorySegment.ofArray(values);

        OffHeapSession() {
            for (int i = 0; i < MapRun.BATCH; i++) {
                offsets[i] = i * keyBytes;
                lengths[i] = keyBytes;
            }
        }

        @Override
        public void put(int number) {
            Contents.key(number, key, 0, keyBytes);
            Contents.value(number, value);
            map.put(keySegment, 0, keyBytes, valueSegment, 0, valueBytes, OffHeapMap.NEVER);
        }

        @Override
        public void get(int number) {
            Contents.key(number, key, 0, keyBytes);
            int size = map.get(keySegment, 0, keyBytes, valueSegment, 0, valueBytes);
            if (size != valueBytes || Contents.word(value, 0) != Contents.mark(number)) {
                throw Contents.wrong(number);
            }
        }

        @Override
        public void getBatch(int[] numbers, int from, int count) {
            for (int i = 0; i < count; i++) {
                Contents.key(numbers[from + i], keys, offsets[i], keyBytes);
            }
            map.getBatch(keysSegment, offsets, lengths, 0, count, valuesSegment, 0, values.length, sizes);
            for (int i = 0; i < count; i++) {
                boolean right = sizes[i] == valueBytes
                        && Contents.word(values, i * valueBytes) == Contents.mark(numbers[from + i]);
                if (!right) {
                    throw Contents.wrong(numbers[from + i]);
                }
            }
        }
    }
}
