package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.SizeMismatchException;
import dev.granary.memory.arena.Reclaimer.Reclaimed;
import dev.granary.memory.page.Page;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class CreationTest {

    private static final int LIDS = 5 * Page.SLOTS;

    private final OpenMemory open;
    private final Creation creation;

    /** What was asked of the reclaimer, and what it does and answers. */
    private final List<Long> reclaims = new ArrayList<>();

    private Reclaimed answer = Reclaimed.ROOM;
    private Runnable onReclaim = () -> {};

    CreationTest(MemoryLayout layout) {
        open = new OpenMemory(layout, 4 << 20, 2, LIDS + 1);
        creation = new Creation(open.space, open.stripes, new Removal(open.space, open.stripes), neededBytes -> {
            reclaims.add(neededBytes);
            onReclaim.run();
            return answer;
        });
    }

    @AfterEach
    void close() {
        open.close();
    }

    @Test
    void create_partOfASource_hasTheseBytes() {
        byte[] source = OpenMemory.content(1, 5000);
        for (int size : new int[] {0, 1, 16, 300, 1000, 1001, 4000}) {
            long cid = creation.create(MemorySegment.ofArray(source), 900, size);
            assertThat(open.get(cid)).isEqualTo(Arrays.copyOfRange(source, 900, 900 + size));
            long zeros = creation.create(null, 0, size);
            assertThat(open.get(zeros)).isEqualTo(new byte[size]);
        }
        assertThat(reclaims).isEmpty();
    }

    @Test
    void create_noRoomAfterReclaiming_isRefusedOnce() {
        open.create(10);
        open.takeAll(100);
        assertThatThrownBy(() -> creation.create(null, 0, 3000)).isInstanceOf(OutOfChunkMemoryException.class);
        assertThat(reclaims).containsExactly(3001L);
        answer = Reclaimed.LATER;
        assertThatThrownBy(() -> creation.create(null, 0, 3000)).isInstanceOf(OutOfChunkMemoryException.class);
        assertThat(reclaims).hasSize(2);
        assertThat(open.memory.statistics().chunks()).isEqualTo(1);
    }

    @Test
    void create_reclaimerMakesRoom_isThere() {
        open.create(10);
        open.takeAll(100);
        onReclaim = open::giveAll;
        assertThat(open.memory.sizeOf(creation.create(null, 0, 3000))).isEqualTo(3000);
        assertThat(reclaims).hasSize(1);
    }

    @Test
    void create_noLidLeft_isRefusedWithoutReclaiming() {
        for (int i = 0; i < LIDS; i++) {
            creation.create(null, 0, i % 900);
        }
        assertThatThrownBy(() -> creation.create(null, 0, 10)).isInstanceOf(LidsExhaustedException.class);
        assertThat(reclaims).isEmpty();
        open.memory.reserveLids(LIDS + 2);
        assertThat(creation.create(null, 0, 10)).isEqualTo(OpenMemory.own(LIDS + 1));
    }

    @Test
    void create_sourceThatIsClosed_leavesNothing() {
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(5000);
        }
        open.create(10);
        for (int size : new int[] {1, 300, 1001, 5000}) {
            assertThatThrownBy(() -> creation.create(closed, 0, size)).isInstanceOf(IllegalStateException.class);
            assertThat(open.memory.statistics().chunks()).isEqualTo(1);
            assertThat(open.violations()).isEmpty();
        }
    }

    @Test
    void create_object_hasWhatItWrites() {
        for (int size : new int[] {0, 16, 300, 5000}) {
            byte[] content = OpenMemory.content(size, size);
            assertThat(open.get(creation.create(TestObject.of(content), size))).isEqualTo(content);
        }
    }

    @Test
    void create_objectFailsOrWritesTooLittle_leavesNothing() {
        open.create(10);
        for (int size : new int[] {16, 300, 5000}) {
            assertThatThrownBy(() -> creation.create(writing(size - 1), size))
                    .isInstanceOf(SizeMismatchException.class);
            assertThatThrownBy(() -> creation.create(failing(), size)).isInstanceOf(IllegalStateException.class);
            assertThat(open.memory.statistics().chunks()).isEqualTo(1);
            assertThat(open.violations()).isEmpty();
        }
        assertThat(open.memory.sizeOf(open.create(300))).isEqualTo(300);
    }

    @Test
    void create_many_eachHasItsPartOfTheSource() {
        int[] sizes = new Random(9).ints(1500, 0, 1200).toArray();
        byte[] source = MemoryTests.random(new Random(10), Arrays.stream(sizes).sum() + 5);
        long[] cids = new long[sizes.length];
        creation.create(sizes.length, sizes, MemorySegment.ofArray(source), 5, cids);
        int at = 5;
        for (int i = 0; i < sizes.length; i++) {
            assertThat(open.get(cids[i])).isEqualTo(Arrays.copyOfRange(source, at, at + sizes[i]));
            at += sizes[i];
        }
        assertThat(Arrays.stream(cids).distinct()).hasSize(sizes.length);
    }

    @Test
    void create_manyButNoRoomForAll_createsNone() {
        int[] sizes = new int[2000];
        Arrays.fill(sizes, 1500);
        sizes[1900] = 3 << 20;
        assertThatThrownBy(() -> creation.create(sizes.length, sizes, null, 0, new long[2000]))
                .isInstanceOf(OutOfChunkMemoryException.class);
        assertThat(open.memory.statistics().chunks()).isZero();
        assertThatThrownBy(() -> creation.create(LIDS + 1, new int[LIDS + 1], null, 0, new long[LIDS + 1]))
                .isInstanceOf(LidsExhaustedException.class);
        assertThat(open.memory.statistics().chunks()).isZero();
        creation.create(LIDS, new int[LIDS], null, 0, new long[LIDS]);
        assertThat(open.memory.statistics().chunks()).isEqualTo(LIDS);
    }

    private static Exportable writing(int count) {
        return new Exportable() {
            @Override
            public int sizeBytes() {
                return count;
            }

            @Override
            public void exportTo(Exporter out) {
                for (int i = 0; i < count; i++) {
                    out.writeByte((byte) i);
                }
            }
        };
    }

    private static Exportable failing() {
        return new Exportable() {
            @Override
            public int sizeBytes() {
                return 1;
            }

            @Override
            public void exportTo(Exporter out) {
                out.writeByte((byte) 1);
                throw new IllegalStateException("on purpose");
            }
        };
    }
}
