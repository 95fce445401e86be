package dev.granary.memory.map;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Batches as separate small loops, each of which touches one place of memory for every key, so that the processor waits
 * for many of them at a time: directory, group, entry, value. A key that something came between is read again alone.
 */
final class MapBatches {

    /** Keys that are in flight together. */
    private static final int WIDTH = 64;

    /** Most groups' columns reach into their block's second cache line. */
    private static final int COLUMNS_TOUCH = 64;

    private final MapMemory memory;
    private final MapDirectory directory;
    private final MapReader reader;
    private final long seed;

    /** Keeps loads that only warm the caches from being left out. */
    @SuppressWarnings("UnusedVariable")
    private long touched;

    MapBatches(MapParts parts, MapReader reader) {
        this.memory = parts.memory();
        this.directory = parts.directory();
        this.seed = parts.seed();
        this.reader = reader;
    }

    long get(
            MemorySegment keys,
            int[] keyOffsets,
            int[] keySizes,
            int from,
            int count,
            MemorySegment target,
            long targetOffset,
            long capacityBytes,
            int[] sizes) {
        Lookups lookups = new Lookups(Math.min(WIDTH, count));
        long used = 0;
        for (int done = 0; done < count; done += WIDTH) {
            int first = from + done;
            int here = Math.min(WIDTH, count - done);
            locate(lookups, keys, keyOffsets, keySizes, first, here);
            find(lookups, keySizes, first, here);
            for (int i = 0; i < here; i++) {
                int keyOffset = keyOffsets[first + i];
                int keyBytes = keySizes[first + i];
                long room = capacityBytes - used;
                int size = copy(lookups, i, keys, keyOffset, keyBytes, target, targetOffset + used, room);
                sizes[first + i] = size < MapReader.TOO_LARGE ? OffHeapMap.DOES_NOT_FIT : size;
                used += Math.max(size, 0);
            }
        }
        return used;
    }

    /** Loads what puts of these keys will need. */
    void warm(MemorySegment keys, int[] keyOffsets, int[] keySizes, int from, int count) {
        Lookups lookups = new Lookups(count);
        locate(lookups, keys, keyOffsets, keySizes, from, count);
        long sum = 0;
        for (int i = 0; i < count; i++) {
            long word = lookups.words[i];
            long header = lookups.headers[i];
            if (word != 0) {
                long free = Math.max(64L, MapBlockSizes.sizeOf(word) - MapGroup.dataBytes(header));
                long block = MapBlockSizes.address(word);
                sum += memory.word(block + 64) + memory.word(block + 128) + memory.word(block + free - 64);
            }
        }
        touched = sum;
    }

    private void locate(Lookups to, MemorySegment keys, int[] keyOffsets, int[] keySizes, int first, int count) {
        for (int i = 0; i < count; i++) {
            long hash = MapHash.of(keys, keyOffsets[first + i], keySizes[first + i], seed);
            to.hashes[i] = hash;
            long group = directory.groupOf(hash);
            to.groups[i] = group;
            to.versions[i] = directory.version(group);
        }
        long sum = 0;
        for (int i = 0; i < count; i++) {
            long word = directory.block(to.groups[i]);
            to.words[i] = word;
            if (word == 0) {
                to.headers[i] = 0;
            } else {
                long block = MapBlockSizes.address(word);
                to.headers[i] = memory.word(block);
                sum += memory.word(block + COLUMNS_TOUCH);
            }
        }
        touched = sum;
    }

    private void find(Lookups to, int[] keySizes, int first, int count) {
        for (int i = 0; i < count; i++) {
            long word = to.words[i];
            to.found[i] = word == 0
                    ? MapGroup.NONE
                    : MapGroup.candidate(
                            memory,
                            MapBlockSizes.address(word),
                            MapBlockSizes.sizeOf(word),
                            to.headers[i],
                            to.hashes[i],
                            keySizes[first + i]);
        }
        long sum = 0;
        for (int i = 0; i < count; i++) {
            long found = to.found[i];
            if (found >= 0) {
                long entry = MapBlockSizes.address(to.words[i]) + MapGroup.foundPosition(found);
                int last = Math.max(0, MapGroup.foundKeyCode(found) + MapGroup.foundValueBytes(found) - 9);
                sum += memory.word(entry) + memory.word(entry + last);
            }
        }
        touched = sum;
    }

    private int copy(
            Lookups lookups,
            int i,
            MemorySegment keys,
            int keyOffset,
            int keyBytes,
            MemorySegment target,
            long targetOffset,
            long room) {
        long group = lookups.groups[i];
        long version = lookups.versions[i];
        long found = lookups.found[i];
        long hash = lookups.hashes[i];
        boolean usable = (version & 1) == 0 && found != MapGroup.TORN && directory.groupOf(hash) == group;
        if (usable && found == MapGroup.NONE) {
            if (directory.isSame(group, version)) {
                return OffHeapMap.ABSENT;
            }
        } else if (usable && !MapGroup.isForward(found)) {
            long block = MapBlockSizes.address(lookups.words[i]);
            if (memory.matches(block + MapGroup.foundPosition(found), keys, keyOffset, keyBytes)) {
                int size =
                        reader.copyFound(group, block, lookups.headers[i], found, keyBytes, target, targetOffset, room);
                if (directory.isSame(group, version)) {
                    return size;
                }
            }
        }
        VarHandle.acquireFence();
        return reader.get(hash, keys, keyOffset, keyBytes, target, targetOffset, room);
    }

    /** What is known of the keys that are in flight. */
    private static final class Lookups {
        private final long[] hashes;
        private final long[] groups;
        private final long[] versions;
        private final long[] words;
        private final long[] headers;
        private final long[] found;

        Lookups(int width) {
            hashes = new long[width];
            groups = new long[width];
            versions = new long[width];
            words = new long[width];
            headers = new long[width];
            found = new long[width];
        }
    }
}
