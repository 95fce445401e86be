package dev.granary.memory.map;

/** The words of {@link MapSlabs}' table. Those of a slab under the lock of its class, or of the free slabs. */
final class MapSlabTable {

    /** Instead of a slab. */
    static final int NONE = -1;

    private static final int LINKS = 8;
    private static final int COUNTS = 16;

    private final MapMemory memory;
    private final long start;

    MapSlabTable(MapMemory memory, long start) {
        this.memory = memory;
        this.start = start;
    }

    /** Makes a free slab one of a class, without blocks, in no list. */
    void begin(int slab, int sizeClass) {
        setFirstFree(slab, 0);
        memory.setWord(entry(slab) + LINKS, -1);
        memory.setWord(entry(slab) + COUNTS, sizeClass + 1);
    }

    /** Makes a slab free. */
    void clear(int slab) {
        setFirstFree(slab, 0);
        memory.setWord(entry(slab) + COUNTS, 0);
    }

    /** The class of a slab, or {@link #NONE} if it is free. */
    int sizeClass(int slab) {
        return (int) memory.number(entry(slab) + COUNTS, 2) - 1;
    }

    int live(int slab) {
        return (int) memory.number(entry(slab) + COUNTS + 2, 2);
    }

    void setLive(int slab, int live) {
        memory.setNumber(entry(slab) + COUNTS + 2, 2, live);
    }

    /** How many blocks have been cut off from its start so far. */
    int cut(int slab) {
        return (int) memory.number(entry(slab) + COUNTS + 4, 2);
    }

    void setCut(int slab, int cut) {
        memory.setNumber(entry(slab) + COUNTS + 4, 2, cut);
    }

    /** Address of the first free block among those cut off, or 0. */
    long firstFree(int slab) {
        return memory.word(entry(slab));
    }

    void setFirstFree(int slab, long block) {
        memory.setWord(entry(slab), block);
    }

    int next(int slab) {
        return (int) memory.number(entry(slab) + LINKS, 4);
    }

    void setNext(int slab, int next) {
        memory.setNumber(entry(slab) + LINKS, 4, next);
    }

    int previous(int slab) {
        return (int) memory.number(entry(slab) + LINKS + 4, 4);
    }

    void setPrevious(int slab, int previous) {
        memory.setNumber(entry(slab) + LINKS + 4, 4, previous);
    }

    private long entry(int slab) {
        return start + (long) slab * MapSlabs.TABLE_ENTRY_BYTES;
    }
}
