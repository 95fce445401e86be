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

    private final IndexMemory memory = new IndexMemory(64 << 20);
    private final Hashes entries = new Hashes();
    private final Map<Long, Integer> model = new HashMap<>();

    private int find(KeyIndex index, long hash) {
        entries.wanted = hash;
        return index.find(hash, entries);
    }

    private void add(KeyIndex index, long hash, int lid) {
        index.makeRoom(hash, entries);
        entries.byLid.put(lid, hash);
        index.add(hash, lid);
        model.put(hash, lid);
    }

    @Test
    void randomSteps_besideModel_agree() {
        long seed = Long.getLong("granary.keyed.seed", 7);
        Random random = new Random(seed);
        List<Long> hashes = new ArrayList<>();
        try (KeyIndex index = new KeyIndex(memory)) {
            int nextLid = 1;
            for (int step = 0; step < 60_000; step++) {
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
                    index.remove(hash, lid);
                    entries.byLid.remove(lid);
                    assertEquals(0, find(index, hash));
                }
                if (step % 5_000 == 0) {
                    index.verify(entries);
                    assertEquals(model.size(), index.size());
                    model.forEach((hash, lid) -> assertEquals(lid, find(index, hash), () -> "seed " + seed));
                }
            }
            assertTrue(index.bytes() < 12L * index.size(), index.bytes() + " bytes for " + index.size());
            assertEquals(index.bytes(), memory.bytes());
        }
        assertEquals(0, memory.bytes());
    }

    @Test
    void churnOfOnePage_removedSlots_areUsedAgain() {
        try (KeyIndex index = new KeyIndex(memory)) {
            for (int i = 1; i <= 100_000; i++) {
                add(index, i * 0x9E3779B97F4A7C15L, i);
                if (i > 100) {
                    long old = (i - 100) * 0x9E3779B97F4A7C15L;
                    index.remove(old, i - 100);
                    entries.byLid.remove(i - 100);
                }
            }
            index.verify(entries);
            assertEquals(KeyIndex.PAGE_SLOTS * Integer.BYTES, index.bytes());
        }
    }

    @Test
    void makeRoom_withoutMemory_throwsAndChangesNothing() {
        IndexMemory little = new IndexMemory(3 * KeyIndex.PAGE_SLOTS * Integer.BYTES);
        try (KeyIndex index = new KeyIndex(little)) {
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
        assertEquals(0, little.bytes());
    }

    @Test
    void makeRoom_hashesAllAlike_isRefused() {
        try (KeyIndex index = new KeyIndex(memory)) {
            assertThrows(KeyspaceFullException.class, () -> {
                for (int lid = 1; lid < 1000; lid++) {
                    add(index, 42, lid);
                }
            });
            index.verify(entries);
        }
    }
}
