package dev.granary.cli.graph;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import dev.granary.serialization.SegmentExporter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The chunk memories of a few storage peers in this process: real memories without a network. */
final class MemoryChunkStore implements ChunkStore, AutoCloseable {

    private static final int[] NIDS = {0x8000, 0x4000, 0xC000};

    private final Map<Integer, ChunkMemory> memories = new LinkedHashMap<>();

    MemoryChunkStore(long bytesEach) {
        for (int nid : NIDS) {
            ChunkMemory memory = ChunkMemories.open(ChunkMemoryConfig.of(nid, bytesEach));
            memory.reserveLids(1L << 30);
            memories.put(nid, memory);
        }
    }

    long chunks() {
        return memories.values().stream()
                .mapToLong(memory -> memory.statistics().chunks())
                .sum();
    }

    long[] chunksOfEach() {
        return memories.values().stream()
                .mapToLong(memory -> memory.statistics().chunks())
                .toArray();
    }

    long payloadBytes() {
        return memories.values().stream()
                .mapToLong(memory -> memory.statistics().payloadBytes())
                .sum();
    }

    ChunkMemory of(long cid) {
        ChunkMemory memory = memories.get((int) (cid >>> 48));
        if (memory == null) {
            throw new IllegalArgumentException("no peer has made 0x%016x".formatted(cid));
        }
        return memory;
    }

    @Override
    public int[] storagePeers() {
        return NIDS.clone();
    }

    @Override
    public long[] create(int nid, int[] sizesBytes) {
        long[] cids = new long[sizesBytes.length];
        memory(nid).create(cids.length, sizesBytes, null, 0, cids);
        return cids;
    }

    @Override
    public long[] create(int nid, List<? extends Exportable> objects) {
        int[] sizes = objects.stream().mapToInt(Exportable::sizeBytes).toArray();
        MemorySegment payloads =
                MemorySegment.ofArray(new byte[Arrays.stream(sizes).sum()]);
        SegmentExporter out = new SegmentExporter(payloads, 0, payloads.byteSize());
        objects.forEach(out::writeObject);
        long[] cids = new long[sizes.length];
        memory(nid).create(cids.length, sizes, payloads, 0, cids);
        return cids;
    }

    @Override
    public void put(long[] cids, List<? extends Exportable> objects) {
        for (int index = 0; index < cids.length; index++) {
            int size = objects.get(index).sizeBytes();
            MemorySegment bytes = MemorySegment.ofArray(new byte[size]);
            objects.get(index).exportTo(new SegmentExporter(bytes, 0, size));
            if (!of(cids[index]).put(cids[index], bytes, 0, size)) {
                throw new MissingChunkException(cids[index], "not found");
            }
        }
    }

    @Override
    public void get(long[] cids, List<? extends Importable> objects) {
        for (int index = 0; index < cids.length; index++) {
            if (!of(cids[index]).get(cids[index], objects.get(index))) {
                throw new MissingChunkException(cids[index], "not found");
            }
        }
    }

    @Override
    public void delete(long[] cids) {
        Arrays.stream(cids).forEach(cid -> of(cid).delete(cid));
    }

    @Override
    public void close() {
        memories.values().forEach(ChunkMemory::close);
    }

    private ChunkMemory memory(int nid) {
        ChunkMemory memory = memories.get(nid);
        if (memory == null) {
            throw new IllegalArgumentException("no peer has NID " + nid);
        }
        return memory;
    }
}
