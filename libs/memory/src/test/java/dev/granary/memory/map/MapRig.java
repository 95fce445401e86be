package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The parts of a small off-heap map, put together as {@link GroupedMap} does, with a clock that stands still. */
final class MapRig implements AutoCloseable {

    static final long NOW = 1000;
    static final long PAST = 900;
    static final long LATER = 2000;

    /** What the listener was told, as change, key, value and expiry. */
    final List<String> told = new ArrayList<>();

    final MapParts parts = MapParts.of(OffHeapMapConfig.of(OffHeapMapConfig.MIN_CAPACITY_BYTES)
            .withHugePages(false)
            .withClock(() -> NOW)
            .withListener(this::tell));
    final MapMemory memory = parts.memory();
    final MapDirectory directory = parts.directory();
    final MapSlabs slabs = parts.slabs();
    final MapReader reader = new MapReader(memory, directory, parts.uses(), () -> NOW);
    final MapCleaner cleaner = new MapCleaner(parts);
    final MapGrowth growth = new MapGrowth(parts);
    final MapEntries entries = new MapEntries(parts, reader);
    final MapEvictor evictor = new MapEvictor(parts, reader, entries, growth, cleaner);
    final MapWriter writer = new MapWriter(parts, reader, entries, growth, cleaner, evictor, GroupedMap.INLINE_BYTES);
    final MapUpdater updater = new MapUpdater(parts, entries, growth, cleaner, evictor, GroupedMap.INLINE_BYTES);
    private final List<Long> taken = new ArrayList<>();

    private void tell(OffHeapMapListener.Change change, OffHeapMapView entry) {
        String key = new String(entry.key(), StandardCharsets.UTF_8);
        String value = new String(entry.value(), StandardCharsets.UTF_8);
        told.add(change + " " + key + "=" + value + "@" + entry.expiryMillis());
    }

    static MemorySegment segment(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }

    long hash(String key) {
        MemorySegment segment = segment(key);
        return MapHash.of(segment, 0, (int) segment.byteSize(), parts.seed());
    }

    MapEntry entry(String key, MemorySegment value, long expiry) {
        MemorySegment segment = segment(key);
        return new MapEntry(
                hash(key), segment, 0, (int) segment.byteSize(), value, 0, (int) value.byteSize(), expiry, 0);
    }

    MapEntry entry(String key, String value) {
        return entry(key, segment(value), OffHeapMap.NEVER);
    }

    MapWriter.Result put(String key, String value) {
        return put(key, value, OffHeapMap.NEVER);
    }

    MapWriter.Result put(String key, String value, long expiry) {
        return writer.put(entry(key, segment(value), expiry), MapWriter.Condition.ALWAYS, null);
    }

    /** Adds an entry without what comes afterwards: no group is split, no slab is emptied. */
    MapGroups.Outcome append(MapEntry entry) {
        long group = directory.latch(entry.hash());
        try {
            MapGroups.Outcome outcome = parts.groups().append(group, entry);
            if (outcome == MapGroups.Outcome.DONE) {
                parts.counters().add(group, 1, entry.payloadBytes());
            }
            return outcome;
        } finally {
            directory.unlatch(group);
        }
    }

    boolean remove(String key) {
        MemorySegment segment = segment(key);
        return writer.remove(hash(key), segment, 0, (int) segment.byteSize());
    }

    @Nullable
    String get(String key) {
        MemorySegment segment = segment(key);
        int keyBytes = (int) segment.byteSize();
        int size = reader.sizeOf(hash(key), segment, 0, keyBytes);
        if (size == OffHeapMap.ABSENT) {
            return null;
        }
        MemorySegment value = MemorySegment.ofArray(new byte[size]);
        assertThat(reader.get(hash(key), segment, 0, keyBytes, value, 0, size)).isEqualTo(size);
        return new String(value.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** Where an entry stands in its group: its index, or less than 0. */
    int indexOf(String key) {
        long word = directory.block(directory.groupOf(hash(key)));
        MemorySegment segment = segment(key);
        long block = MapBlockSizes.address(word);
        long found = MapGroup.find(
                memory, block, MapBlockSizes.sizeOf(word), memory.word(block), hash(key), segment, 0, (int)
                        segment.byteSize());
        return found < 0 ? (int) found : MapGroup.foundIndex(found);
    }

    /** Keys of one group, for as long as there are {@link MapDirectory#MIN_GROUPS} groups. */
    List<String> keysOf(long group, int count) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; keys.size() < count; i++) {
            if (MapDirectory.groupOf(hash("key " + i), MapDirectory.MIN_GROUPS) == group) {
                keys.add("key " + i);
            }
        }
        return keys;
    }

    /** Takes all blocks that there are for this class and those that would stand in for it. */
    void takeAll(int sizeClass) {
        for (long word = slabs.allocate(sizeClass); word != 0; word = slabs.allocate(sizeClass)) {
            taken.add(word);
        }
    }

    /** Gives back one of the blocks that {@link #takeAll} took. */
    void giveOne() {
        slabs.free(taken.removeLast());
    }

    /** Gives back what {@link #takeAll} took. */
    void giveAll() {
        taken.forEach(slabs::free);
        taken.clear();
    }

    List<String> violations() {
        return new MapVerifier(parts).verify().violations();
    }

    /** Checks every invariant; a block that nobody has is a violation. */
    @Override
    public void close() {
        try {
            giveAll();
            assertThat(violations()).isEmpty();
        } finally {
            memory.close();
        }
    }
}
