package dev.granary.memory.paged;

import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.PageTable;
import dev.granary.memory.page.Space;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Words outside the heap for the tests of this module, which make a state a thousand times a millisecond: one memory
 * for the whole process, in which each state takes the next places of {@value #PLACE_BYTES} bytes and the next pages of
 * one table, cyclically. jcstress keeps far fewer states at a time than there are of either.
 */
public final class StressMemory {

    static final int NID = 3;
    static final Space SPACE = Space.make(ChunkMemoryConfig.of(NID, 128 << 20).withHugePages(false), 1);
    public static final Vmb VMB = SPACE.vmb;

    private static final int PLACE_BYTES = 256;

    /** As many as a table of one level leads to. Behind the header lies first this table, then its leaves. */
    private static final int LEAVES = 1 << PageTable.LEVEL_BITS;

    private static final long TABLE = 1 << 20;
    private static final long FIRST_LEAF = TABLE + PageTable.TABLE_BYTES;
    private static final long FIRST_PLACE = FIRST_LEAF + (long) LEAVES * PageTable.LEAF_BYTES;
    private static final AtomicLong NEXT_PLACE = new AtomicLong();
    private static final AtomicLong NEXT_PAGE = new AtomicLong();

    static {
        for (long i = 0; i < LEAVES; i++) {
            VMB.setRelease(TABLE + 8 * i, FIRST_LEAF + i * PageTable.LEAF_BYTES);
        }
        VMB.setRelease(Space.ROOT, PageTable.root(TABLE, 1));
    }

    private StressMemory() {}

    /** The address of a place of zeros. */
    public static long place() {
        long places = (VMB.capacityBytes() - FIRST_PLACE) / PLACE_BYTES;
        long place = FIRST_PLACE + NEXT_PLACE.getAndIncrement() % places * PLACE_BYTES;
        VMB.zero(place, PLACE_BYTES);
        return place;
    }

    /** The number of a page without chunks that nobody else has. */
    static long pageNumber() {
        long number = NEXT_PAGE.getAndIncrement() % ((long) LEAVES * PageTable.LEAF_PAGES);
        long page = page(number);
        VMB.setRelease(page + Page.FORM, 0);
        VMB.setRelease(page + Page.LATCH, 0);
        VMB.setRelease(page + Page.STATE, 0);
        return number;
    }

    /** The directory entry of a page. */
    static long page(long number) {
        return SPACE.table.find(number << Page.SLOT_BITS);
    }
}
