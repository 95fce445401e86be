package dev.granary.memory;

import static dev.granary.memory.EntryLayout.address;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Chunk memory as the papers have it: CID table, lock in each entry, marker-byte allocator, all in one VMB.
 *
 * <p>Who waits for whom: a stripe's lock may be waited for by the holder of a chunk's lock, never the reverse; inside a
 * stripe's lock come the CID table's, then that of the extents. A
 * chunk's address is used only while its lock is held, or in a read that is validated afterwards.
 */
final class VmbChunkMemory implements ChunkMemory {

    private final int nid;
    private final Parts parts;
    private final Vmb vmb;
    private final CidTable table;
    private final Stripes stripes;
    private final Removal removal;
    private final Creation creation;
    private final Versions versions;
    private final Reader reader;
    private final BatchReader batchReader;
    private volatile boolean closed;

    VmbChunkMemory(ChunkMemoryConfig config, int stripeCount) {
        this.nid = config.nid();
        this.parts = Parts.make(config, stripeCount);
        this.vmb = parts.vmb();
        this.table = parts.table();
        this.stripes = parts.stripes();
        this.versions = parts.versions();
        this.removal = new Removal(parts);
        this.creation = new Creation(parts, removal);
        this.reader = new Reader(parts);
        this.batchReader = new BatchReader(parts, reader);
    }

    @Override
    public int nid() {
        return nid;
    }

    @Override
    public void reserveLids(long endExclusive) {
        if (endExclusive < 1 || endExclusive > MAX_LID + 1) {
            throw new IllegalArgumentException("LIDs end at 1 to " + (MAX_LID + 1) + ", not at " + endExclusive);
        }
        parts.fresh().reserve(endExclusive);
    }

    @Override
    public long lidMark() {
        return parts.fresh().next();
    }

    @Override
    public long create(int sizeBytes) {
        checkOpen();
        checkSize(sizeBytes);
        return creation.create(null, 0, sizeBytes);
    }

    @Override
    public long create(MemorySegment source, long offset, int sizeBytes) {
        checkOpen();
        checkSize(sizeBytes);
        Objects.checkFromIndexSize(offset, sizeBytes, source.byteSize());
        return creation.create(source, offset, sizeBytes);
    }

    @Override
    public long create(Exportable object) {
        checkOpen();
        int sizeBytes = object.sizeBytes();
        checkSize(sizeBytes);
        return creation.create(object, sizeBytes);
    }

    @Override
    public int create(int count, int[] sizesBytes, @Nullable MemorySegment source, long offset, long[] cids) {
        checkOpen();
        Objects.checkFromIndexSize(0, count, Math.min(sizesBytes.length, cids.length));
        long total = 0;
        for (int i = 0; i < count; i++) {
            checkSize(sizesBytes[i]);
            total += sizesBytes[i];
        }
        if (source != null) {
            Objects.checkFromIndexSize(offset, total, source.byteSize());
        }
        creation.create(count, sizesBytes, source, offset, cids);
        return count;
    }

    @Override
    public int sizeOf(long cid) {
        long entry = find(cid);
        if (entry == 0) {
            return ABSENT;
        }
        long word = vmb.getAcquire(entry);
        if (!EntryLayout.isChunk(word)) {
            return ABSENT;
        }
        if (EntryLayout.hasEmbeddedSize(word)) {
            return EntryLayout.embeddedSize(word);
        }
        word = ChunkLock.lockForReading(vmb, entry);
        if (word == ChunkLock.ABSENT) {
            return ABSENT;
        }
        try {
            return Chunks.size(vmb, word);
        } finally {
            ChunkLock.unlockReading(vmb, entry);
        }
    }

    @Override
    public int get(long cid, MemorySegment target, long offset, long capacityBytes) {
        Objects.checkFromIndexSize(offset, capacityBytes, target.byteSize());
        long entry = find(cid);
        int size = reader.read(cid & MAX_LID, entry, target, offset, capacityBytes);
        if (size == Reader.DOES_NOT_FIT) {
            throw new BufferTooSmallException(sizeOf(cid), capacityBytes);
        }
        return size;
    }

    @Override
    public boolean get(long cid, Importable object) {
        long entry = find(cid);
        long word = entry == 0 ? ChunkLock.ABSENT : ChunkLock.lockForReading(vmb, entry);
        if (word == ChunkLock.ABSENT) {
            return false;
        }
        try {
            int size = Chunks.size(vmb, word);
            object.importFrom(vmb.importer(Chunks.payload(address(word), size), size));
            return true;
        } finally {
            ChunkLock.unlockReading(vmb, entry);
        }
    }

    @Override
    public int get(long[] cids, int from, int to, MemorySegment target, long offset, long capacityBytes, int[] sizes) {
        checkOpen();
        Objects.checkFromToIndex(from, to, Math.min(cids.length, sizes.length));
        Objects.checkFromIndexSize(offset, capacityBytes, target.byteSize());
        for (int i = from; i < to; i++) {
            checkNid(cids[i]);
        }
        return batchReader.get(cids, from, to, target, offset, capacityBytes, sizes);
    }

    @Override
    public boolean put(long cid, MemorySegment source, long offset, int sizeBytes) {
        Objects.checkFromIndexSize(offset, sizeBytes, source.byteSize());
        int present = overwrite(cid, source, offset, sizeBytes);
        if (present != ABSENT && present != sizeBytes) {
            throw new SizeMismatchException("the chunk", present, sizeBytes);
        }
        return present != ABSENT;
    }

    @Override
    public boolean replace(long cid, MemorySegment source, long offset, int sizeBytes) {
        checkSize(sizeBytes);
        Objects.checkFromIndexSize(offset, sizeBytes, source.byteSize());
        int present = overwrite(cid, source, offset, sizeBytes);
        if (present == ABSENT || present == sizeBytes) {
            return present != ABSENT;
        }
        long unusedBlock = stripes.allocate(sizeBytes);
        int unusedBytes = sizeBytes;
        try {
            // Filled before the lock is taken: others wait for the switch of the entry only.
            long block = unusedBlock;
            Chunks.writeLength(vmb, block, sizeBytes);
            vmb.copyIn(source, offset, Chunks.payload(block, sizeBytes), sizeBytes);
            long entry = find(cid);
            long word = ChunkLock.lockForWriting(vmb, entry);
            if (word == ChunkLock.ABSENT) {
                return false;
            }
            unusedBlock = address(word);
            unusedBytes = Chunks.size(vmb, word);
            versions.count(cid & MAX_LID);
            ChunkLock.unlockWriting(vmb, entry, EntryLayout.entry(block, sizeBytes));
            return true;
        } finally {
            removal.free(unusedBlock, unusedBytes);
        }
    }

    @Override
    public boolean delete(long cid) {
        checkNid(cid);
        checkOpen();
        return removal.delete(cid & MAX_LID);
    }

    @Override
    public int delete(long[] cids, int from, int to, boolean[] deleted) {
        checkOpen();
        Objects.checkFromToIndex(from, to, Math.min(cids.length, deleted.length));
        for (int i = from; i < to; i++) {
            checkNid(cids[i]);
        }
        int count = 0;
        for (int i = from; i < to; i++) {
            deleted[i] = removal.delete(cids[i] & MAX_LID);
            count += deleted[i] ? 1 : 0;
        }
        return count;
    }

    @Override
    public MemoryStatistics statistics() {
        checkOpen();
        return Inspector.statistics(parts);
    }

    @Override
    public VerifierReport verify() {
        checkOpen();
        return new Verifier(parts).verify();
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            vmb.close();
        }
    }

    /** Writes a chunk's bytes if it has this size. Returns its size, or ABSENT. */
    private int overwrite(long cid, MemorySegment source, long offset, int sizeBytes) {
        long entry = find(cid);
        long word = entry == 0 ? ChunkLock.ABSENT : ChunkLock.lockForWriting(vmb, entry);
        if (word == ChunkLock.ABSENT) {
            return ABSENT;
        }
        try {
            int present = Chunks.size(vmb, word);
            if (present == sizeBytes) {
                vmb.copyIn(source, offset, Chunks.payload(address(word), sizeBytes), sizeBytes);
            }
            return present;
        } finally {
            versions.count(cid & MAX_LID);
            ChunkLock.unlockWriting(vmb, entry, word);
        }
    }

    private long find(long cid) {
        checkNid(cid);
        checkOpen();
        return table.find(cid & MAX_LID);
    }

    private void checkNid(long cid) {
        if (cid >>> 48 != nid) {
            throw new ForeignCidException(cid, nid);
        }
    }

    private static void checkSize(int sizeBytes) {
        if (sizeBytes < 0 || sizeBytes > MAX_SIZE_BYTES) {
            throw new InvalidSizeException(sizeBytes);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("this chunk memory is closed");
        }
    }
}
