package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.arena.Reclaimer;
import dev.granary.memory.page.Page;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class ConsecutiveCreationTest {

    private final MemoryLayout layout;
    private ChunkMemory memory;

    ConsecutiveCreationTest(MemoryLayout layout) {
        this.layout = layout;
        this.memory = MemoryTests.open(layout, 16 << 20);
    }

    @BeforeEach
    void fillSome() {
        memory.create(32);
    }

    @AfterEach
    void close() {
        MemoryTests.assertSound(memory);
        memory.close();
    }

    @Test
    void createConsecutive_sizesOfAllKinds_givesEachItsBytesAtConsecutiveCids() {
        Random random = new Random(7);
        int[] sizes = random.ints(5000, 0, 300).toArray();
        sizes[3] = 5000;
        sizes[700] = 1000;
        sizes[701] = 0;
        Arrays.fill(sizes, 1024, 2048, 24);
        byte[] payload = MemoryTests.random(random, Arrays.stream(sizes).sum());

        long first = memory.createConsecutive(sizes.length, sizes, MemorySegment.ofArray(payload), 0);

        int at = 0;
        for (int i = 0; i < sizes.length; i++) {
            assertThat(MemoryTests.bytes(memory, first + i)).isEqualTo(Arrays.copyOfRange(payload, at, at + sizes[i]));
            at += sizes[i];
        }
        assertThat(memory.statistics().chunks()).isEqualTo(5001);
    }

    @Test
    void createConsecutive_thenDeleteSome_lidsAreGivenAgain() {
        int[] sizes = new int[2000];
        Arrays.fill(sizes, 40);
        long first = memory.createConsecutive(sizes.length, sizes, null, 0);
        for (int i = 0; i < sizes.length; i += 2) {
            assertThat(memory.delete(first + i)).isTrue();
        }
        MemoryTests.assertSound(memory);
        for (int i = 0; i < 3000; i++) {
            memory.create(40);
        }
        assertThat(memory.statistics().chunks()).isEqualTo(1 + 1000 + 3000);
        assertThat(memory.sizeOf(first + 1)).isEqualTo(40);
    }

    @Test
    void createConsecutive_aChunkWasInsertedAtALidAhead_leavesItAndTakesOthers() {
        long ahead = (long) MemoryTests.NID << 48 | (memory.lidMark() + Page.SLOTS + 7);
        byte[] content = {1, 2, 3};
        assertThat(memory.insert(ahead, MemorySegment.ofArray(content), 0, content.length))
                .isTrue();
        int[] sizes = new int[3 * Page.SLOTS];
        Arrays.fill(sizes, 40);

        long first = memory.createConsecutive(sizes.length, sizes, null, 0);

        assertThat(MemoryTests.bytes(memory, ahead)).isEqualTo(content);
        assertThat(first).isGreaterThan(ahead);
        assertThat(memory.sizeOf(first + sizes.length - 1)).isEqualTo(40);
        assertThat(memory.statistics().chunks()).isEqualTo(1 + 1 + sizes.length);
        MemoryTests.assertSound(memory);
        // The LIDs around it are given later.
        boolean below = false;
        for (int i = 0; i < 2000; i++) {
            below |= memory.create(40) < first;
        }
        assertThat(below).isTrue();
    }

    @Test
    void createConsecutive_notEnoughRoom_createsNone() {
        int[] sizes = new int[40_000];
        Arrays.fill(sizes, 1001);
        assertThatThrownBy(() -> memory.createConsecutive(sizes.length, sizes, null, 0))
                .isInstanceOf(OutOfChunkMemoryException.class);
        assertThat(memory.statistics().chunks()).isEqualTo(1);
        MemoryTests.assertSound(memory);
        assertThat(memory.sizeOf(memory.createConsecutive(1000, sizes, null, 0)))
                .isEqualTo(1001);
    }

    @Test
    void createConsecutive_notEnoughLids_createsNone() {
        try (ChunkMemory few = ChunkMemories.open(MemoryTests.config(layout, 16 << 20))) {
            few.reserveLids(2000);
            assertThatThrownBy(() -> few.createConsecutive(2000, new int[2000], null, 0))
                    .isInstanceOf(LidsExhaustedException.class);
            assertThat(few.statistics().chunks()).isZero();
            assertThat(few.createConsecutive(1000, new int[1000], null, 0))
                    .isEqualTo((long) MemoryTests.NID << 48 | 512);
            MemoryTests.assertSound(few);
        }
    }

    @Test
    void create_noRoomUntilMemoryIsReclaimed_createsAllThen() {
        try (OpenMemory open = new OpenMemory(layout, 4 << 20, 1)) {
            open.create(10);
            open.takeAll(100);
            List<Long> reclaims = new ArrayList<>();
            ConsecutiveCreation creation = creation(open, neededBytes -> {
                reclaims.add(neededBytes);
                open.giveAll();
                return Reclaimer.Reclaimed.ROOM;
            });
            int[] sizes = new int[600];
            Arrays.fill(sizes, 16);
            long first = creation.create(sizes.length, sizes, null, 0);
            assertThat(reclaims).hasSize(1);
            assertThat(open.memory.sizeOf(OpenMemory.own(first + 599))).isEqualTo(16);
            assertThat(open.memory.statistics().chunks()).isEqualTo(601);
        }
    }

    @Test
    void create_nothingCanBeReclaimed_createsNoneAndItsLidsAreGivenLater() {
        try (OpenMemory open = new OpenMemory(layout, 4 << 20, 1)) {
            open.create(10);
            open.takeAll(100);
            ConsecutiveCreation creation = creation(open, neededBytes -> Reclaimer.Reclaimed.NOTHING);
            int[] sizes = new int[3 * Page.SLOTS];
            Arrays.fill(sizes, 300);
            long next = open.space.numbers.next();
            assertThatThrownBy(() -> creation.create(sizes.length, sizes, null, 0))
                    .isInstanceOf(OutOfChunkMemoryException.class);
            assertThat(open.memory.statistics().chunks()).isEqualTo(1);
            assertThat(open.space.numbers.next()).isEqualTo(next + 3);
            open.giveAll();
            for (int i = 0; i < 4 * Page.SLOTS; i++) {
                open.memory.create(0);
            }
            assertThat(open.memory.sizeOf(OpenMemory.own((next + 1) * Page.SLOTS)))
                    .isZero();
        }
    }

    private static ConsecutiveCreation creation(OpenMemory open, Reclaimer reclaimer) {
        return new ConsecutiveCreation(open.space, open.stripes, new Removal(open.space, open.stripes), reclaimer);
    }
}
