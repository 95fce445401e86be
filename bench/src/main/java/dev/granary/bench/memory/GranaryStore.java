package dev.granary.bench.memory;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.paged.ChunkMemories;

/** Embedded chunk memory. */
final class GranaryStore implements BenchStore {

    private static final int NID = 1;

    private final ChunkMemory memory;
    private final KeyBook book;

    GranaryStore(ChunkMemory memory, long objects) {
        this.memory = memory;
        this.book = new KeyBook(objects);
    }

    /**
     * Opens memories of a layout.
     *
     * @param capacityBytes their size; 0 for the expected need of the objects
     */
    static Factory factory(Layout layout, long capacityBytes) {
        return new Factory() {
            @Override
            public String store() {
                return "granary";
            }

            @Override
            public String layout() {
                return layout.toString();
            }

            @Override
            public BenchStore open(long chunks, SizePattern sizes) {
                long capacity =
                        capacityBytes > 0 ? capacityBytes : layout.capacityBytes(chunks, sizes.bytesBefore(chunks));
                return new GranaryStore(openMemory(layout, capacity), chunks);
            }
        };
    }

    /** Opens an empty memory that may give all LIDs. */
    static ChunkMemory openMemory(Layout layout, long capacityBytes) {
        ChunkMemory memory = ChunkMemories.open(layout.apply(ChunkMemoryConfig.of(NID, capacityBytes)));
        memory.reserveLids(ChunkMemory.MAX_LID + 1);
        return memory;
    }

    ChunkMemory memory() {
        return memory;
    }

    /** Notes the new CID of an object. */
    void moved(long index, long cid) {
        book.set(index, cid);
    }

    @Override
    public void insert(long index, Scratch payload, int sizeBytes) {
        book.set(index, memory.create(payload.segment(), 0, sizeBytes));
    }

    @Override
    public long keyOf(long index) {
        return book.keyOf(index);
    }

    @Override
    public int get(long key, Scratch target) {
        return memory.get(key, target.segment(), 0, target.bytes().length);
    }

    @Override
    public boolean put(long key, Scratch payload, int sizeBytes) {
        return memory.put(key, payload.segment(), 0, sizeBytes);
    }

    @Override
    public long overheadBytes() {
        return overheadBytes(memory);
    }

    /** All bytes in use, on and off the heap, without the payload. */
    static long overheadBytes(ChunkMemory memory) {
        MemoryStatistics figures = memory.statistics();
        return figures.committedBytes() + figures.heapBytes() - figures.payloadBytes();
    }

    @Override
    public long measuringBytes() {
        return book.offHeapBytes();
    }

    @Override
    public void close() {
        memory.close();
        book.close();
    }
}
