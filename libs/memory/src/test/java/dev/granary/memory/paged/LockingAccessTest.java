package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkAccess;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.InvalidSizeException;
import dev.granary.memory.LockMode;
import dev.granary.memory.LockTimeoutException;
import dev.granary.memory.MemoryLayout;
import dev.granary.serialization.BufferTooSmallException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LockingAccessTest {

    private static final int SIZE = 20;

    private final OpenMemory open = new OpenMemory(MemoryLayout.TYPED, 4 << 20, 1);
    private final ChunkMemory memory = open.memory;
    private final ChunkAccess writing = access(LockMode.WRITE);
    private final ChunkAccess reading = access(LockMode.READ);
    private final MemorySegment target = MemorySegment.ofArray(new byte[1000]);
    private final MemorySegment source = MemorySegment.ofArray(new byte[1000]);
    private final long[] cids = new long[4];
    private long absent;

    private ChunkAccess access(LockMode mode) {
        return new LockingAccess((PagedChunkMemory) open.memory, mode, 0);
    }

    @BeforeEach
    void create() {
        for (int i = 0; i < cids.length; i++) {
            cids[i] = open.create(SIZE);
        }
        absent = cids[3];
        memory.delete(absent);
    }

    /** Nothing is locked any more. */
    @AfterEach
    void close() {
        for (int i = 0; i < 3; i++) {
            if (memory.sizeOf(cids[i]) != ChunkMemory.ABSENT) {
                assertThat(memory.lock(cids[i], LockMode.WRITE, 0)).isTrue();
                memory.unlock(cids[i], LockMode.WRITE);
            }
        }
        open.close();
    }

    @Test
    void operations_chunkIsFree_doWhatTheMemoryDoes() {
        assertThat(writing.sizeOf(cids[0])).isEqualTo(SIZE);
        assertThat(writing.get(cids[0], target, 3, SIZE)).isEqualTo(SIZE);
        assertThat(target.asSlice(3, SIZE).mismatch(MemorySegment.ofArray(OpenMemory.content(cids[0], SIZE))))
                .isEqualTo(-1);
        assertThat(writing.get(cids[0], TestObject.expecting(OpenMemory.content(cids[0], SIZE))))
                .isTrue();
        byte[] other = OpenMemory.content(5, SIZE);
        assertThat(writing.put(cids[0], MemorySegment.ofArray(other), 0, SIZE)).isTrue();
        assertThat(open.get(cids[0])).isEqualTo(other);
        byte[] object = OpenMemory.content(6, SIZE);
        assertThat(writing.put(cids[0], TestObject.of(object))).isTrue();
        assertThat(open.get(cids[0])).isEqualTo(object);
        assertThat(writing.replace(cids[0], source, 0, 33)).isTrue();
        assertThat(open.get(cids[0])).isEqualTo(new byte[33]);
        assertThat(writing.resize(cids[0], 44)).isTrue();
        assertThat(memory.sizeOf(cids[0])).isEqualTo(44);
        assertThat(writing.delete(cids[0])).isTrue();
        assertThat(memory.sizeOf(cids[0])).isEqualTo(ChunkMemory.ABSENT);
    }

    @Test
    void operations_noSuchChunk_sayThat() {
        assertThat(writing.sizeOf(absent)).isEqualTo(ChunkMemory.ABSENT);
        assertThat(writing.get(absent, target, 0, SIZE)).isEqualTo(ChunkMemory.ABSENT);
        assertThat(writing.get(absent, TestObject.expecting(new byte[0]))).isFalse();
        assertThat(writing.put(absent, source, 0, SIZE)).isFalse();
        assertThat(writing.put(absent, TestObject.of(new byte[SIZE]))).isFalse();
        assertThat(writing.replace(absent, source, 0, SIZE)).isFalse();
        assertThat(writing.resize(absent, SIZE)).isFalse();
        assertThat(writing.delete(absent)).isFalse();
    }

    @Test
    void operations_chunkIsLockedForWriting_changeNothing() {
        memory.lock(cids[0], LockMode.WRITE, 0);
        List<ThrowingCallable> operations = List.of(
                () -> reading.sizeOf(cids[0]),
                () -> reading.get(cids[0], target, 0, SIZE),
                () -> reading.get(cids[0], TestObject.expecting(new byte[SIZE])),
                () -> reading.get(new long[] {cids[0]}, 0, 1, target, 0, 100, new int[1]),
                () -> writing.put(cids[0], source, 0, SIZE),
                () -> writing.put(cids[0], TestObject.of(new byte[SIZE])),
                () -> writing.replace(cids[0], source, 0, 33),
                () -> writing.replace(new long[] {cids[0]}, 0, 1, source, 0, new int[] {33}, new boolean[1]),
                () -> writing.resize(cids[0], 44),
                () -> writing.delete(cids[0]),
                () -> writing.delete(new long[] {cids[0]}, 0, 1, new boolean[1]));
        for (ThrowingCallable operation : operations) {
            assertThatThrownBy(operation).isInstanceOf(LockTimeoutException.class);
        }
        memory.unlock(cids[0], LockMode.WRITE);
        assertThat(open.get(cids[0])).isEqualTo(OpenMemory.content(cids[0], SIZE));
        assertThat(target.mismatch(source)).isEqualTo(-1);
    }

    @Test
    void operations_chunkIsLockedForReading_readersComeInAndWritersDoNot() {
        memory.lock(cids[0], LockMode.READ, 0);
        assertThat(reading.get(cids[0], target, 0, SIZE)).isEqualTo(SIZE);
        assertThatThrownBy(() -> writing.get(cids[0], target, 0, SIZE)).isInstanceOf(LockTimeoutException.class);
        memory.unlock(cids[0], LockMode.READ);
    }

    @Test
    void operations_thatThrow_leaveNoLock() {
        assertThatThrownBy(() -> writing.get(cids[0], target, 0, SIZE - 1)).isInstanceOf(BufferTooSmallException.class);
        assertThatThrownBy(() -> writing.put(cids[1], source, 0, 2000)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> writing.resize(cids[2], -1)).isInstanceOf(InvalidSizeException.class);
    }

    @Test
    void get_many_putsThemBehindEachOtherUntilOneDoesNotFit() {
        int[] sizes = new int[4];
        long[] wanted = {cids[2], absent, cids[0], cids[1]};
        assertThat(reading.get(wanted, 0, 4, target, 7, 2 * SIZE + 5, sizes)).isEqualTo(3);
        assertThat(sizes).startsWith(SIZE, ChunkMemory.ABSENT, SIZE);
        byte[] first = OpenMemory.content(cids[2], SIZE);
        byte[] second = OpenMemory.content(cids[0], SIZE);
        assertThat(target.asSlice(7, SIZE).mismatch(MemorySegment.ofArray(first)))
                .isEqualTo(-1);
        assertThat(target.asSlice(7 + SIZE, SIZE).mismatch(MemorySegment.ofArray(second)))
                .isEqualTo(-1);
        assertThat(reading.get(wanted, 3, 4, target, 0, SIZE, sizes)).isEqualTo(4);
        assertThat(sizes[3]).isEqualTo(SIZE);
    }

    @Test
    void replaceAndDelete_many_sayWhichWereThere() {
        boolean[] done = new boolean[5];
        long[] wanted = {0, cids[0], absent, cids[1], 0};
        MemorySegment bytes = MemorySegment.ofArray(OpenMemory.content(1, 100));
        assertThat(writing.replace(wanted, 1, 4, bytes, 10, new int[] {0, 5, 30, 7, 0}, done))
                .isEqualTo(2);
        assertThat(done).containsExactly(false, true, false, true, false);
        assertThat(open.get(cids[0])).isEqualTo(bytes.asSlice(10, 5).toArray(ValueLayout.JAVA_BYTE));
        assertThat(open.get(cids[1])).isEqualTo(bytes.asSlice(45, 7).toArray(ValueLayout.JAVA_BYTE));
        assertThat(writing.delete(wanted, 1, 4, done)).isEqualTo(2);
        assertThat(done).containsExactly(false, true, false, true, false);
        assertThat(memory.statistics().chunks()).isEqualTo(1);
    }
}
