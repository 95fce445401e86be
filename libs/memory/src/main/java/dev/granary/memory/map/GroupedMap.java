package dev.granary.memory.map;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.function.LongSupplier;

/** The off-heap map in hash-addressed groups (ADR 0013): checks what callers give and hands it to the parts. */
final class GroupedMap implements OffHeapMap {

    /** Entries of more go into chains of their own, so that groups stay cheap to copy. */
    static final int INLINE_BYTES = 1024;

    private static final int WARM_WIDTH = 32;

    private final MapParts parts;
    private final MapReader reader;
    private final MapCleaner cleaner;
    private final MapEvictor evictor;
    private final MapWriter writer;
    private final MapUpdater updater;
    private final MapBatches batches;
    private final MapWalk walk;
    private final boolean mayExpire;
    private volatile boolean closed;

    GroupedMap(OffHeapMapConfig config) {
        LongSupplier given = config.nowMillis();
        LongSupplier clock = given == null ? () -> 0 : given;
        parts = MapParts.of(config);
        mayExpire = given != null;
        reader = new MapReader(parts.memory(), parts.directory(), parts.uses(), clock);
        cleaner = new MapCleaner(parts);
        MapEntries entries = new MapEntries(parts, reader);
        MapGrowth growth = new MapGrowth(parts);
        evictor = new MapEvictor(parts, reader, entries, growth, cleaner);
        writer = new MapWriter(parts, reader, entries, growth, cleaner, evictor, INLINE_BYTES);
        updater = new MapUpdater(parts, entries, growth, cleaner, evictor, INLINE_BYTES);
        batches = new MapBatches(parts, reader);
        // Who goes over all entries does not want them more than others.
        MapReader passing = new MapReader(parts.memory(), parts.directory(), MapUses.none(parts.memory()), clock);
        walk = new MapWalk(parts, passing, writer);
    }

    @Override
    public int get(
            MemorySegment key,
            long keyOffset,
            int keyBytes,
            MemorySegment target,
            long targetOffset,
            int capacityBytes) {
        check(key, keyOffset, keyBytes);
        Objects.checkFromIndexSize(targetOffset, capacityBytes, target.byteSize());
        long hash = hash(key, keyOffset, keyBytes);
        int result = reader.get(hash, key, keyOffset, keyBytes, target, targetOffset, capacityBytes);
        if (result < MapReader.TOO_LARGE) {
            throw new OffHeapMapException.TargetTooSmall(MapReader.sizeOfTooLarge(result), capacityBytes);
        }
        return result;
    }

    @Override
    public int sizeOf(MemorySegment key, long keyOffset, int keyBytes) {
        check(key, keyOffset, keyBytes);
        return reader.sizeOf(hash(key, keyOffset, keyBytes), key, keyOffset, keyBytes);
    }

    @Override
    public long expiryOf(MemorySegment key, long keyOffset, int keyBytes) {
        check(key, keyOffset, keyBytes);
        return reader.expiryOf(hash(key, keyOffset, keyBytes), key, keyOffset, keyBytes);
    }

    @Override
    public boolean put(
            MemorySegment key,
            long keyOffset,
            int keyBytes,
            MemorySegment value,
            long valueOffset,
            int valueBytes,
            long expiryMillis) {
        MapEntry entry = entry(key, keyOffset, keyBytes, value, valueOffset, valueBytes, expiryMillis);
        return writer.put(entry, MapWriter.Condition.ALWAYS, null) == MapWriter.Result.INSERTED;
    }

    @Override
    public boolean putIfAbsent(
            MemorySegment key,
            long keyOffset,
            int keyBytes,
            MemorySegment value,
            long valueOffset,
            int valueBytes,
            long expiryMillis) {
        MapEntry entry = entry(key, keyOffset, keyBytes, value, valueOffset, valueBytes, expiryMillis);
        return writer.put(entry, MapWriter.Condition.ABSENT, null) == MapWriter.Result.INSERTED;
    }

    @Override
    public boolean replace(MemorySegment key, MemorySegment expected, MemorySegment value, long expiryMillis) {
        int keyBytes = (int) Math.min(key.byteSize(), Integer.MAX_VALUE);
        int valueBytes = (int) Math.min(value.byteSize(), Integer.MAX_VALUE);
        MapEntry entry = entry(key, 0, keyBytes, value, 0, valueBytes, expiryMillis);
        if (expected.byteSize() > MAX_ENTRY_BYTES) {
            return false;
        }
        return writer.put(entry, MapWriter.Condition.EXPECTED, expected) == MapWriter.Result.REPLACED;
    }

    @Override
    public boolean remove(MemorySegment key, long keyOffset, int keyBytes) {
        check(key, keyOffset, keyBytes);
        return writer.remove(hash(key, keyOffset, keyBytes), key, keyOffset, keyBytes);
    }

    @Override
    public boolean expireAt(MemorySegment key, long keyOffset, int keyBytes, long expiryMillis) {
        check(key, keyOffset, keyBytes);
        MapChecks.expiry(expiryMillis, mayExpire);
        return writer.expireAt(hash(key, keyOffset, keyBytes), key, keyOffset, keyBytes, expiryMillis);
    }

    @Override
    public boolean update(MemorySegment key, long keyOffset, int keyBytes, OffHeapMapUpdate function) {
        check(key, keyOffset, keyBytes);
        return updater.update(hash(key, keyOffset, keyBytes), key, keyOffset, keyBytes, mayExpire, function);
    }

    @Override
    public long getBatch(
            MemorySegment keys,
            int[] keyOffsets,
            int[] keySizes,
            int from,
            int count,
            MemorySegment target,
            long targetOffset,
            long capacityBytes,
            int[] sizes) {
        Objects.checkFromIndexSize(from, count, sizes.length);
        checkKeys(keys, keyOffsets, keySizes, from, count);
        Objects.checkFromIndexSize(targetOffset, capacityBytes, target.byteSize());
        return batches.get(keys, keyOffsets, keySizes, from, count, target, targetOffset, capacityBytes, sizes);
    }

    @Override
    public int putBatch(
            MemorySegment keys,
            int[] keyOffsets,
            int[] keySizes,
            MemorySegment values,
            int[] valueOffsets,
            int[] valueSizes,
            int from,
            int count,
            long expiryMillis) {
        checkKeys(keys, keyOffsets, keySizes, from, count);
        int inserted = 0;
        for (int i = 0; i < count; i++) {
            if (i % WARM_WIDTH == 0) {
                batches.warm(keys, keyOffsets, keySizes, from + i, Math.min(WARM_WIDTH, count - i));
            }
            int at = from + i;
            boolean absent =
                    put(keys, keyOffsets[at], keySizes[at], values, valueOffsets[at], valueSizes[at], expiryMillis);
            inserted += absent ? 1 : 0;
        }
        return inserted;
    }

    @Override
    public long scan(long cursor, Visitor visitor) {
        checkOpen();
        return walk.scan(cursor, visitor);
    }

    @Override
    public int expire(int maxGroups) {
        checkOpen();
        return mayExpire ? walk.expire(maxGroups) : 0;
    }

    @Override
    public long size() {
        checkOpen();
        return parts.counters().entries();
    }

    @Override
    public void clear() {
        checkOpen();
        // Merges while it goes move groups from the end to the front: those are met as long as it goes down.
        for (long group = parts.directory().groups() - 1; group >= 0; group--) {
            writer.removeAll(group);
        }
    }

    @Override
    public OffHeapMapStatistics statistics() {
        checkOpen();
        MapSlabs slabs = parts.slabs();
        long payload = parts.counters().payloadBytes();
        long live = slabs.liveBytes();
        long slabBytes = (long) slabs.committedSlabs() * slabs.slabBytes();
        long directory = parts.directory().groups() * evictor.directoryBytes();
        long table = (long) slabs.usedSlabs() * MapSlabs.TABLE_ENTRY_BYTES;
        return new OffHeapMapStatistics(
                parts.counters().entries(),
                parts.directory().groups(),
                payload,
                live - payload,
                directory,
                table,
                MapCounters.HEAP_BYTES + MapSlabs.HEAP_BYTES,
                slabBytes - live,
                slabBytes + directory + table,
                parts.capacityBytes(),
                cleaner.movedBytes(),
                evictor.evicted());
    }

    @Override
    public OffHeapMapReport verify() {
        checkOpen();
        return new MapVerifier(parts).verify();
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            parts.memory().close();
        }
    }

    MapParts parts() {
        return parts;
    }

    private MapEntry entry(
            MemorySegment key,
            long keyOffset,
            int keyBytes,
            MemorySegment value,
            long valueOffset,
            int valueBytes,
            long expiryMillis) {
        checkOpen();
        Objects.checkFromIndexSize(keyOffset, keyBytes, key.byteSize());
        Objects.checkFromIndexSize(valueOffset, valueBytes, value.byteSize());
        MapChecks.sizes(keyBytes, valueBytes);
        MapChecks.expiry(expiryMillis, mayExpire);
        if (valueBytes > 0) {
            // It may be closed, or another thread's: to be known before anything is changed.
            value.get(ValueLayout.JAVA_BYTE, valueOffset);
        }
        long hash = hash(key, keyOffset, keyBytes);
        return new MapEntry(hash, key, keyOffset, keyBytes, value, valueOffset, valueBytes, expiryMillis, 0);
    }

    private void check(MemorySegment key, long keyOffset, int keyBytes) {
        checkOpen();
        Objects.checkFromIndexSize(keyOffset, keyBytes, key.byteSize());
        MapChecks.sizes(keyBytes, 0);
    }

    private void checkKeys(MemorySegment keys, int[] keyOffsets, int[] keySizes, int from, int count) {
        Objects.checkFromIndexSize(from, count, keyOffsets.length);
        Objects.checkFromIndexSize(from, count, keySizes.length);
        for (int i = from; i < from + count; i++) {
            check(keys, keyOffsets[i], keySizes[i]);
        }
    }

    private long hash(MemorySegment key, long keyOffset, int keyBytes) {
        return MapHash.of(key, keyOffset, keyBytes, parts.seed());
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("this off-heap map is closed");
        }
    }
}
