package dev.granary.storage.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.granary.keyed.KeyspaceFullException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class KeyIndexTest {

    /** Entries that are their hashes. */
    private static final class Hashes implements KeyIndex.Entries {
        private final Map<Integer, Long> byLid = new HashMap<>();
        private long wanted;

        @Override
        public boolean isWanted(int lid) {
            return hashOf(lid) == wanted;
        }

        @Override
        public long hashOf(int lid) {
            return Objects.requireNonNull(byLid.get(lid));
        }
    }

    private final KeyedLimits limits = KeyedLimits.none();
    private final KeyedMemory memory = new KeyedMemory(64 << 20, limits);
    private final KeyedMemory evicting = new KeyedMemory(64 << 20, new KeyedLimits(0, EvictionPolicy.ALLKEYS_LRU));
    private final Hashes entries = new Hashes();
    private final Map<Long, Integer> model = new HashMap<>();

    private int find(KeyIndex index, long hash) {
        entries.wanted = hash;
        return index.find(hash, entries);
    }

    private void add(KeyIndex index, long hash, int lid) {
        index.makeRoom(hash, lid, entries);
        entries.byLid.put(lid, hash);
        index.add(hash, lid);
        model.put(hash, lid);
    }

    @Test
    void randomSteps_besideModel_agree() {
        long seed = Long.getLong("granary.keyed.seed", 7);
        Random random = new Random(seed);
        List<Long> hashes = new ArrayList<>();
        try (KeyIndex index = new KeyIndex(memory, KeyedMemory.Lender.NONE)) {
            // Slots become wider when the LIDs become larger.
            int nextLid = (1 << 16) - 20_000;
            for (int step = 0; step < 60_000; step++) {
                if (step % 7_000 == 0) {
                    boolean evicts = step / 7_000 % 2 == 1;
                    limits.policy(evicts ? EvictionPolicy.ALLKEYS_LRU : EvictionPolicy.NOEVICTION);
                }
                // Grows, then shrinks, then grows again.
                boolean grow = random.nextInt(10) < (step / 20_000 == 1 ? 2 : 8);
                if (grow || hashes.isEmpty()) {
                    long hash = random.nextLong();
                    assertEquals(0, find(index, hash));
                    hashes.add(hash);
                    add(index, hash, nextLid++);
                } else {
                    int at = random.nextInt(hashes.size());
                    long hash = hashes.get(at);
                    hashes.set(at, hashes.getLast());
                    hashes.removeLast();
                    int lid = Objects.requireNonNull(model.remove(hash));
                    assertEquals(lid, find(index, hash));
                    index.remove(hash, lid, random.nextInt(3) == 0);
                    entries.byLid.remove(lid);
                    assertEquals(0, find(index, hash));
                }
                if (step % 2_000 == 0) {
                    index.verify(entries);
                    assertEquals(model.size(), index.size());
                    model.forEach((hash, lid) -> assertEquals(lid, find(index, hash), () -> "seed " + seed));
                }
            }
            assertTrue(nextLid > 1 << 16, nextLid + " LIDs");
            assertTrue(index.bytes() < 4L * index.size(), index.bytes() + " bytes for " + index.size());
            assertEquals(index.bytes(), memory.indexBytes());
        }
        assertEquals(0, memory.indexBytes());
    }

    @Test
    void add_manyEntries_takesAtMostThreeBytesForEach() {
        Random random = new Random(5);
        try (KeyIndex index = new KeyIndex(memory, KeyedMemory.Lender.NONE)) {
            for (int lid = 1; lid <= 60_000; lid++) {
                add(index, random.nextLong(), lid);
                assertTrue(lid < 5_000 || index.bytes() < 3L * lid, index.bytes() + " bytes for " + lid);
            }
            index.verify(entries);
        }
    }

    @Test
    void remove_mostEntries_givesTheirSlotsToOthers() {
        Random random = new Random(6);
        List<Long> hashes = new ArrayList<>();
        try (KeyIndex index = new KeyIndex(memory, KeyedMemory.Lender.NONE)) {
            for (int lid = 1; lid <= 20_000; lid++) {
                hashes.add(random.nextLong());
                add(index, hashes.getLast(), lid);
            }
            long bytes = index.bytes();
            for (int round = 0; round < 10; round++) {
                for (int lid = 1; lid <= 20_000; lid++) {
                    index.remove(hashes.get(lid - 1), lid, false);
                    model.remove(hashes.get(lid - 1));
                    hashes.set(lid - 1, random.nextLong());
                    add(index, hashes.get(lid - 1), lid);
                }
            }
            index.verify(entries);
            model.forEach((hash, lid) -> assertEquals(lid, find(index, hash)));
            assertTrue(index.bytes() < bytes * 11 / 10, index.bytes() + " bytes, and before " + bytes);
        }
    }

    /** Some keys are replaced by others all the time. */
    @Test
    void remove_entriesAtRandomWithOthersInTheirPlace_doesNotMakePagesGrowForRemovedOnes() {
        Random random = new Random(8);
        long[] hashes = new long[20_001];
        try (KeyIndex index = new KeyIndex(memory, KeyedMemory.Lender.NONE)) {
            for (int lid = 1; lid < hashes.length; lid++) {
                hashes[lid] = random.nextLong();
                add(index, hashes[lid], lid);
            }
            for (int i = 0; i < 5 * hashes.length; i++) {
                int lid = 1 + random.nextInt(hashes.length - 1);
                index.remove(hashes[lid], lid, false);
                model.remove(hashes[lid]);
                hashes[lid] = random.nextLong();
                add(index, hashes[lid], lid);
            }
            index.verify(entries);
            model.forEach((hash, lid) -> assertEquals(lid, find(index, hash)));
            assertTrue(index.bytes() < 3L * index.size(), index.bytes() + " bytes for " + index.size());
        }
    }

    @Test
    void churnOfOnePage_removedSlots_areUsedAgain() {
        try (KeyIndex index = new KeyIndex(memory, KeyedMemory.Lender.NONE)) {
            for (int i = 1; i <= 100_000; i++) {
                add(index, i * 0x9E3779B97F4A7C15L, i);
                if (i > 100) {
                    long old = (i - 100) * 0x9E3779B97F4A7C15L;
                    index.remove(old, i - 100, i % 2 == 0);
                    entries.byLid.remove(i - 100);
                }
            }
            index.verify(entries);
            assertEquals(IndexPages.BLOCK_BYTES, index.bytes());
        }
    }

    @Test
    void makeRoom_withoutMemory_throwsAndChangesNothing() {
        KeyedMemory little = new KeyedMemory(3 * KeyIndex.GROWTH_BYTES, KeyedLimits.none());
        try (KeyIndex index = new KeyIndex(little, KeyedMemory.Lender.NONE)) {
            Random random = new Random(3);
            int lid = 1;
            while (true) {
                long hash = random.nextLong();
                try {
                    add(index, hash, lid++);
                } catch (KeyspaceFullException e) {
                    assertTrue(String.valueOf(e.getMessage()).contains("bytes"), e.getMessage());
                    break;
                }
            }
            index.verify(entries);
            model.forEach((hash, known) -> assertEquals(known, find(index, hash)));
        }
        assertEquals(0, little.usedBytes());
    }

    @Test
    void makeRoom_hashesAllAlike_isRefused() {
        try (KeyIndex index = new KeyIndex(memory, KeyedMemory.Lender.NONE)) {
            assertThrows(KeyspaceFullException.class, () -> {
                for (int lid = 1; lid < 1000; lid++) {
                    add(index, 42, lid);
                }
            });
            index.verify(entries);
        }
    }

    private void add(KeyIndex index, int lid) {
        add(index, lid * 0x9E3779B97F4A7C15L, lid);
    }

    private int evict(KeyIndex index) {
        int lid = index.victim(10_000);
        index.remove(entries.hashOf(lid), lid, true);
        model.remove(entries.hashOf(lid));
        return lid;
    }

    @Test
    void victim_ofNewEntries_isOneThatNobodyFound() {
        try (KeyIndex index = new KeyIndex(evicting, KeyedMemory.Lender.NONE)) {
            for (int lid = 1; lid <= 1_000; lid++) {
                add(index, lid);
            }
            for (int lid = 1; lid <= 500; lid++) {
                assertEquals(lid, find(index, entries.hashOf(lid)));
            }
            for (int i = 0; i < 450; i++) {
                assertTrue(evict(index) > 500);
            }
            index.verify(entries);
            // Now those go that were found before the hand passed, and not since.
            for (int lid = 1; lid <= 250; lid++) {
                assertEquals(lid, find(index, entries.hashOf(lid)));
            }
            for (int i = 0; i < 240; i++) {
                assertTrue(evict(index) > 250);
            }
            index.verify(entries);
        }
    }

    @Test
    void victim_scanOfNewEntries_leavesThoseThatWereFound() {
        try (KeyIndex index = new KeyIndex(evicting, KeyedMemory.Lender.NONE)) {
            for (int lid = 1; lid <= 1_000; lid++) {
                add(index, lid);
                find(index, entries.hashOf(lid));
            }
            for (int lid = 1_001; lid <= 20_000; lid++) {
                evict(index);
                add(index, lid);
            }
            long left = model.values().stream().filter(lid -> lid <= 1_000).count();
            assertTrue(left > 900, left + " are left");
            index.verify(entries);
        }
    }

    @Test
    void add_keyThatWasEvictedAWhileAgo_isKeptAsOneThatWasFound() {
        try (KeyIndex index = new KeyIndex(evicting, KeyedMemory.Lender.NONE)) {
            for (int lid = 1; lid <= 1_000; lid++) {
                add(index, lid);
                find(index, entries.hashOf(lid));
            }
            for (int lid = 1_001; lid <= 1_150; lid++) {
                add(index, lid);
            }
            int again = evict(index);
            int other = evict(index);
            assertTrue(again > 1_000 && other > 1_000, again + " and " + other + " went");
            add(index, again);
            // Whoever is young goes before any other, as more than a twentieth is.
            for (int i = 0; i < 40; i++) {
                add(index, 3_000 + i);
                assertTrue(evict(index) != again);
            }
            assertEquals(again, find(index, entries.hashOf(again)));
            index.verify(entries);
        }
    }

    @Test
    void victim_fewSlotsToLookAt_findsNoneAndGoesOnLater() {
        try (KeyIndex index = new KeyIndex(evicting, KeyedMemory.Lender.NONE)) {
            assertEquals(0, index.victim(1_000));
            assertEquals(0, index.nextInTurn());
            for (int lid = 1; lid <= 1_000; lid++) {
                add(index, lid);
                find(index, entries.hashOf(lid));
            }
            int looks = 0;
            while (index.victim(1) == 0) {
                looks++;
            }
            assertTrue(looks > 100 && looks < 2_000, looks + " looks");
            assertTrue(index.nextInTurn() > 0);
        }
    }

    @Test
    void victimBeside_withoutMemory_makesRoomInTheIndex() {
        KeyedMemory little = new KeyedMemory(4 * KeyIndex.GROWTH_BYTES, KeyedLimits.none());
        try (KeyIndex index = new KeyIndex(little, KeyedMemory.Lender.NONE)) {
            int refused = 0;
            for (int lid = 1; lid <= 20_000; lid++) {
                long hash = lid * 0x9E3779B97F4A7C15L;
                try {
                    index.makeRoom(hash, lid, entries);
                } catch (KeyspaceFullException e) {
                    refused++;
                    while (!index.isRoomyBeside(hash)) {
                        int other = index.victimBeside(hash);
                        index.remove(entries.hashOf(other), other, true);
                        model.remove(entries.hashOf(other));
                    }
                }
                add(index, hash, lid);
            }
            assertTrue(refused > 10, refused + " refused");
            assertTrue(index.size() > 500, index.size() + " entries");
            index.verify(entries);
            model.forEach((hash, known) -> assertEquals(known, find(index, hash)));
        }
    }
}
