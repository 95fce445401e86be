package dev.granary.memory.map;

/**
 * Changes groups, in place where the bytes fit, else in a block of another size. Everything under the latch of the
 * group; a change that finds no room has changed nothing.
 */
final class MapGroups {

    /** How a change went. */
    enum Outcome {
        DONE,
        NO_ROOM,
        GROUP_FULL
    }

    /** A block that exceeds what is needed by this much is replaced by a smaller one when an entry goes. */
    private static final int TOO_LARGE_BYTES = 2 * MapBlockSizes.UNIT_BYTES;

    private final MapMemory memory;
    private final MapDirectory directory;
    private final MapSlabs slabs;
    private final MapUses uses;
    private final int maxBlockBytes;

    MapGroups(MapMemory memory, MapDirectory directory, MapSlabs slabs, MapUses uses, int maxBlockBytes) {
        this.memory = memory;
        this.directory = directory;
        this.slabs = slabs;
        this.uses = uses;
        this.maxBlockBytes = maxBlockBytes;
    }

    /** Adds an entry whose key is not there. */
    Outcome append(long group, MapEntry entry) {
        long word = directory.block(group);
        if (word == 0) {
            return change(group, -1, entry);
        }
        long block = MapBlockSizes.address(word);
        long header = memory.word(block);
        if (!columnsTake(block, header, entry)) {
            return change(group, -1, entry);
        }
        int size = MapBlockSizes.sizeOf(word);
        long newHeader = MapGroup.plusEntry(header, entry.dataBytes());
        int needed = MapGroup.columnsEnd(newHeader) + MapGroup.dataBytes(newHeader);
        if (needed <= size) {
            insert(block, block, size, header, newHeader, entry);
            uses.added(group, MapGroup.entries(header));
            return Outcome.DONE;
        }
        if (needed > maxBlockBytes) {
            return Outcome.GROUP_FULL;
        }
        long newWord = slabs.allocate(MapBlockSizes.classFor(needed));
        if (newWord == 0) {
            return Outcome.NO_ROOM;
        }
        long newBlock = MapBlockSizes.address(newWord);
        int newSize = MapBlockSizes.sizeOf(newWord);
        int data = MapGroup.dataBytes(header);
        memory.move(block + size - data, newBlock + newSize - data, data);
        boolean written = false;
        try {
            insert(block, newBlock, newSize, header, newHeader, entry);
            written = true;
        } finally {
            freeUnless(written, newWord);
        }
        directory.setBlock(group, newWord);
        slabs.free(word);
        uses.added(group, MapGroup.entries(header));
        return Outcome.DONE;
    }

    /** Others may close a value while it is read: then the new block is not needed. */
    private void freeUnless(boolean written, long newWord) {
        if (!written) {
            slabs.free(newWord);
        }
    }

    /** Takes an entry away; the columns stay as wide as they are. This needs no room. */
    void remove(long group, int index) {
        long word = directory.block(group);
        long block = MapBlockSizes.address(word);
        int size = MapBlockSizes.sizeOf(word);
        long header = memory.word(block);
        int entries = MapGroup.entries(header);
        uses.removed(group, index);
        if (entries == 1) {
            directory.setBlock(group, 0);
            slabs.free(word);
            return;
        }
        int before = MapGroup.dataBefore(memory, block, header, index);
        int gone = MapGroup.dataBefore(memory, block, header, index + 1) - before;
        long newHeader = MapGroup.minusEntry(header, gone);
        // From the first to the last, since each moves down.
        close(block + MapGroup.fingerprints(header), block + MapGroup.fingerprints(newHeader), 1, entries, index);
        close(
                block + MapGroup.keyCodes(header),
                block + MapGroup.keyCodes(newHeader),
                MapGroup.keyWidth(header),
                entries,
                index);
        close(
                block + MapGroup.valueLengths(header),
                block + MapGroup.valueLengths(newHeader),
                MapGroup.valueWidth(header),
                entries,
                index);
        close(
                block + MapGroup.expiries(header),
                block + MapGroup.expiries(newHeader),
                MapGroup.expiryWidth(header),
                entries,
                index);
        int data = MapGroup.dataBytes(header);
        memory.move(block + size - data, block + size - data + gone, data - before - gone);
        memory.setWord(block, newHeader);
        refit(group, word, newHeader);
    }

    /** Moves a column without one of its entries. */
    private void close(long from, long to, int width, int entries, int index) {
        memory.move(from, to, index * width);
        memory.move(from + (long) (index + 1) * width, to + (long) index * width, (entries - index - 1) * width);
    }

    /** Moves a group to a smaller block if that is much smaller and there is room. */
    private void refit(long group, long word, long header) {
        int columns = MapGroup.columnsEnd(header);
        int data = MapGroup.dataBytes(header);
        long newWord = place(word, columns + data);
        if (newWord != word) {
            long block = MapBlockSizes.address(word);
            long newBlock = MapBlockSizes.address(newWord);
            memory.move(block, newBlock, columns);
            memory.move(
                    block + MapBlockSizes.sizeOf(word) - data, newBlock + MapBlockSizes.sizeOf(newWord) - data, data);
            directory.setBlock(group, newWord);
            slabs.free(word);
        }
    }

    /**
     * Adds an entry, which may replace another one, and chooses the widths of the columns again.
     *
     * @param removed the index of the entry that is replaced, or -1
     */
    Outcome change(long group, int removed, MapEntry added) {
        long word = directory.block(group);
        long header = word == 0 ? 0 : memory.word(MapBlockSizes.address(word));
        MapImage image = MapImage.of(memory, MapBlockSizes.address(word), header, 1);
        int before = 0;
        int gone = 0;
        if (removed >= 0) {
            before = MapGroup.dataBefore(memory, MapBlockSizes.address(word), header, removed);
            gone = image.dataBytes(removed);
            image.remove(removed);
        }
        image.add(added);
        long newHeader = image.header();
        int needed = MapGroup.columnsEnd(newHeader) + MapGroup.dataBytes(newHeader);
        if (needed > maxBlockBytes || image.count() > MapGroup.MAX_ENTRIES) {
            return Outcome.GROUP_FULL;
        }
        long newWord = place(word, needed);
        if (newWord == 0) {
            return Outcome.NO_ROOM;
        }
        long newBlock = MapBlockSizes.address(newWord);
        long newEnd = newBlock + MapBlockSizes.sizeOf(newWord);
        // Where it stays in its block, what lies there is moved before the entry is written, which must not fail then.
        MapEntry entry = newWord == word ? added.withOwnBytes() : added;
        if (word != 0) {
            long end = MapBlockSizes.address(word) + MapBlockSizes.sizeOf(word);
            int after = MapGroup.dataBytes(header) - before - gone;
            if (newWord != word) {
                memory.move(end - before, newEnd - before, before);
            }
            memory.move(end - before - gone - after, newEnd - before - after, after);
        }
        boolean written = false;
        try {
            entry.writeData(memory, newEnd - MapGroup.dataBytes(newHeader));
            written = true;
        } finally {
            freeUnless(written || newWord == word, newWord);
        }
        image.writeColumns(memory, newBlock, newHeader);
        directory.setBlock(group, newWord);
        if (word != 0 && newWord != word) {
            slabs.free(word);
        }
        noteUse(group, removed, image.count() - 1);
        return Outcome.DONE;
    }

    /** An entry with another value is at the end now, and was used just now. */
    private void noteUse(long group, int removed, int last) {
        if (removed >= 0) {
            uses.removed(group, removed);
        }
        uses.added(group, last);
        if (removed >= 0) {
            uses.mark(group, last);
        }
    }

    /**
     * Writes other columns over those of a group whose entries stay the same but for their expiries.
     *
     * @param image of this group
     */
    Outcome changeColumns(long group, MapImage image) {
        long word = directory.block(group);
        long newHeader = image.header();
        int data = MapGroup.dataBytes(newHeader);
        int needed = MapGroup.columnsEnd(newHeader) + data;
        if (needed > maxBlockBytes) {
            return Outcome.GROUP_FULL;
        }
        long newWord = place(word, needed);
        if (newWord == 0) {
            return Outcome.NO_ROOM;
        }
        long newBlock = MapBlockSizes.address(newWord);
        if (newWord != word) {
            long end = MapBlockSizes.address(word) + MapBlockSizes.sizeOf(word);
            memory.move(end - data, newBlock + MapBlockSizes.sizeOf(newWord) - data, data);
        }
        image.writeColumns(memory, newBlock, newHeader);
        if (newWord != word) {
            directory.setBlock(group, newWord);
            slabs.free(word);
        }
        return Outcome.DONE;
    }

    /**
     * Makes a block of entries of other blocks.
     *
     * @param image the entries
     * @param from for each entry the address of its data
     * @return the block's word; 0 if there is no room or it would be too large; {@code image} must not be empty
     */
    long make(MapImage image, long[] from) {
        long header = image.header();
        int needed = MapGroup.columnsEnd(header) + MapGroup.dataBytes(header);
        if (needed > maxBlockBytes) {
            return 0;
        }
        long word = slabs.allocate(MapBlockSizes.classFor(needed));
        if (word == 0) {
            return 0;
        }
        long block = MapBlockSizes.address(word);
        long to = block + MapBlockSizes.sizeOf(word);
        for (int i = 0; i < image.count(); i++) {
            int size = image.dataBytes(i);
            to -= size;
            memory.move(from[i], to, size);
        }
        image.writeColumns(memory, block, header);
        return word;
    }

    /** The present block if it fits and is not much too large, else a new one; 0 if there is no room. */
    private long place(long word, int needed) {
        int size = word == 0 ? 0 : MapBlockSizes.sizeOf(word);
        int sizeClass = MapBlockSizes.classFor(needed);
        if (needed <= size && size - MapBlockSizes.sizeBytes(sizeClass) < TOO_LARGE_BYTES) {
            return word;
        }
        long newWord = slabs.allocate(sizeClass);
        return newWord == 0 && needed <= size ? word : newWord;
    }

    /** Whether the columns' bases and widths do for one entry more. */
    private boolean columnsTake(long block, long header, MapEntry entry) {
        if (MapGroup.entries(header) == MapGroup.MAX_ENTRIES
                || !fits(entry.keyCode() - MapGroup.keyBase(header), MapGroup.keyWidth(header))
                || !fits(entry.notedValueBytes() - MapGroup.valueBase(header), MapGroup.valueWidth(header))) {
            return false;
        }
        return MapExpiries.fits(memory, block, header, entry.expiry());
    }

    private static boolean fits(long delta, int width) {
        return delta >= 0 && delta >>> (8 * width) == 0;
    }

    /**
     * Adds an entry in front of the data, which is in its place, and copies the columns with a gap at the end of each.
     */
    private void insert(long from, long to, int toSize, long header, long newHeader, MapEntry entry) {
        // First, to where nothing is yet: if the value cannot be read, nothing has changed.
        entry.writeData(memory, to + toSize - MapGroup.dataBytes(newHeader));
        int entries = MapGroup.entries(header);
        int keyWidth = MapGroup.keyWidth(header);
        int valueWidth = MapGroup.valueWidth(header);
        int expiryWidth = MapGroup.expiryWidth(header);
        // From the last to the first, since each moves up.
        memory.move(from + MapGroup.expiries(header), to + MapGroup.expiries(newHeader), entries * expiryWidth);
        memory.move(from + MapGroup.valueLengths(header), to + MapGroup.valueLengths(newHeader), entries * valueWidth);
        memory.move(from + MapGroup.keyCodes(header), to + MapGroup.keyCodes(newHeader), entries * keyWidth);
        if (from != to) {
            int front = MapGroup.fingerprints(header);
            memory.move(from, to, front + entries);
        }
        memory.setNumber(to + MapGroup.fingerprints(newHeader) + entries, 1, MapHash.fingerprint(entry.hash()));
        memory.setNumber(
                to + MapGroup.keyCodes(newHeader) + (long) entries * keyWidth,
                keyWidth,
                entry.keyCode() - MapGroup.keyBase(header));
        memory.setNumber(
                to + MapGroup.valueLengths(newHeader) + (long) entries * valueWidth,
                valueWidth,
                entry.notedValueBytes() - MapGroup.valueBase(header));
        MapExpiries.set(memory, to, newHeader, entries, entry.expiry());
        memory.setWord(to, newHeader);
    }
}
