package dev.granary.storage.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.granary.keyed.KeyspaceFullException;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class IndexPagesTest {

    private static final int PAGES = 40;

    private final KeyedMemory memory = new KeyedMemory(1 << 20, KeyedLimits.none());

    /** Pages grow, shrink and become wide, and keep what was set, beside arrays. */
    @Test
    void randomSteps_besideArrays_agree() {
        Random random = new Random(11);
        int[][] model = new int[PAGES][];
        try (IndexPages pages = new IndexPages(memory, KeyedMemory.Lender.NONE)) {
            for (int page = 0; page < PAGES; page++) {
                assertEquals(page, pages.add());
                model[page] = new int[0];
            }
            for (int step = 0; step < 100_000; step++) {
                int page = random.nextInt(PAGES);
                if (model[page].length == 0 || random.nextInt(500) == 0) {
                    int units = 1 + random.nextInt(IndexPages.MAX_UNITS);
                    boolean wide = random.nextBoolean();
                    pages.reserve(units);
                    pages.reset(page, units, wide);
                    assertEquals(units, pages.unitCount(page));
                    assertEquals(IndexPages.slots(units, wide), pages.slots(page));
                    model[page] = new int[pages.slots(page)];
                }
                int slot = random.nextInt(model[page].length);
                int value = random.nextInt();
                if (random.nextBoolean()) {
                    pages.set(page, slot, value);
                    model[page][slot] = pages.kept(page, value);
                } else {
                    pages.head(page, slot, value >>> 24);
                    model[page][slot] = (value & 0xff00_0000) | (model[page][slot] & 0xff_ffff);
                }
                int other = random.nextInt(model[page].length);
                assertEquals(model[page][other], pages.get(page, other));
                assertEquals(model[page][other] >>> 24, pages.head(page, other));
            }
            pages.verify();
            for (int page = 0; page < PAGES; page++) {
                for (int slot = 0; slot < model[page].length; slot++) {
                    assertEquals(model[page][slot], pages.get(page, slot));
                }
            }
            assertEquals(pages.bytes(), memory.indexBytes());
        }
        assertEquals(0, memory.indexBytes());
    }

    @Test
    void kept_wideLidInNarrowPage_lacksItsHighestByte() {
        try (IndexPages pages = new IndexPages(memory, KeyedMemory.Lender.NONE)) {
            pages.add();
            pages.reserve(2);
            pages.reset(0, 1, false);
            assertEquals(0xab00_cdef, pages.kept(0, 0xab12_cdef));
            pages.reset(0, 1, true);
            assertEquals(0xab12_cdef, pages.kept(0, 0xab12_cdef));
        }
    }

    @Test
    void reserve_withoutMemory_throwsAndTakesNothing() {
        KeyedMemory little = new KeyedMemory(2L * IndexPages.BLOCK_BYTES, KeyedLimits.none());
        try (IndexPages pages = new IndexPages(little, KeyedMemory.Lender.NONE)) {
            pages.reserve(32);
            assertThrows(KeyspaceFullException.class, () -> pages.reserve(33));
            assertEquals(2L * IndexPages.BLOCK_BYTES, pages.bytes());
            assertEquals(2L * IndexPages.BLOCK_BYTES, little.indexBytes());
            pages.verify();
        }
        assertEquals(0, little.usedBytes());
    }
}
