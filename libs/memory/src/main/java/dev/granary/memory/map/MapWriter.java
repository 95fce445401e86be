package dev.granary.memory.map;

import dev.granary.memory.map.OffHeapMapListener.Change;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Changes entries by what callers ask for beforehand. A change latches the group, does everything or nothing, and
 * unlatches it; splitting groups and emptying slabs come afterwards. Evicting comes before, and so does the chain of a
 * large entry.
 */
final class MapWriter {

    /** What a change did. */
    enum Result {
        INSERTED,
        REPLACED,
        REMOVED,
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

    /** How often room is made for a change before the change is refused. */
    static final int TRIES = 16;

    private final MapMemory memory;
    private final MapDirectory directory;
    private final MapChains chains;
    private final MapEntries entries;
    private final MapReader reader;
    private final MapGrowth growth;
    private final MapCleaner cleaner;
    private final MapEvictor evictor;
    private final int inlineBytes;

    /** @param inlineBytes key and value of more go into a chain */
    MapWriter(
            MapParts parts,
            MapReader reader,
            MapEntries entries,
            MapGrowth growth,
            MapCleaner cleaner,
            MapEvictor evictor,
            int inlineBytes) {
        this.memory = parts.memory();
        this.directory = parts.directory();
        this.chains = parts.chains();
        this.reader = reader;
        this.entries = entries;
        this.growth = growth;
        this.cleaner = cleaner;
        this.evictor = evictor;
        this.inlineBytes = inlineBytes;
    }

    /** @param expected what the value must be, for {@link Condition#EXPECTED} */
    Result put(MapEntry entry, Condition condition, @Nullable MemorySegment expected) {
        boolean chained = entry.payloadBytes() > inlineBytes;
        for (int tries = 0; tries < TRIES && evictor.makeWay(entry.payloadBytes()); tries++) {
            Result result = chained ? putChained(entry, condition, expected) : putOnce(entry, condition, expected);
            if (result == Result.NO_ROOM) {
                if (!cleaner.makeRoom() && !evictor.shrink()) {
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
        throw new OffHeapMapException.OutOfMemory(entry.keyBytes(), entry.valueBytes(), evictor.roomBytes());
    }

    private Result putChained(MapEntry entry, Condition condition, @Nullable MemorySegment expected) {
        long first = chains.write(entry);
        return first == 0 ? Result.NO_ROOM : putOnce(entry.withChain(first), condition, expected);
    }

    /** Takes the entry's chain, which is the map's afterwards or free again. */
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
        boolean wanted = false;
        boolean there;
        long found;
        try {
            found = entries.find(group, entry.hash(), entry.key(), entry.keyOffset(), entry.keyBytes());
            there = found != MapGroup.NONE && !entries.isExpired(group, found);
            wanted = switch (condition) {
                case ALWAYS -> true;
                case ABSENT -> !there;
                case EXPECTED ->
                    there && expected != null && entries.hasValue(group, found, entry.keyBytes(), expected);
            };
            if (!wanted) {
                return Result.KEPT;
            }
        } finally {
            // The key or the expected value may be closed.
            freeUnless(wanted, entry.firstPiece());
        }
        return result(entries.put(group, found, entry), there ? Result.REPLACED : Result.INSERTED);
    }

    private void freeUnless(boolean wanted, long first) {
        if (!wanted) {
            chains.free(first);
        }
    }

    /** Removes an entry; false if it was not there or had expired. */
    boolean remove(long hash, MemorySegment key, long keyOffset, int keyBytes) {
        long group = directory.latch(hash);
        boolean there = false;
        long found = MapGroup.NONE;
        try {
            found = entries.find(group, hash, key, keyOffset, keyBytes);
            if (found != MapGroup.NONE) {
                there = !entries.isExpired(group, found);
                entries.remove(group, MapGroup.foundIndex(found), there ? Change.REMOVED : Change.EXPIRED);
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
            long block = MapBlockSizes.address(word);
            MapImage image = MapImage.of(memory, block, memory.word(block), 0);
            // From the end, so that those before keep their numbers; the block may move each time.
            for (int i = image.count() - 1; i >= 0; i--) {
                boolean expired = reader.isExpired(image.expiry(i));
                if (all || expired) {
                    entries.remove(group, i, expired ? Change.EXPIRED : Change.REMOVED);
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

    /** Changes when an entry expires; false if it is not there. */
    boolean expireAt(long hash, MemorySegment key, long keyOffset, int keyBytes, long expiryMillis) {
        for (int tries = 0; tries < TRIES; tries++) {
            Result result;
            long group = directory.latch(hash);
            try {
                long found = entries.find(group, hash, key, keyOffset, keyBytes);
                result = found == MapGroup.NONE || entries.isExpired(group, found)
                        ? Result.KEPT
                        : result(entries.expireAt(group, MapGroup.foundIndex(found), expiryMillis), Result.REPLACED);
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
        throw new OffHeapMapException.OutOfMemory(keyBytes, 0, evictor.roomBytes());
    }

    static Result result(MapGroups.Outcome outcome, Result done) {
        return switch (outcome) {
            case DONE -> done;
            case NO_ROOM -> Result.NO_ROOM;
            case GROUP_FULL -> Result.GROUP_FULL;
        };
    }
}
