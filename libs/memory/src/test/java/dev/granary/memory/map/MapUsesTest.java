package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MapUsesTest {

    private static final long GROUP = 3;

    private final MapMemory memory = new MapMemory(4096, false);
    private final MapUses uses = new MapUses(memory, 512, true);

    @AfterEach
    void close() {
        memory.close();
    }

    @Test
    void removed_anyEntry_othersKeepTheirMarks() {
        long seed = 20261126;
        Random random = new Random(seed);
        List<Boolean> model = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            int kind = random.nextInt(step % 1000 < 500 ? 5 : 3);
            if (kind == 0 && !model.isEmpty()) {
                int index = random.nextInt(model.size());
                uses.mark(GROUP, index);
                model.set(index, true);
            } else if (kind == 1 && !model.isEmpty()) {
                int index = random.nextInt(model.size());
                uses.removed(GROUP, index);
                model.remove(index);
            } else if (model.size() < 119) {
                uses.added(GROUP, model.size());
                model.add(false);
            }
            for (int i = 0; i < model.size(); i++) {
                assertThat(uses.isMarked(GROUP, i))
                        .as("seed %d, step %d, entry %d", seed, step, i)
                        .isEqualTo(model.get(i));
            }
        }
        assertThat(uses.hand(GROUP)).isZero();
        assertThat(memory.word(512 + (GROUP - 1) * MapUses.BYTES)).isZero();
        assertThat(memory.word(512 + (GROUP + 1) * MapUses.BYTES)).isZero();
    }

    @Test
    void victim_someWereGot_theHandPassesThemOnce() {
        uses.mark(GROUP, 0);
        uses.mark(GROUP, 2);
        assertThat(uses.victim(GROUP, 5)).isEqualTo(1);
        uses.removed(GROUP, 1);
        // What was 2 is 1 now: it is passed and loses its mark.
        assertThat(uses.victim(GROUP, 4)).isEqualTo(2);
        uses.removed(GROUP, 2);
        assertThat(uses.victim(GROUP, 3)).isEqualTo(2);
        uses.removed(GROUP, 2);
        // Round the end; the first two have not been got again.
        assertThat(uses.victim(GROUP, 2)).isZero();
    }

    @Test
    void removed_inFrontOfTheHand_itStaysWithItsEntry() {
        for (int i = 0; i < 70; i++) {
            uses.mark(GROUP, i);
        }
        assertThat(uses.victim(GROUP, 100)).isEqualTo(70);
        uses.removed(GROUP, 5);
        assertThat(uses.hand(GROUP)).isEqualTo(69);
        uses.removed(GROUP, 69);
        uses.removed(GROUP, 80);
        assertThat(uses.hand(GROUP)).isEqualTo(69);
        uses.reset(GROUP);
        assertThat(uses.hand(GROUP)).isZero();
    }

    @Test
    void victim_allWereGot_isFoundAfterARound() {
        for (int i = 0; i < 250; i++) {
            uses.mark(GROUP, i);
        }
        assertThat(uses.victim(GROUP, 250)).isBetween(0, 249);
        for (int i = 0; i < 119; i++) {
            assertThat(uses.isMarked(GROUP, i)).isFalse();
        }
    }

    @Test
    void mark_mapThatKeepsNone_writesNothing() {
        MapUses none = MapUses.none(memory);
        none.mark(0, 3);
        none.removed(0, 1);
        none.reset(0);
        assertThat(none.isMarked(0, 3)).isFalse();
        assertThat(none.bytesPerGroup()).isZero();
        assertThat(memory.word(0)).isZero();
    }
}
