package dev.granary.memory.paged;

import dev.granary.memory.ChunkAccess;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.DefragmentationReport;
import dev.granary.memory.ForeignCidException;
import dev.granary.memory.FragmentationStatistics;
import dev.granary.memory.InvalidSizeException;
import dev.granary.memory.LockChoice;
import dev.granary.memory.LockMode;
import dev.granary.memory.MemoryFromSystem;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.ReservationException;
import dev.granary.memory.SizeMismatchException;
import dev.granary.memory.VerifierReport;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.defragment.Defragmenter;
import dev.granary.memory.dump.MemoryDumper;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.BatchReader;
import dev.granary.memory.page.Inspector;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.PageTable;
import dev.granary.memory.page.Reader;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripes;
import dev.granary.memory.page.Verifier;
import dev.granary.serialization.BufferTooSmallException;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Chunk memory of pages in one VMB. It checks the arguments of callers, and passes the work to the classes that do it.
 */
final class PagedChunkMemory implements ChunkMemory {

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;
    private final HeldLocks locks = new HeldLocks(System::nanoTime);
    private final Removal removal;
    private final Creation creation;
    private final ConsecutiveCreation consecutive;
    private final Changes changes;
    private final BulkInsertion bulkInsertion;
    private final Defragmenter defragmenter;
    private final Reader reader;
    private final BatchReader batchReader;
    private final BatchChanges batchChanges;
    private volatile boolean closed;

    PagedChunkMemory(Space space, Stripes stripes, Defragmenter defragmenter) {
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
        this.removal = new Removal(space, stripes);
        this.creation = new Creation(space, stripes, removal, defragmenter);
        this.consecutive = new ConsecutiveCreation(space, stripes, removal, defragmenter);
        this.changes = new Changes(space, stripes, defragmenter);
        this.bulkInsertion = new BulkInsertion(space, stripes, changes);
        this.defragmenter = defragmenter;
        this.reader = new Reader(space);
        this.batchReader = new BatchReader(space, reader);
        this.batchChanges = new BatchChanges(space, changes, removal);
    }

    /**
     * Opens an empty chunk memory.
     *
     * @throws ReservationException if the operating system refuses the address space
     */
    static PagedChunkMemory open(ChunkMemoryConfig config) {
        int processors = Runtime.getRuntime().availableProcessors();
        return open(config, Stripes.sensibleCount(processors, config.capacityBytes()));
    }

    static PagedChunkMemory open(ChunkMemoryConfig config, int stripeCount) {
        Space space = Space.make(config, stripeCount);
        Stripes stripes = Stripes.make(space, stripeCount);
        return of(space, stripes);
    }

    /** Makes a chunk memory of parts that exist already. */
    static PagedChunkMemory of(Space space, Stripes stripes) {
        return new PagedChunkMemory(space, stripes, new Defragmenter(space, stripes, System::nanoTime));
    }

    @Override
    public int nid() {
        return space.nid;
    }

    @Override
    public void reserveLids(long endExclusive) {
        if (endExclusive < 1 || endExclusive > MAX_LID + 1) {
            throw new IllegalArgumentException("LIDs end at 1 to " + (MAX_LID + 1) + ", not at " + endExclusive);
        }
        space.numbers.reserve(endExclusive);
    }

    @Override
    public long lidMark() {
        return space.numbers.lidMark();
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
        long total = checkSizes(sizesBytes, 0, count);
        if (source != null) {
            Objects.checkFromIndexSize(offset, total, source.byteSize());
        }
        creation.create(count, sizesBytes, source, offset, cids);
        return count;
    }

    @Override
    public long createConsecutive(int count, int[] sizesBytes, @Nullable MemorySegment source, long offset) {
        checkOpen();
        Objects.checkFromIndexSize(0, count, sizesBytes.length);
        if (count == 0) {
            throw new IllegalArgumentException("0 chunks have no first CID: create one or more");
        }
        long total = checkSizes(sizesBytes, 0, count);
        if (source != null) {
            Objects.checkFromIndexSize(offset, total, source.byteSize());
        }
        Changes.requireReadable(source);
        return (long) space.nid << 48 | consecutive.create(count, sizesBytes, source, offset);
    }

    @Override
    public boolean insert(long cid, MemorySegment source, long offset, int sizeBytes) {
        checkOpen();
        checkSize(sizeBytes);
        Objects.checkFromIndexSize(offset, sizeBytes, source.byteSize());
        requireCid(cid);
        return changes.insert(cid, source, offset, sizeBytes);
    }

    @Override
    public int insertOrReplace(long[] cids, int from, int to, MemorySegment source, long[] offsets, int[] sizesBytes) {
        checkOpen();
        int shortest = Math.min(cids.length, Math.min(offsets.length, sizesBytes.length));
        Objects.checkFromToIndex(from, to, shortest);
        for (int i = from; i < to; i++) {
            requireCid(cids[i]);
            checkSize(sizesBytes[i]);
            Objects.checkFromIndexSize(offsets[i], sizesBytes[i], source.byteSize());
            if (i > from && Long.compareUnsigned(cids[i - 1], cids[i]) >= 0) {
                throw new IllegalArgumentException(
                        "0x%016x stands behind 0x%016x: CIDs must ascend".formatted(cids[i], cids[i - 1]));
            }
        }
        return bulkInsertion.insertOrReplace(cids, from, to, source, offsets, sizesBytes);
    }

    @Override
    public int sizeOf(long cid) {
        return reader.sizeOf(find(cid), Page.slot(cid));
    }

    @Override
    public int get(long cid, MemorySegment target, long offset, long capacityBytes) {
        Objects.checkFromIndexSize(offset, capacityBytes, target.byteSize());
        int size = reader.read(find(cid), Page.slot(cid), target, offset, capacityBytes);
        if (size == Reader.DOES_NOT_FIT) {
            throw new BufferTooSmallException(sizeOf(cid), capacityBytes);
        }
        return size;
    }

    @Override
    public boolean get(long cid, Importable object) {
        long page = find(cid);
        if (page == 0) {
            return false;
        }
        Latch.lockShared(vmb, page + Page.LATCH);
        try {
            long entry = space.locator.locate(page, Latch.HELD, vmb.getAcquire(page), Page.slot(cid));
            if (entry == EntryLayout.NO_CHUNK) {
                return false;
            }
            int size = Chunks.size(vmb, entry);
            object.importFrom(vmb.importer(Chunks.payloadOf(entry, size), size));
            return true;
        } finally {
            Latch.unlockShared(vmb, page + Page.LATCH);
        }
    }

    @Override
    public int get(long[] cids, int from, int to, MemorySegment target, long offset, long capacityBytes, int[] sizes) {
        checkOpen();
        Objects.checkFromToIndex(from, to, Math.min(cids.length, sizes.length));
        Objects.checkFromIndexSize(offset, capacityBytes, target.byteSize());
        for (int i = from; i < to; i++) {
            tableOf(cids[i]);
        }
        return batchReader.get(cids, from, to, target, offset, capacityBytes, sizes);
    }

    @Override
    public boolean put(long cid, MemorySegment source, long offset, int sizeBytes) {
        Objects.checkFromIndexSize(offset, sizeBytes, source.byteSize());
        long page = find(cid);
        int present = page == 0 ? ABSENT : changes.put(page, cid, source, offset, sizeBytes);
        return isPut(cid, sizeBytes, present);
    }

    @Override
    public boolean put(long cid, Exportable object) {
        int sizeBytes = object.sizeBytes();
        checkSize(sizeBytes);
        long page = find(cid);
        int present = page == 0 ? ABSENT : changes.put(page, cid, object, sizeBytes);
        return isPut(cid, sizeBytes, present);
    }

    @Override
    public boolean replace(long cid, MemorySegment source, long offset, int sizeBytes) {
        checkSize(sizeBytes);
        Objects.checkFromIndexSize(offset, sizeBytes, source.byteSize());
        long page = find(cid);
        return page != 0 && changes.replace(page, cid, source, offset, sizeBytes);
    }

    @Override
    public int replace(
            long[] cids, int from, int to, MemorySegment source, long offset, int[] sizes, boolean[] replaced) {
        checkOpen();
        Objects.checkFromToIndex(from, to, Math.min(Math.min(cids.length, sizes.length), replaced.length));
        Arrays.fill(replaced, from, to, false);
        Objects.checkFromIndexSize(offset, checkSizes(sizes, from, to), source.byteSize());
        for (int i = from; i < to; i++) {
            tableOf(cids[i]);
        }
        return batchChanges.replace(cids, from, to, source, offset, sizes, replaced);
    }

    @Override
    public boolean resize(long cid, int sizeBytes) {
        checkSize(sizeBytes);
        long page = find(cid);
        return page != 0 && changes.resize(page, cid, sizeBytes);
    }

    @Override
    public boolean delete(long cid) {
        return removal.delete(find(cid), cid);
    }

    @Override
    public int delete(long[] cids, int from, int to, boolean[] deleted) {
        checkOpen();
        Objects.checkFromToIndex(from, to, Math.min(cids.length, deleted.length));
        Arrays.fill(deleted, from, to, false);
        for (int i = from; i < to; i++) {
            tableOf(cids[i]);
        }
        return batchChanges.delete(cids, from, to, deleted);
    }

    @Override
    public boolean lock(long cid, LockMode mode, long timeoutNanos) {
        if (sizeOf(cid) == ABSENT) {
            return false;
        }
        locks.lock(cid, mode, timeoutNanos);
        if (sizeOf(cid) == ABSENT) {
            // The chunk was deleted during the wait.
            locks.unlock(cid, mode);
            return false;
        }
        return true;
    }

    @Override
    public void unlock(long cid, LockMode mode) {
        locks.unlock(cid, mode);
    }

    @Override
    public ChunkAccess locking(LockChoice choice) {
        LockMode mode = choice.mode();
        return mode == null ? this : new LockingAccess(this, mode, choice.timeoutNanos());
    }

    @Override
    public boolean setReadOnly(long cid) {
        long page = find(cid);
        return page != 0 && changes.setReadOnly(page, cid);
    }

    @Override
    public long pin(long cid) {
        long page = find(cid);
        return page == 0 ? 0 : changes.pin(page, cid);
    }

    @Override
    public void unpin(long cid) {
        changes.unpin(find(cid), cid);
    }

    @Override
    public MemoryStatistics statistics() {
        checkOpen();
        return Inspector.statistics(space, stripes);
    }

    @Override
    public FragmentationStatistics fragmentation() {
        checkOpen();
        return Inspector.fragmentation(space, stripes);
    }

    @Override
    public DefragmentationReport defragment(long budgetBytes) {
        checkOpen();
        return defragmenter.defragment(budgetBytes);
    }

    @Override
    public double reclaimableShare() {
        checkOpen();
        return defragmenter.reclaimableShare();
    }

    @Override
    public boolean isShort() {
        checkOpen();
        return defragmenter.isShort();
    }

    @Override
    public void limitReclaim(LongSupplier nanosForCaller) {
        defragmenter.limitReclaim(nanosForCaller);
    }

    @Override
    public long resizeMemory(long capacityBytes) {
        checkOpen();
        return defragmenter.resize(capacityBytes);
    }

    @Override
    public long setAside(long bytes) {
        checkOpen();
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes is " + bytes + ", and must not be negative");
        }
        return space.extents.setAside(bytes);
    }

    @Override
    public MemoryFromSystem memoryFromSystem() {
        checkOpen();
        return vmb.fromSystem();
    }

    @Override
    public VerifierReport verify() {
        checkOpen();
        return new Verifier(space, stripes).verify();
    }

    @Override
    public void dump(WritableByteChannel channel) throws IOException {
        checkOpen();
        defragmenter.pause();
        try {
            new MemoryDumper(space, stripes).dump(channel);
        } finally {
            defragmenter.resume();
        }
    }

    @Override
    public void dump(Path file) throws IOException {
        checkOpen();
        defragmenter.pause();
        try {
            DumpFiles.write(file, new MemoryDumper(space, stripes));
        } finally {
            defragmenter.resume();
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            defragmenter.close();
            vmb.close();
        }
    }

    /** Returns the directory entry of a chunk's page, or 0. */
    private long find(long cid) {
        checkOpen();
        return tableOf(cid).find(cid & MAX_LID);
    }

    private PageTable tableOf(long cid) {
        PageTable table = cid >>> 48 == space.nid ? space.table : space.nids.table((int) (cid >>> 48));
        if (table == null) {
            throw new ForeignCidException(cid, space.nid);
        }
        return table;
    }

    private static void requireCid(long cid) {
        if (cid >>> 48 == 0 || (cid & MAX_LID) == 0) {
            throw new IllegalArgumentException("0x%016x is no CID: NID and LID begin with 1".formatted(cid));
        }
    }

    private static boolean isPut(long cid, int sizeBytes, int present) {
        if (present == ABSENT) {
            return false;
        }
        if (present != sizeBytes) {
            throw new SizeMismatchException("chunk 0x%016x".formatted(cid), present, sizeBytes);
        }
        return true;
    }

    private static long checkSizes(int[] sizesBytes, int from, int to) {
        long total = 0;
        for (int i = from; i < to; i++) {
            checkSize(sizesBytes[i]);
            total += sizesBytes[i];
        }
        return total;
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
