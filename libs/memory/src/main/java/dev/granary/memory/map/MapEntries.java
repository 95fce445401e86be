package dev.granary.memory.map;

import dev.granary.memory.map.OffHeapMapListener.Change;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Changes single entries of a group whose latch the caller holds: the group, the chains of large entries and the
 * counters together, wholly or not at all. Tells the listener.
 */
final class MapEntries {

    private final MapMemory memory;
    private final MapDirectory directory;
    private final MapGroups groups;
    private final MapChains chains;
    private final MapCounters counters;
    private final MapUses uses;
    private final MapReader reader;
    private final @Nullable OffHeapMapListener listener;

    MapEntries(MapParts parts, MapReader reader) {
        this.memory = parts.memory();
        this.directory = parts.directory();
        this.groups = parts.groups();
        this.chains = parts.chains();
        this.counters = parts.counters();
        this.uses = parts.uses();
        this.listener = parts.listener();
        this.reader = reader;
    }

    /** Returns an entry for the {@code found...} methods of {@link MapGroup}, or {@link MapGroup#NONE}. */
    long find(long group, long hash, MemorySegment key, long keyOffset, int keyBytes) {
        long word = directory.block(group);
        if (word == 0) {
            return MapGroup.NONE;
        }
        long block = MapBlockSizes.address(word);
        long found = MapGroup.find(
                memory, block, MapBlockSizes.sizeOf(word), memory.word(block), hash, key, keyOffset, keyBytes);
        if (found == MapGroup.TORN) {
            throw new IllegalStateException("a group of the off-heap map is damaged");
        }
        return found;
    }

    /** Whether a found entry has expired. */
    boolean isExpired(long group, long found) {
        long block = MapBlockSizes.address(directory.block(group));
        return reader.isExpired(MapExpiries.get(memory, block, memory.word(block), MapGroup.foundIndex(found)));
    }

    /** Whether the value of a found entry is this one. */
    boolean hasValue(long group, long found, int keyBytes, MemorySegment expected) {
        long position = MapBlockSizes.address(directory.block(group)) + MapGroup.foundPosition(found);
        int size = Math.toIntExact(expected.byteSize());
        return MapGroup.isForward(found)
                ? MapChains.isValue(memory, position, expected, 0, size)
                : MapGroup.foundValueBytes(found) == size && memory.matches(position + keyBytes, expected, 0, size);
    }

    /**
     * Adds an entry or replaces it. Takes the entry's chain, which is the group's afterwards or free again.
     *
     * @param found what is there under the key, expired or not, or {@link MapGroup#NONE}
     */
    MapGroups.Outcome put(long group, long found, MapEntry entry) {
        boolean inPlace = false;
        boolean done = false;
        try {
            inPlace = found != MapGroup.NONE && overwrite(group, found, entry);
            MapGroups.Outcome outcome = inPlace ? MapGroups.Outcome.DONE : rearrange(group, found, entry);
            done = outcome == MapGroups.Outcome.DONE;
            if (!done) {
                return outcome;
            }
        } finally {
            freeUnless(done, entry.firstPiece());
        }
        tell(Change.PUT, group, inPlace ? MapGroup.foundIndex(found) : lastIndex(group));
        return MapGroups.Outcome.DONE;
    }

    /** Writes a value of the same size over the old one, if the columns take the expiry as they are. */
    private boolean overwrite(long group, long found, MapEntry entry) {
        boolean sameSize = !MapGroup.isForward(found)
                && entry.firstPiece() == 0
                && MapGroup.foundValueBytes(found) == entry.valueBytes();
        if (!sameSize) {
            return false;
        }
        // The old value goes, so reading the new one must not fail on the way.
        MapEntry own = entry.withOwnBytes();
        long block = MapBlockSizes.address(directory.block(group));
        if (!noteExpiry(block, MapGroup.foundIndex(found), own.expiry())) {
            return false;
        }
        long value = block + MapGroup.foundPosition(found) + own.keyBytes();
        memory.copyIn(own.value(), own.valueOffset(), value, own.valueBytes());
        uses.mark(group, MapGroup.foundIndex(found));
        return true;
    }

    private MapGroups.Outcome rearrange(long group, long found, MapEntry entry) {
        if (found == MapGroup.NONE) {
            MapGroups.Outcome outcome = groups.append(group, entry);
            if (outcome == MapGroups.Outcome.DONE) {
                counters.add(group, 1, entry.payloadBytes());
            }
            return outcome;
        }
        long position = MapBlockSizes.address(directory.block(group)) + MapGroup.foundPosition(found);
        boolean wasForward = MapGroup.isForward(found);
        long oldFirst = wasForward ? MapChains.first(memory, position) : 0;
        int oldValueBytes = wasForward ? MapChains.valueBytes(memory, position) : MapGroup.foundValueBytes(found);
        MapGroups.Outcome outcome = groups.change(group, MapGroup.foundIndex(found), entry);
        if (outcome == MapGroups.Outcome.DONE) {
            counters.add(group, 0, entry.valueBytes() - oldValueBytes);
            chains.free(oldFirst);
        }
        return outcome;
    }

    private void freeUnless(boolean taken, long first) {
        if (!taken) {
            chains.free(first);
        }
    }

    /** Changes when an entry expires. */
    MapGroups.Outcome expireAt(long group, int index, long expiryMillis) {
        long block = MapBlockSizes.address(directory.block(group));
        if (!noteExpiry(block, index, expiryMillis)) {
            MapImage image = MapImage.of(memory, block, memory.word(block), 0);
            image.setExpiry(index, expiryMillis);
            MapGroups.Outcome outcome = groups.changeColumns(group, image);
            if (outcome != MapGroups.Outcome.DONE) {
                return outcome;
            }
        }
        tell(Change.EXPIRY, group, index);
        return MapGroups.Outcome.DONE;
    }

    /** Notes when an entry expires if the columns take it as they are. */
    private boolean noteExpiry(long block, int index, long expiryMillis) {
        long header = memory.word(block);
        boolean fits = MapExpiries.fits(memory, block, header, expiryMillis);
        if (fits) {
            MapExpiries.set(memory, block, header, index, expiryMillis);
        }
        return fits;
    }

    /** Removes an entry. This needs no room. */
    void remove(long group, int index, Change why) {
        tell(why, group, index);
        long word = directory.block(group);
        long block = MapBlockSizes.address(word);
        long header = memory.word(block);
        int keyCode = MapGroup.keyCode(memory, block, header, index);
        long position = position(word, header, index);
        boolean forward = keyCode == MapGroup.FORWARD_KEY_CODE;
        long first = forward ? MapChains.first(memory, position) : 0;
        int payload = forward
                ? MapChains.keyBytes(memory, position) + MapChains.valueBytes(memory, position)
                : keyCode - 1 + MapGroup.valueBytes(memory, block, header, index);
        groups.remove(group, index);
        counters.add(group, -1, -payload);
        chains.free(first);
    }

    /** An entry to be looked at while the latch is held; whoever asked ends the view. */
    OffHeapMapView view(long group, int index) {
        long word = directory.block(group);
        long block = MapBlockSizes.address(word);
        long header = memory.word(block);
        int keyCode = MapGroup.keyCode(memory, block, header, index);
        long position = position(word, header, index);
        long expiry = MapExpiries.get(memory, block, header, index);
        if (keyCode == MapGroup.FORWARD_KEY_CODE) {
            int keyBytes = MapChains.keyBytes(memory, position);
            int valueBytes = MapChains.valueBytes(memory, position);
            long first = MapChains.first(memory, position);
            return new OffHeapMapView(memory, true, first, keyBytes, valueBytes, expiry);
        }
        int valueBytes = MapGroup.valueBytes(memory, block, header, index);
        return new OffHeapMapView(memory, false, position, keyCode - 1, valueBytes, expiry);
    }

    private void tell(Change change, long group, int index) {
        if (listener == null) {
            return;
        }
        OffHeapMapView entry = view(group, index);
        try {
            listener.changed(change, entry);
        } finally {
            entry.end();
        }
    }

    private int lastIndex(long group) {
        return MapGroup.entries(memory.word(MapBlockSizes.address(directory.block(group)))) - 1;
    }

    /** Where an entry's data begins. */
    private long position(long word, long header, int index) {
        long block = MapBlockSizes.address(word);
        return block + MapBlockSizes.sizeOf(word) - MapGroup.dataBefore(memory, block, header, index + 1);
    }
}
