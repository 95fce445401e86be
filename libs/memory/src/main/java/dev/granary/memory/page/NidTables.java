package dev.granary.memory.page;

import dev.granary.memory.arena.BlockSource;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.os.Vmb;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The page tables of all NIDs whose chunks are here: the own one, and those of chunks that came from other peers. Root
 * words of foreign tables lie in blocks of 256, made on demand, whose addresses are in a block of 256 words.
 *
 * <pre>
 *  header word ---> 256 words, one for each upper byte of a NID ---> 256 root words, one for each lower byte
 * </pre>
 *
 * <p>Thread-safe. Readers take no lock.
 */
public final class NidTables {

    /** Root words in a block, and blocks. */
    public static final int FANOUT = 256;

    public static final int BLOCK_BYTES = FANOUT * 8;

    private final Vmb vmb;
    private final int ownNid;
    private final PageTable own;
    private final NodeBlocks blocks;
    private final SparsePages sparse;
    private final long top;
    private final AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable PageTable>> foreign =
            new AtomicReferenceArray<>(FANOUT);

    /**
     * The tables of a memory.
     *
     * @param top address of the word that has the address of the upper block
     */
    NidTables(Vmb vmb, NodeBlocks blocks, SparsePages sparse, int ownNid, PageTable own, long top) {
        this.vmb = vmb;
        this.ownNid = ownNid;
        this.own = own;
        this.blocks = blocks;
        this.sparse = sparse;
        this.top = top;
    }

    /** The table of a NID, or null if no chunk of it was ever inserted here. */
    @Nullable
    public PageTable table(int nid) {
        if (nid == ownNid) {
            return own;
        }
        AtomicReferenceArray<@Nullable PageTable> tables = foreign.get(nid >>> 8);
        return tables == null ? null : tables.get(nid & 0xff);
    }

    /** The table of a NID, made if there is none; null if there is no room. Under the stripe's lock. */
    synchronized @Nullable PageTable tableOrMake(int nid, BlockSource source) {
        PageTable found = table(nid);
        if (found != null) {
            return found;
        }
        long upper = blockAt(top, source);
        long lower = upper == 0 ? 0 : blockAt(upper + (nid >>> 8 << 3), source);
        if (lower == 0) {
            return null;
        }
        return adopt(nid, lower);
    }

    /** Finds the tables that are there already, after the VMB was loaded. */
    public void restore() {
        restore(own);
        forEachBlock(sparse::fix);
        long upper = vmb.getAcquire(top);
        for (int i = 0; upper != 0 && i < FANOUT; i++) {
            long lower = vmb.getAcquire(upper + 8L * i);
            for (int k = 0; lower != 0 && k < FANOUT; k++) {
                if (vmb.getAcquire(lower + 8L * k) != 0) {
                    restore(adopt(i << 8 | k, lower));
                }
            }
        }
    }

    private void restore(PageTable table) {
        table.restore();
        table.forEachNode((node, sizeBytes) -> sparse.fix(node));
    }

    private PageTable adopt(int nid, long lower) {
        AtomicReferenceArray<@Nullable PageTable> tables = foreign.get(nid >>> 8);
        if (tables == null) {
            tables = new AtomicReferenceArray<>(FANOUT);
            foreign.set(nid >>> 8, tables);
        }
        PageTable made = new PageTable(vmb, blocks, lower + ((long) (nid & 0xff) << 3), true);
        tables.set(nid & 0xff, made);
        return made;
    }

    /** Calls a visitor with the table of each NID that has one. */
    public void forEach(Visitor visitor) {
        visitor.visit(ownNid, own);
        for (int upper = 0; upper < FANOUT; upper++) {
            AtomicReferenceArray<@Nullable PageTable> tables = foreign.get(upper);
            for (int lower = 0; tables != null && lower < FANOUT; lower++) {
                PageTable table = tables.get(lower);
                if (table != null) {
                    visitor.visit(upper << 8 | lower, table);
                }
            }
        }
    }

    /** Calls a visitor with the address of each block of root words. */
    public void forEachBlock(java.util.function.LongConsumer visitor) {
        long upper = vmb.getAcquire(top);
        if (upper != 0) {
            visitor.accept(upper);
            for (long i = 0; i < FANOUT; i++) {
                long lower = vmb.getAcquire(upper + 8 * i);
                if (lower != 0) {
                    visitor.accept(lower);
                }
            }
        }
    }

    /** What all tables take. */
    long tableBytes() {
        long[] bytes = {0};
        forEach((nid, table) -> bytes[0] += table.bytes());
        forEachBlock(block -> bytes[0] += BLOCK_BYTES);
        return bytes[0];
    }

    /** Sees the table of a NID. */
    public interface Visitor {
        void visit(int nid, PageTable table);
    }

    private long blockAt(long word, BlockSource source) {
        long block = vmb.getAcquire(word);
        if (block == 0) {
            block = source.allocate(BLOCK_BYTES, Meta.ALIGNMENT, Marker.TABLE);
            if (block != 0) {
                vmb.zero(block, BLOCK_BYTES);
                vmb.setRelease(word, block);
                sparse.fix(block);
            }
        }
        return block;
    }
}
