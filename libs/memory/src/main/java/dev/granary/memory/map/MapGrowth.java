package dev.granary.memory.map;

import java.util.BitSet;
import java.util.concurrent.atomic.AtomicBoolean;

/** Splits groups as entries come and merges them as entries go, one at a time, so that nobody waits for long. */
final class MapGrowth {

    /** More entries than this to a group, on average, let one split. */
    static final int ENTRIES_PER_GROUP = 44;

    /** More bytes of keys and values than this to a group, on average, let one split. */
    static final int PAYLOAD_PER_GROUP = 2560;

    private final MapMemory memory;
    private final MapDirectory directory;
    private final MapSlabs slabs;
    private final MapGroups groups;
    private final MapCounters counters;
    private final MapUses uses;
    private final long seed;
    private final AtomicBoolean busy = new AtomicBoolean();

    MapGrowth(MapParts parts) {
        this.memory = parts.memory();
        this.directory = parts.directory();
        this.slabs = parts.slabs();
        this.groups = parts.groups();
        this.counters = parts.counters();
        this.uses = parts.uses();
        this.seed = parts.seed();
    }

    /** Splits a group if the groups like this one have too much. */
    void afterInsert(long group) {
        long alike = directory.groups() / MapDirectory.MIN_GROUPS;
        boolean crowded = counters.entriesLike(group) > alike * ENTRIES_PER_GROUP
                || counters.payloadBytesLike(group) > alike * PAYLOAD_PER_GROUP;
        if (crowded && busy.compareAndSet(false, true)) {
            try {
                split();
            } finally {
                busy.set(false);
            }
        }
    }

    /** Merges two groups if the groups like this one have far too little. */
    void afterRemove(long group) {
        long count = directory.groups();
        long third = count / MapDirectory.MIN_GROUPS / 3;
        boolean sparse = count > MapDirectory.MIN_GROUPS
                && counters.entriesLike(group) < third * ENTRIES_PER_GROUP
                && counters.payloadBytesLike(group) < third * PAYLOAD_PER_GROUP;
        if (sparse && busy.compareAndSet(false, true)) {
            try {
                merge();
            } finally {
                busy.set(false);
            }
        }
    }

    private void split() {
        long count = directory.groups();
        if (count == directory.maxGroups()) {
            return;
        }
        long old = count - Long.highestOneBit(count);
        directory.latchGroup(old);
        directory.latchGroup(count);
        try {
            if (divide(old, count)) {
                directory.setGroups(count + 1);
            }
        } finally {
            directory.unlatch(count);
            directory.unlatch(old);
        }
    }

    /** Gives the new group what belongs to it of the old one. Without room for that both stay as they are. */
    private boolean divide(long old, long fresh) {
        long word = directory.block(old);
        if (word == 0) {
            return true;
        }
        long header = memory.word(MapBlockSizes.address(word));
        MapImage image = MapImage.of(memory, MapBlockSizes.address(word), header, 0);
        MapImage stay = new MapImage(image.count());
        MapImage go = new MapImage(image.count());
        long[] stayFrom = new long[image.count()];
        long[] goFrom = new long[image.count()];
        BitSet stayUsed = new BitSet();
        BitSet goUsed = new BitSet();
        long from = MapBlockSizes.address(word) + MapBlockSizes.sizeOf(word);
        for (int i = 0; i < image.count(); i++) {
            from -= image.dataBytes(i);
            if (MapDirectory.groupOf(hash(image, i, from), fresh + 1) == old) {
                stayFrom[stay.count()] = from;
                stayUsed.set(stay.count(), uses.isMarked(old, i));
                stay.add(image, i);
            } else {
                goFrom[go.count()] = from;
                goUsed.set(go.count(), uses.isMarked(old, i));
                go.add(image, i);
            }
        }
        if (go.count() == 0) {
            return true;
        }
        if (stay.count() == 0) {
            directory.setBlock(fresh, word);
            directory.setBlock(old, 0);
            mark(fresh, goUsed);
            mark(old, stayUsed);
            return true;
        }
        long goWord = groups.make(go, goFrom);
        if (goWord == 0) {
            return false;
        }
        long stayWord = groups.make(stay, stayFrom);
        if (stayWord == 0) {
            slabs.free(goWord);
            return false;
        }
        directory.setBlock(fresh, goWord);
        directory.setBlock(old, stayWord);
        mark(fresh, goUsed);
        mark(old, stayUsed);
        slabs.free(word);
        return true;
    }

    /** Hands begin at the first entry again. */
    private void mark(long group, BitSet used) {
        uses.reset(group);
        used.stream().forEach(index -> uses.mark(group, index));
    }

    private void merge() {
        long last = directory.groups() - 1;
        long kept = last - Long.highestOneBit(last);
        directory.latchGroup(kept);
        directory.latchGroup(last);
        try {
            if (unite(kept, last)) {
                directory.setGroups(last);
            }
        } finally {
            directory.unlatch(last);
            directory.unlatch(kept);
        }
    }

    private boolean unite(long kept, long last) {
        long keptWord = directory.block(kept);
        long lastWord = directory.block(last);
        if (lastWord == 0) {
            return true;
        }
        if (keptWord == 0) {
            directory.setBlock(kept, lastWord);
            directory.setBlock(last, 0);
            mark(kept, used(last, 0, MapGroup.entries(memory.word(MapBlockSizes.address(lastWord)))));
            uses.reset(last);
            return true;
        }
        int keptEntries = MapGroup.entries(memory.word(MapBlockSizes.address(keptWord)));
        int entries = keptEntries + MapGroup.entries(memory.word(MapBlockSizes.address(lastWord)));
        if (entries > MapGroup.MAX_ENTRIES) {
            return false;
        }
        MapImage both = new MapImage(entries);
        long[] from = new long[entries];
        addAll(both, from, keptWord);
        addAll(both, from, lastWord);
        long word = groups.make(both, from);
        if (word == 0) {
            return false;
        }
        directory.setBlock(kept, word);
        directory.setBlock(last, 0);
        BitSet used = used(kept, 0, keptEntries);
        used.or(used(last, keptEntries, entries - keptEntries));
        mark(kept, used);
        uses.reset(last);
        slabs.free(keptWord);
        slabs.free(lastWord);
        return true;
    }

    /** Which entries of a group were got, counted from a first on. */
    private BitSet used(long group, int first, int entries) {
        BitSet used = new BitSet();
        for (int i = 0; i < entries; i++) {
            used.set(first + i, uses.isMarked(group, i));
        }
        return used;
    }

    private void addAll(MapImage to, long[] from, long word) {
        long block = MapBlockSizes.address(word);
        MapImage image = MapImage.of(memory, block, memory.word(block), 0);
        long data = block + MapBlockSizes.sizeOf(word);
        for (int i = 0; i < image.count(); i++) {
            data -= image.dataBytes(i);
            from[to.count()] = data;
            to.add(image, i);
        }
    }

    private long hash(MapImage image, int index, long data) {
        return image.isForward(index)
                ? MapChains.hash(memory, MapChains.first(memory, data))
                : memory.hash(data, image.keyBytes(index), seed);
    }
}
