package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.page.Page;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class LidReuseTest {

    private static final int COUNT = 100_000;

    private final MemoryLayout layout;

    LidReuseTest(MemoryLayout layout) {
        this.layout = layout;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void create_afterDeletingARandomHalf_givesTheFreeLidsAgain(long seed) {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        try (ChunkMemory memory = MemoryTests.open(layout, 32 << 20)) {
            Set<Long> alive = new HashSet<>();
            long[] cids = new long[COUNT];
            for (int i = 0; i < COUNT; i++) {
                cids[i] = memory.create(8);
                alive.add(cids[i]);
            }
            Set<Long> freed = new HashSet<>();
            for (long cid : cids) {
                if (random.nextBoolean()) {
                    memory.delete(cid);
                    alive.remove(cid);
                    freed.add(cid);
                }
            }
            MemoryTests.assertSound(memory);
            long mark = memory.lidMark();
            int again = freed.size();
            for (int i = 0; i < again; i++) {
                long cid = memory.create(8);
                assertThat(alive.add(cid)).as("0x%016x given twice", cid).isTrue();
            }
            // Typed pages do not take the free LIDs of the first, packed ones: one more page may be needed.
            assertThat(memory.lidMark()).isBetween(mark, mark + (layout == MemoryLayout.TYPED ? Page.SLOTS : 0));
            freed.retainAll(alive);
            assertThat(freed).hasSizeGreaterThan(again - 600);
            MemoryTests.assertSound(memory);
        }
    }

    /** Pages of inserted chunks have free LIDs, too, but none that may be given. */
    @Test
    @Timeout(60)
    void create_besidePagesOfInsertedChunksWithoutUsableLids_endsWhenAllLidsAreGiven() {
        int lids = 2000;
        try (ChunkMemory memory = PagedChunkMemory.open(MemoryTests.config(layout, 8 << 20), 1)) {
            memory.reserveLids(lids + 1);
            for (int i = 0; i < 5; i++) {
                long cid = (long) MemoryTests.NID << 48 | (10_000 + 1000L * i);
                assertThat(memory.insert(cid, MemoryTests.segment((byte) i), 0, 1))
                        .isTrue();
            }
            long[] cids = new long[lids];
            for (int i = 0; i < lids; i++) {
                cids[i] = memory.create(1);
            }
            assertThatThrownBy(() -> memory.create(1)).isInstanceOf(LidsExhaustedException.class);
            assertThat(memory.delete(cids[700])).isTrue();
            assertThat(memory.create(1)).isEqualTo(cids[700]);
            assertThatThrownBy(() -> memory.create(10, new int[10], null, 0, new long[10]))
                    .isInstanceOf(LidsExhaustedException.class);
            memory.reserveLids(2 * lids + 1);
            assertThat(memory.create(lids, new int[lids], null, 0, cids)).isEqualTo(lids);
            MemoryTests.assertSound(memory);
        }
    }

    /** A chunk that an earlier incarnation of the peer created has come back, to the page of the first new LID. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lidMark_chunksAreCreatedInAPageThatAnInsertMade_isBehindThem(boolean deleted) {
        ChunkMemoryConfig config = MemoryTests.config(layout, 8 << 20).withFirstLid(161);
        try (ChunkMemory memory = PagedChunkMemory.open(config, 1)) {
            memory.reserveLids(193);
            long former = OpenMemory.own(5);
            assertThat(memory.insert(former, MemoryTests.segment((byte) 5), 0, 1))
                    .isTrue();
            if (deleted) {
                assertThat(memory.delete(former)).isTrue();
            }
            assertThat(memory.lidMark()).isEqualTo(161);
            assertThat(memory.create(1)).isEqualTo(OpenMemory.own(161));
            assertThat(memory.create(1)).isEqualTo(OpenMemory.own(162));
            assertThat(memory.lidMark()).isGreaterThan(162);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void create_whenAllLidsAreGiven_findsEachFreeOne() {
        try (ChunkMemory memory = ChunkMemories.open(MemoryTests.config(layout, 32 << 20))) {
            memory.reserveLids(COUNT + 1);
            long[] cids = new long[COUNT];
            int[] sizes = new int[COUNT];
            memory.create(COUNT, sizes, null, 0, cids);
            // More than the caches take, spread over all tables, so that harvests must find them.
            Set<Long> freed = new HashSet<>();
            for (int i = 0; i < COUNT; i += 7) {
                memory.delete(cids[i]);
                freed.add(cids[i]);
            }
            int again = freed.size();
            for (int i = 0; i < again; i++) {
                assertThat(freed.remove(memory.create(0))).isTrue();
            }
            assertThat(freed).isEmpty();
            assertThatThrownBy(() -> memory.create(0)).isInstanceOf(LidsExhaustedException.class);
            MemoryTests.assertSound(memory);
        }
    }
}
