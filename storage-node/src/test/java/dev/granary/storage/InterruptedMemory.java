package dev.granary.storage;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.Exportable;
import dev.granary.memory.Importable;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.VerifierReport;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The real memory, with something that happens right after each batch get, create and replace. */
final class InterruptedMemory implements ChunkMemory {

    private final ChunkMemory memory;
    private final Runnable afterAccess;

    InterruptedMemory(ChunkMemory memory, Runnable afterAccess) {
        this.memory = memory;
        this.afterAccess = afterAccess;
    }

    @Override
    public int nid() {
        return memory.nid();
    }

    @Override
    public void reserveLids(long endExclusive) {
        memory.reserveLids(endExclusive);
    }

    @Override
    public long lidMark() {
        return memory.lidMark();
    }

    @Override
    public long create(int sizeBytes) {
        return memory.create(sizeBytes);
    }

    @Override
    public long create(MemorySegment source, long offset, int sizeBytes) {
        long cid = memory.create(source, offset, sizeBytes);
        afterAccess.run();
        return cid;
    }

    @Override
    public long create(Exportable object) {
        return memory.create(object);
    }

    @Override
    public int create(int count, int[] sizesBytes, @Nullable MemorySegment source, long offset, long[] cids) {
        return memory.create(count, sizesBytes, source, offset, cids);
    }

    @Override
    public int sizeOf(long cid) {
        return memory.sizeOf(cid);
    }

    @Override
    public int get(long cid, MemorySegment target, long offset, long capacityBytes) {
        return memory.get(cid, target, offset, capacityBytes);
    }

    @Override
    public boolean get(long cid, Importable object) {
        return memory.get(cid, object);
    }

    @Override
    public int get(long[] cids, int from, int to, MemorySegment target, long offset, long capacity, int[] sizes) {
        int done = memory.get(cids, from, to, target, offset, capacity, sizes);
        afterAccess.run();
        return done;
    }

    @Override
    public boolean put(long cid, MemorySegment source, long offset, int sizeBytes) {
        return memory.put(cid, source, offset, sizeBytes);
    }

    @Override
    public boolean replace(long cid, MemorySegment source, long offset, int sizeBytes) {
        boolean replaced = memory.replace(cid, source, offset, sizeBytes);
        afterAccess.run();
        return replaced;
    }

    @Override
    public boolean delete(long cid) {
        return memory.delete(cid);
    }

    @Override
    public int delete(long[] cids, int from, int to, boolean[] deleted) {
        return memory.delete(cids, from, to, deleted);
    }

    @Override
    public MemoryStatistics statistics() {
        return memory.statistics();
    }

    @Override
    public VerifierReport verify() {
        return memory.verify();
    }

    @Override
    public void close() {
        memory.close();
    }
}
