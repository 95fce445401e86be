package dev.granary.memory.map;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Changes entries. A change latches the group, does everything or nothing, and unlatches it; splitting groups and
 * emptying slabs come afterwards. A chain for a large entry is written before the latch.
 */
final class MapWriter {

    /** What a put did. */
    enum Result {
        INSERTED,
        REPLACED,
        KEPT,
        NO_ROOM,
        GROUP_FULL
    }

    /** When a put changes something. */
    enum Condition {
        ALWAYS,
        ABSENT,
        EXPECTED
    }

    /** How often room is made for a put before the put is refused. */
    private static final int TRIES = 16;

    private final MapMemory memory;
    private final MapDirectory directory;
    private final MapGroups groups;
    private final MapChains chains;
    private final MapReader reader;
    private final MapGrowth growth;
    private final MapCleaner cleaner;
    private final MapCounters counters;
    private final int inlineBytes;
    private final long capacityBytes;

    /** @param inlineBytes key and value of more go into a chain */
    MapWriter(MapParts parts, MapReader reader, MapGrowth growth, MapCleaner cleaner, int inlineBytes) {
        this.memory = parts.memory();
        this.directory = parts.directory();
        this.groups = parts.groups();
        this.chains = parts.chains();
        this.counters = parts.counters();
        this.capacityBytes = parts.capacityBytes();
        this.reader = reader;
        this.growth = growth;
        this.cleaner = cleaner;
        this.inlineBytes = inlineBytes;
    }

    /** @param expected what the value must be, for {@link Condition#EXPECTED} */
    Result put(MapEntry entry, Condition condition, @Nullable MemorySegment expected) {
        boolean chained = entry.payloadBytes() > inlineBytes;
        for (int tries = 0; tries < TRIES; tries++) {
            Result result = chained ? putChained(entry, condition, expected) : putOnce(entry, condition, expected);
            if (result == Result.NO_ROOM) {
                if (!cleaner.makeRoom()) {
                    break;
                }
            } else if (result == Result.GROUP_FULL) {
                if (chained) {
                    break;
                }
                chained = entry.payloadBytes() > MapGroup.FORWARD_BYTES;
            } else {
                return result;
            }
        }
        throw new OffHeapMapException.OutOfMemory(entry.keyBytes(), entry.valueBytes(), capacityBytes);
    }

    private Result putChained(MapEntry entry, Condition condition, @Nullable MemorySegment expected) {
        long first = chains.write(entry);
        if (first == 0) {
            return Result.NO_ROOM;
        }
        boolean taken = false;
        try {
            Result result = putOnce(entry.withChain(first), condition, expected);
            taken = result == Result.INSERTED || result == Result.REPLACED;
            return result;
        } finally {
            // The key or the expected value may have been closed, too.
            freeUnless(taken, first);
        }
    }

    private void freeUnless(boolean taken, long first) {
        if (!taken) {
            chains.free(first);
        }
    }

    private Result putOnce(MapEntry entry, Condition condition, @Nullable MemorySegment expected) {
        long group = directory.latch(entry.hash());
        Result result;
        try {
            result = putLatched(group, entry, condition, expected);
        } finally {
            directory.unlatch(group);
        }
        if (result == Result.INSERTED) {
            growth.afterInsert(group);
        }
        cleaner.step();
        return result;
    }

    private Result putLatched(long group, MapEntry entry, Condition condition, @Nullable MemorySegment expected) {
        long found = find(group, entry.hash(), entry.key(), entry.keyOffset(), entry.keyBytes());
        if (found == MapGroup.NONE) {
            if (condition == Condition.EXPECTED) {
                return Result.KEPT;
            }
            MapGroups.Outcome outcome = groups.append(group, entry);
            if (outcome == MapGroups.Outcome.DONE) {
                counters.add(group, 1, entry.payloadBytes());
            }
            return result(outcome, Result.INSERTED);
        }
        boolean expired = reader.isExpired(expiry(group, found));
        if (condition == Condition.ABSENT && !expired) {
            return Result.KEPT;
        }
        if (condition == Condition.EXPECTED && (expired || !hasValue(group, found, entry, expected))) {
            return Result.KEPT;
        }
        return replace(group, found, entry, expired ? Result.INSERTED : Result.REPLACED);
    }

    private Result replace(long group, long found, MapEntry entry, Result done) {
        long word = directory.block(group);
        long block = MapBlockSizes.address(word);
        long position = block + MapGroup.foundPosition(found);
        boolean wasForward = MapGroup.isForward(found);
        long oldFirst = wasForward ? MapChains.first(memory, position) : 0;
        int oldValueBytes = wasForward ? MapChains.valueBytes(memory, position) : MapGroup.foundValueBytes(found);
        boolean sameSize = !wasForward && entry.firstPiece() == 0 && oldValueBytes == entry.valueBytes();
        if (sameSize) {
            // The old value is overwritten, which must not fail on the way.
            MapEntry own = entry.withOwnBytes();
            if (noteExpiry(block, MapGroup.foundIndex(found), own.expiry())) {
                memory.copyIn(own.value(), own.valueOffset(), position + own.keyBytes(), own.valueBytes());
                return done;
            }
        }
        MapGroups.Outcome outcome = groups.change(group, MapGroup.foundIndex(found), entry);
        if (outcome == MapGroups.Outcome.DONE) {
            counters.add(group, 0, entry.valueBytes() - oldValueBytes);
            chains.free(oldFirst);
        }
        return result(outcome, done);
    }

    /** Removes an entry; false if it was not there or had expired. */
    boolean remove(long hash, MemorySegment key, long keyOffset, int keyBytes) {
        long group = directory.latch(hash);
        boolean there = false;
        long found = MapGroup.NONE;
        try {
            found = find(group, hash, key, keyOffset, keyBytes);
            if (found != MapGroup.NONE) {
                there = !reader.isExpired(expiry(group, found));
                removeAt(group, MapGroup.foundIndex(found));
            }
        } finally {
            directory.unlatch(group);
        }
        if (found != MapGroup.NONE) {
            growth.afterRemove(group);
            cleaner.step();
        }
        return there;
    }

    /** Removes what has expired in a group, or everything. Returns how many entries. */
    int removeExpired(long group) {
        return removeWhere(group, false);
    }

    int removeAll(long group) {
        return removeWhere(group, true);
    }

    private int removeWhere(long group, boolean all) {
        int gone = 0;
        directory.latchGroup(group);
        try {
            long word = directory.block(group);
            if (word == 0) {
                return 0;
            }
            MapImage image = MapImage.of(memory, MapBlockSizes.address(word), header(word), 0);
            // From the end, so that those before keep their numbers; the block may move each time.
            for (int i = image.count() - 1; i >= 0; i--) {
                if (all || reader.isExpired(image.expiry(i))) {
                    removeAt(group, i);
                    gone++;
                }
            }
        } finally {
            directory.unlatch(group);
        }
        if (gone > 0) {
            growth.afterRemove(group);
            cleaner.step();
        }
        return gone;
    }

    private void removeAt(long group, int index) {
        long word = directory.block(group);
        long block = MapBlockSizes.address(word);
        long header = header(word);
        int keyCode = MapGroup.keyCode(memory, block, header, index);
        long position = block + MapBlockSizes.sizeOf(word) - MapGroup.dataBefore(memory, block, header, index + 1);
        boolean forward = keyCode == MapGroup.FORWARD_KEY_CODE;
        long first = forward ? MapChains.first(memory, position) : 0;
        int payload = forward
                ? MapChains.keyBytes(memory, position) + MapChains.valueBytes(memory, position)
                : keyCode - 1 + MapGroup.valueBytes(memory, block, header, index);
        groups.remove(group, index);
        counters.add(group, -1, -payload);
        chains.free(first);
    }

    private long header(long word) {
        return memory.word(MapBlockSizes.address(word));
    }

    /** Changes when an entry expires; false if it is not there. */
    boolean expireAt(long hash, MemorySegment key, long keyOffset, int keyBytes, long expirySeconds) {
        for (int tries = 0; tries < TRIES; tries++) {
            Result result;
            long group = directory.latch(hash);
            try {
                result = expireLatched(group, find(group, hash, key, keyOffset, keyBytes), expirySeconds);
            } finally {
                directory.unlatch(group);
            }
            if (result == Result.REPLACED || result == Result.KEPT) {
                return result == Result.REPLACED;
            }
            if (result == Result.GROUP_FULL || !cleaner.makeRoom()) {
                break;
            }
        }
        throw new OffHeapMapException.OutOfMemory(keyBytes, 0, capacityBytes);
    }

    private Result expireLatched(long group, long found, long expirySeconds) {
        if (found == MapGroup.NONE || reader.isExpired(expiry(group, found))) {
            return Result.KEPT;
        }
        long block = MapBlockSizes.address(directory.block(group));
        int index = MapGroup.foundIndex(found);
        if (noteExpiry(block, index, expirySeconds)) {
            return Result.REPLACED;
        }
        MapImage image = MapImage.of(memory, block, memory.word(block), 0);
        image.setExpiry(index, expirySeconds);
        return result(groups.changeColumns(group, image), Result.REPLACED);
    }

    /** Notes when an entry expires if the columns take it as they are. */
    private boolean noteExpiry(long block, int index, long expirySeconds) {
        long header = memory.word(block);
        if (!MapGroup.hasExpiry(header)) {
            return expirySeconds == OffHeapMap.NEVER;
        }
        long base = memory.number(block + MapGroup.HEADER_BYTES, MapGroup.EXPIRY_BASE_BYTES);
        int width = MapGroup.expiryWidth(header);
        if (!MapGroups.expiryFits(base, width, expirySeconds)) {
            return false;
        }
        long delta = expirySeconds == OffHeapMap.NEVER ? 0 : expirySeconds - base + 1;
        memory.setNumber(block + MapGroup.expiries(header) + (long) index * width, width, delta);
        return true;
    }

    private boolean hasValue(long group, long found, MapEntry entry, @Nullable MemorySegment expected) {
        if (expected == null) {
            return false;
        }
        long position = MapBlockSizes.address(directory.block(group)) + MapGroup.foundPosition(found);
        int size = Math.toIntExact(expected.byteSize());
        return MapGroup.isForward(found)
                ? MapChains.isValue(memory, position, expected, 0, size)
                : MapGroup.foundValueBytes(found) == size
                        && memory.matches(position + entry.keyBytes(), expected, 0, size);
    }

    private long find(long group, long hash, MemorySegment key, long keyOffset, int keyBytes) {
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

    private long expiry(long group, long found) {
        long block = MapBlockSizes.address(directory.block(group));
        return MapGroup.expiry(memory, block, memory.word(block), MapGroup.foundIndex(found));
    }

    private static Result result(MapGroups.Outcome outcome, Result done) {
        return switch (outcome) {
            case DONE -> done;
            case NO_ROOM -> Result.NO_ROOM;
            case GROUP_FULL -> Result.GROUP_FULL;
        };
    }
}
