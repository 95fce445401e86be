package dev.granary.memory.paged;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripes;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A chunk memory whose parts a test can reach. */
public final class OpenMemory implements AutoCloseable {

    public final Space space;
    public final Stripes stripes;
    public final Vmb vmb;
    public final ChunkMemory memory;
    private final Map<Long, Long> taken = new HashMap<>();

    public OpenMemory(MemoryLayout layout, long capacityBytes, int stripeCount) {
        this(layout, capacityBytes, stripeCount, ChunkMemory.MAX_LID + 1);
    }

    /** A memory that may give LIDs up to an end. */
    public OpenMemory(MemoryLayout layout, long capacityBytes, int stripeCount, long endLid) {
        space = Space.make(MemoryTests.config(layout, capacityBytes), stripeCount);
        stripes = Stripes.make(space, stripeCount);
        vmb = space.vmb;
        memory = PagedChunkMemory.of(space, stripes);
        memory.reserveLids(endLid);
    }

    /** A CID of another peer. */
    public static long foreign(long lid) {
        return 0x4000L << 48 | lid;
    }

    public static long own(long lid) {
        return (long) MemoryTests.NID << 48 | lid;
    }

    /** Bytes that tell chunks apart. */
    public static byte[] content(long cid, int sizeBytes) {
        byte[] bytes = new byte[sizeBytes];
        for (int i = 0; i < sizeBytes; i++) {
            bytes[i] = (byte) (31L * i + cid * 7 + 1);
        }
        return bytes;
    }

    /** Creates a chunk with {@link #content}. */
    public long create(int sizeBytes) {
        long cid = memory.create(sizeBytes);
        put(cid, sizeBytes);
        return cid;
    }

    /** Makes a chunk with a given CID and {@link #content}. */
    public void insert(long cid, int sizeBytes) {
        if (!memory.insert(cid, MemorySegment.ofArray(content(cid, sizeBytes)), 0, sizeBytes)) {
            throw new AssertionError("0x%016x is there already".formatted(cid));
        }
    }

    public void put(long cid, int sizeBytes) {
        if (!memory.put(cid, MemorySegment.ofArray(content(cid, sizeBytes)), 0, sizeBytes)) {
            throw new AssertionError("0x%016x is not there".formatted(cid));
        }
    }

    public byte[] get(long cid) {
        return MemoryTests.bytes(memory, cid);
    }

    /** The directory entry of a chunk's page. */
    public long page(long cid) {
        return stripes.findOrMakePage(cid);
    }

    public long form(long cid) {
        return vmb.getAcquire(page(cid));
    }

    public int kind(long cid) {
        return Page.kind(form(cid));
    }

    public long state(long cid) {
        return vmb.getAcquire(page(cid) + Page.STATE);
    }

    /** Does something while the latch of a chunk's page is held. */
    public void latched(long cid, Runnable action) {
        long latch = page(cid) + Page.LATCH;
        Latch.lockExclusive(vmb, latch);
        try {
            action.run();
        } finally {
            Latch.unlockExclusive(vmb, latch);
        }
    }

    /** What blocks take, those of page tables excluded. */
    public long allocatedBytes() {
        long bytes = 0;
        for (int i = 0; i < stripes.count(); i++) {
            bytes += stripes.get(i).arena.allocatedBytes();
        }
        return bytes;
    }

    /** Takes all blocks that are left of at least a size. */
    public void takeAll(int minBytes) {
        for (int size = 1 << 16; size >= minBytes; size -= size > 2 * minBytes ? size / 2 : 1) {
            for (long block = stripes.allocate(size, 1, Marker.OTHER);
                    block != 0;
                    block = stripes.allocate(size, 1, Marker.OTHER)) {
                taken.put(block, (long) size);
            }
        }
    }

    /** Gives back what {@link #takeAll} took. */
    public void giveAll() {
        taken.forEach(stripes::free);
        taken.clear();
    }

    public List<String> violations() {
        return memory.verify().violations();
    }

    /** Checks every invariant: a block that belongs to nobody is a violation. */
    @Override
    public void close() {
        try {
            giveAll();
            MemoryTests.assertSound(memory);
        } finally {
            memory.close();
        }
    }
}
