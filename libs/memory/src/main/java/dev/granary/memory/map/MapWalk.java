package dev.granary.memory.map;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Goes over groups: shows entries, sweeps expired ones away.
 *
 * <p>The order of a scan is that of the hashes' bits reversed. A group stands for the hashes that agree in their lowest
 * bits; reversed they are an interval, and a split or merge divides or joins intervals without moving anything across
 * the cursor.
 */
final class MapWalk {

    private final MapParts parts;
    private final MapMemory memory;
    private final MapDirectory directory;
    private final MapReader reader;
    private final MapWriter writer;
    private final AtomicLong sweep = new AtomicLong();

    MapWalk(MapParts parts, MapReader reader, MapWriter writer) {
        this.parts = parts;
        this.memory = parts.memory();
        this.directory = parts.directory();
        this.reader = reader;
        this.writer = writer;
    }

    long scan(long cursor, OffHeapMap.Visitor visitor) {
        Copy copy = copy(cursor);
        long from = copy.from;
        int large = 0;
        for (int i = 0; i < copy.image.count(); i++) {
            int size = copy.image.dataBytes(i);
            from -= size;
            if (copy.image.isForward(i)) {
                showLarge(copy.largeKeys.get(large++), copy.image.expiry(i), cursor, visitor);
            } else if (!reader.isExpired(copy.image.expiry(i))) {
                int keyBytes = copy.image.keyBytes(i);
                MemorySegment key = copy.data.asSlice(from, keyBytes);
                if (isAhead(MapHash.of(copy.data, from, keyBytes, parts.seed()), cursor)) {
                    visitor.entry(
                            key.asReadOnly(),
                            copy.data.asSlice(from + keyBytes, size - keyBytes).asReadOnly(),
                            copy.image.expiry(i));
                }
            }
        }
        return copy.next;
    }

    /** A group whose entries were copied under the latch. */
    private record Copy(MapImage image, MemorySegment data, long from, List<byte[]> largeKeys, long next) {}

    private Copy copy(long cursor) {
        long group = directory.latch(Long.reverse(cursor));
        try {
            int bits = MapDirectory.bitsOf(group, directory.groups());
            long next = next(cursor, bits);
            long word = directory.block(group);
            if (word == 0) {
                return new Copy(new MapImage(0), MemorySegment.ofArray(new byte[0]), 0, List.of(), next);
            }
            long block = MapBlockSizes.address(word);
            long header = memory.word(block);
            MapImage image = MapImage.of(memory, block, header, 0);
            int dataBytes = MapGroup.dataBytes(header);
            long end = block + MapBlockSizes.sizeOf(word);
            MemorySegment data = MemorySegment.ofArray(new byte[dataBytes]);
            memory.copyOut(end - dataBytes, data, 0, dataBytes);
            List<byte[]> largeKeys = new ArrayList<>();
            long position = end;
            for (int i = 0; i < image.count(); i++) {
                position -= image.dataBytes(i);
                if (image.isForward(i)) {
                    byte[] key = new byte[MapChains.keyBytes(memory, position)];
                    long first = MapChains.first(memory, position);
                    MapChains.copyOut(memory, first, 0, MemorySegment.ofArray(key), 0, key.length);
                    largeKeys.add(key);
                }
            }
            return new Copy(image, data, dataBytes, largeKeys, next);
        } finally {
            directory.unlatchUnchanged(group);
        }
    }

    /** Gets a large value by its key, so that no latch is held and only one of them is on the heap. */
    private void showLarge(byte[] keyBytes, long expiryMillis, long cursor, OffHeapMap.Visitor visitor) {
        MemorySegment key = MemorySegment.ofArray(keyBytes);
        long hash = MapHash.of(key, 0, keyBytes.length, parts.seed());
        if (!isAhead(hash, cursor)) {
            return;
        }
        int size = reader.sizeOf(hash, key, 0, keyBytes.length);
        while (size != OffHeapMap.ABSENT) {
            MemorySegment value = MemorySegment.ofArray(new byte[size]);
            int got = reader.get(hash, key, 0, keyBytes.length, value, 0, size);
            if (got >= OffHeapMap.ABSENT) {
                if (got != OffHeapMap.ABSENT) {
                    visitor.entry(key.asReadOnly(), value.asSlice(0, got).asReadOnly(), expiryMillis);
                }
                return;
            }
            size = MapReader.sizeOfTooLarge(got);
        }
    }

    /** Whether a hash has not been passed; merges bring entries to the cursor's group that have been seen. */
    private static boolean isAhead(long hash, long cursor) {
        return Long.compareUnsigned(Long.reverse(hash), cursor) >= 0;
    }

    /** Takes expired entries out of the next groups. Returns how many. */
    int expire(int maxGroups) {
        int gone = 0;
        long count = Math.min(maxGroups, directory.groups());
        for (long i = 0; i < count; i++) {
            long cursor = sweep.get();
            long groups = directory.groups();
            long group = MapDirectory.groupOf(Long.reverse(cursor), groups);
            long word = directory.block(group);
            // A look without the latch, which most groups need not; a group that changes meanwhile has another turn.
            if (word != 0 && mayHaveExpired(MapBlockSizes.address(word))) {
                gone += writer.removeExpired(group);
            }
            if (directory.groups() == groups) {
                sweep.compareAndSet(cursor, next(cursor, MapDirectory.bitsOf(group, groups)));
            }
        }
        return gone;
    }

    private boolean mayHaveExpired(long block) {
        return MapGroup.hasExpiry(memory.word(block)) && reader.isExpired(MapExpiries.base(memory, block));
    }

    /** Returns the cursor behind a group whose number stands for {@code bits} bits of the hash. */
    private static long next(long cursor, int bits) {
        return ((cursor >>> (64 - bits)) + 1) << (64 - bits);
    }
}
