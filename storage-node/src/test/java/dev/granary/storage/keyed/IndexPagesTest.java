package dev.granary.storage.keyed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.granary.keyed.KeyspaceFullException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class IndexPagesTest {

    private static final int PAGES = 7;

    private final KeyedMemory memory = new KeyedMemory(1 << 20, KeyedLimits.none());

    /** A slot of the model: its bucket, and what it has. */
    private record Slot(int bucket, int value) {}

    private static int bits(Random random) {
        return IndexPages.MIN_BITS + random.nextInt(IndexPages.MAX_BITS - IndexPages.MIN_BITS + 1);
    }

    /** Slots come and go, and pages get other forms, beside lists. */
    @Test
    void randomSteps_besideLists_agree() {
        long seed = Long.getLong("granary.keyed.seed", 11);
        Random random = new Random(seed);
        List<List<Slot>> model = new ArrayList<>();
        try (IndexPages pages = new IndexPages(memory, KeyedMemory.Lender.NONE)) {
            for (int page = 0; page < PAGES; page++) {
                assertEquals(page, pages.add());
                model.add(new ArrayList<>());
                pages.reserve(1);
                pages.reset(page, 1, bits(random));
            }
            for (int step = 0; step < 60_000; step++) {
                int page = random.nextInt(PAGES);
                List<Slot> slots = model.get(page);
                boolean grow = step / 10_000 % 2 == 0;
                if (random.nextInt(1_000) == 0) {
                    change(pages, page, slots, random);
                } else if (slots.size() < IndexPages.MAX_SLOTS && random.nextInt(10) < (grow ? 7 : 3)) {
                    insert(pages, page, slots, random);
                } else if (!slots.isEmpty()) {
                    int at = random.nextInt(slots.size());
                    slots.remove(at);
                    pages.remove(page, at);
                }
                if (!slots.isEmpty()) {
                    int at = random.nextInt(slots.size());
                    int value = random.nextInt(1 << pages.bits(page));
                    slots.set(at, new Slot(slots.get(at).bucket(), value));
                    pages.set(page, at, value);
                }
                if (step % 20 == 0) {
                    compare(pages, page, slots, "seed " + seed + ", step " + step);
                }
            }
            pages.verify();
            assertEquals(pages.bytes(), memory.indexBytes());
        }
        assertEquals(0, memory.indexBytes());
    }

    private static void insert(IndexPages pages, int page, List<Slot> slots, Random random) {
        // Some buckets are far fuller than others.
        int bucket = random.nextInt(1 + random.nextInt(IndexPages.BUCKETS));
        Slot slot = new Slot(bucket, random.nextInt(1 << pages.bits(page)));
        if (slots.size() == pages.capacity(page)) {
            pages.reserve(1);
            pages.resize(page, pages.unitCount(page) + 1);
        }
        int at = 0;
        while (at < slots.size() && slots.get(at).bucket() <= bucket) {
            at++;
        }
        slots.add(at, slot);
        pages.insert(page, bucket, slot.value());
    }

    /** Gives a page another number of bits, or empties it. */
    private static void change(IndexPages pages, int page, List<Slot> slots, Random random) {
        int bits = bits(random);
        if (random.nextInt(5) == 0) {
            slots.clear();
            pages.reset(page, 1, bits);
            return;
        }
        slots.replaceAll(slot -> new Slot(slot.bucket(), slot.value() & (1 << bits) - 1));
        int units = IndexPages.unitsFor(slots.size(), bits);
        pages.reserve(Math.max(0, units - pages.unitCount(page)));
        pages.reshape(page, units, bits, slots.stream().mapToInt(Slot::value).toArray());
    }

    private static void compare(IndexPages pages, int page, List<Slot> slots, String when) {
        assertEquals(slots.size(), pages.size(page), when);
        assertArrayEquals(slots.stream().mapToInt(Slot::value).toArray(), pages.values(page), when);
        int from = 0;
        for (int bucket = 0; bucket < IndexPages.BUCKETS; bucket++) {
            int end = from;
            while (end < slots.size() && slots.get(end).bucket() == bucket) {
                assertEquals(bucket, pages.bucketOf(page, end), when);
                end++;
            }
            assertEquals(from | (long) end << Integer.SIZE, pages.run(page, bucket), when);
            from = end;
        }
        pages.verify();
    }

    @Test
    void get_eachNumberOfBitsAndSlot_isWhatWasSet() {
        try (IndexPages pages = new IndexPages(memory, KeyedMemory.Lender.NONE)) {
            pages.add();
            for (int bits = IndexPages.MIN_BITS; bits <= IndexPages.MAX_BITS; bits++) {
                Random random = new Random(bits);
                int mask = (1 << bits) - 1;
                int[] values = new int[IndexPages.MAX_SLOTS];
                Arrays.setAll(values, slot -> random.nextInt() & mask);
                pages.reserve(IndexPages.unitsFor(values.length, bits));
                pages.reset(0, IndexPages.unitsFor(values.length, bits), bits);
                for (int slot = 0; slot < values.length; slot++) {
                    pages.insert(0, slot / 2, values[slot]);
                }
                assertArrayEquals(values, pages.values(0), bits + " bits");
                pages.verify();
            }
        }
    }

    @Test
    void remove_mostSlots_givesUnitsBack() {
        try (IndexPages pages = new IndexPages(memory, KeyedMemory.Lender.NONE)) {
            pages.add();
            pages.reserve(14);
            pages.reset(0, 14, 19);
            for (int slot = 0; slot < 500; slot++) {
                pages.insert(0, slot / 2, slot);
            }
            while (pages.size(0) > 30) {
                pages.remove(0, pages.size(0) / 2);
            }
            assertEquals(3, pages.unitCount(0));
            pages.reserve(11);
            assertEquals(IndexPages.BLOCK_BYTES, pages.bytes());
            pages.verify();
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
