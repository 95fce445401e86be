package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ForeignCidException;
import dev.granary.memory.InvalidSizeException;
import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.LockChoice;
import dev.granary.memory.LockMode;
import dev.granary.memory.LockTimeoutException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.MemoryStatistics;
import dev.granary.memory.NotLockedException;
import dev.granary.memory.NotPinnedException;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.PinnedException;
import dev.granary.memory.ReadOnlyException;
import dev.granary.memory.SizeMismatchException;
import dev.granary.serialization.BufferTooSmallException;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Wrong use is refused, and the store is afterwards what it was before: the same chunks with the same bytes, the same
 * figures, and nothing for the verifier to complain about.
 */
class ChunkMemoryWrongUseTest {

    private static final long CAPACITY = 1 << 20;

    /** A store with chunks in pages of all kinds, and CIDs to go wrong with. */
    private static final class Store {
        final ChunkMemory memory;
        final MemoryModel model = new MemoryModel();
        final long live;
        final long packed;
        final long large;
        final long readOnly;
        final long pinned;
        final long locked;
        final long freed;

        Store(MemoryLayout layout) {
            memory = ChunkMemories.open(MemoryTests.config(layout, CAPACITY));
            memory.reserveLids(20_000);
            for (int i = 0; i < 3000; i++) {
                create(16);
            }
            live = create(16);
            packed = create(77);
            large = create(5000);
            readOnly = create(16);
            memory.setReadOnly(readOnly);
            pinned = create(16);
            memory.pin(pinned);
            locked = create(16);
            memory.lock(locked, LockMode.WRITE, 0);
            freed = create(16);
            memory.delete(freed);
            model.remove(freed);
        }

        private long create(int sizeBytes) {
            byte[] content = MemoryTests.random(new Random(model.size()), sizeBytes);
            long cid = memory.create(MemorySegment.ofArray(content), 0, sizeBytes);
            model.add(cid, content);
            return cid;
        }
    }

    /** A wrong use and how it is refused: by an exception, or with a message. */
    private record Misuse(String name, Class<? extends Exception> how, String message, Consumer<Store> use) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final MemorySegment BYTES = MemorySegment.ofArray(new byte[100]);
    private static final long OTHER_NID = 0x1234L << 48 | 5;

    static List<Arguments> misuses() {
        List<Misuse> all = List.of(
                refused(
                        "get of a foreign NID",
                        ForeignCidException.class,
                        "belongs to node 0x1234",
                        s -> s.memory.get(OTHER_NID, BYTES, 0, 100)),
                refused(
                        "put to a foreign NID",
                        ForeignCidException.class,
                        "",
                        s -> s.memory.put(OTHER_NID, BYTES, 0, 16)),
                refused("delete of a foreign NID", ForeignCidException.class, "", s -> s.memory.delete(OTHER_NID)),
                refused(
                        "batch get with a foreign NID",
                        ForeignCidException.class,
                        "",
                        s -> s.memory.get(new long[] {s.live, OTHER_NID}, 0, 2, BYTES, 0, 100, new int[2])),
                refused(
                        "batch delete with a foreign NID",
                        ForeignCidException.class,
                        "",
                        s -> s.memory.delete(new long[] {s.live, OTHER_NID}, 0, 2, new boolean[2])),
                refused(
                        "lock of a foreign NID",
                        ForeignCidException.class,
                        "",
                        s -> s.memory.lock(OTHER_NID, LockMode.READ, 0)),
                refused(
                        "insert with LID 0",
                        IllegalArgumentException.class,
                        "is no CID",
                        s -> s.memory.insert(0x8000L << 48, BYTES, 0, 16)),
                refused(
                        "insert with NID 0",
                        IllegalArgumentException.class,
                        "is no CID",
                        s -> s.memory.insert(5, BYTES, 0, 16)),
                refused(
                        "put of too few bytes",
                        SizeMismatchException.class,
                        "16",
                        s -> s.memory.put(s.live, BYTES, 0, 15)),
                refused(
                        "put of too many bytes",
                        SizeMismatchException.class,
                        "",
                        s -> s.memory.put(s.packed, BYTES, 0, 78)),
                refused(
                        "put of an object of another size",
                        SizeMismatchException.class,
                        "",
                        s -> s.memory.put(s.live, TestObject.of(new byte[15]))),
                refused(
                        "get into too small a buffer",
                        BufferTooSmallException.class,
                        "needs 5000 B, but there is room for 100 B only",
                        s -> s.memory.get(s.large, BYTES, 0, 100)),
                refused(
                        "get of a packed chunk into too small a buffer",
                        BufferTooSmallException.class,
                        "",
                        s -> s.memory.get(s.packed, BYTES, 0, 76)),
                refused(
                        "get behind a segment's end",
                        IndexOutOfBoundsException.class,
                        "",
                        s -> s.memory.get(s.live, BYTES, 90, 16)),
                refused(
                        "put from behind a segment's end",
                        IndexOutOfBoundsException.class,
                        "",
                        s -> s.memory.put(s.live, BYTES, 90, 16)),
                refused(
                        "replace from behind a segment's end",
                        IndexOutOfBoundsException.class,
                        "",
                        s -> s.memory.replace(s.live, BYTES, 90, 16)),
                refused(
                        "create from behind a segment's end",
                        IndexOutOfBoundsException.class,
                        "",
                        s -> s.memory.create(BYTES, 90, 16)),
                refused(
                        "insert from behind a segment's end",
                        IndexOutOfBoundsException.class,
                        "",
                        s -> s.memory.insert(s.freed, BYTES, 90, 16)),
                refused("create of a negative size", InvalidSizeException.class, "-1", s -> s.memory.create(-1)),
                refused(
                        "replace of a negative size",
                        InvalidSizeException.class,
                        "",
                        s -> s.memory.replace(s.live, BYTES, 0, -1)),
                refused("resize to a negative size", InvalidSizeException.class, "", s -> s.memory.resize(s.live, -1)),
                refused(
                        "resize above the largest size",
                        InvalidSizeException.class,
                        "",
                        s -> s.memory.resize(s.live, Integer.MAX_VALUE)),
                refused(
                        "batch create with a negative size",
                        InvalidSizeException.class,
                        "",
                        s -> s.memory.create(3, new int[] {1, 2, -3}, BYTES, 0, new long[3])),
                refused(
                        "create of more than there is",
                        OutOfChunkMemoryException.class,
                        "delete chunks",
                        s -> s.memory.create((int) CAPACITY)),
                refused(
                        "resize to more than there is",
                        OutOfChunkMemoryException.class,
                        "delete chunks",
                        s -> s.memory.resize(s.live, (int) CAPACITY)),
                refused(
                        "resize of a packed chunk to more than there is",
                        OutOfChunkMemoryException.class,
                        "",
                        s -> s.memory.resize(s.packed, (int) CAPACITY)),
                refused(
                        "replace by more than there is",
                        OutOfChunkMemoryException.class,
                        "",
                        s -> s.memory.replace(
                                s.large, MemorySegment.ofArray(new byte[(int) CAPACITY]), 0, (int) CAPACITY)),
                refused(
                        "insert of more than there is",
                        OutOfChunkMemoryException.class,
                        "",
                        s -> s.memory.insert(
                                s.freed, MemorySegment.ofArray(new byte[(int) CAPACITY]), 0, (int) CAPACITY)),
                refused(
                        "batch create of more than there is",
                        OutOfChunkMemoryException.class,
                        "",
                        s -> s.memory.create(3, new int[] {16, 77, (int) CAPACITY}, null, 0, new long[3])),
                refused(
                        "batch create of more LIDs than may be given",
                        LidsExhaustedException.class,
                        "",
                        s -> s.memory.create(20_000, new int[20_000], null, 0, new long[20_000])),
                refused(
                        "put to a read-only chunk",
                        ReadOnlyException.class,
                        "read-only",
                        s -> s.memory.put(s.readOnly, BYTES, 0, 16)),
                refused(
                        "replace of a read-only chunk",
                        ReadOnlyException.class,
                        "",
                        s -> s.memory.replace(s.readOnly, BYTES, 0, 17)),
                refused(
                        "resize of a read-only chunk",
                        ReadOnlyException.class,
                        "",
                        s -> s.memory.resize(s.readOnly, 17)),
                refused(
                        "delete of a pinned chunk",
                        PinnedException.class,
                        "unpin it first",
                        s -> s.memory.delete(s.pinned)),
                refused("resize of a pinned chunk", PinnedException.class, "", s -> s.memory.resize(s.pinned, 17)),
                refused(
                        "replace of a pinned chunk",
                        PinnedException.class,
                        "",
                        s -> s.memory.replace(s.pinned, BYTES, 0, 17)),
                refused("pin of a pinned chunk", PinnedException.class, "", s -> s.memory.pin(s.pinned)),
                refused(
                        "unpin of a chunk that is not pinned",
                        NotPinnedException.class,
                        "",
                        s -> s.memory.unpin(s.live)),
                refused(
                        "unlock without lock",
                        NotLockedException.class,
                        "nobody holds",
                        s -> s.memory.unlock(s.live, LockMode.WRITE)),
                refused(
                        "unlock in the other mode",
                        NotLockedException.class,
                        "",
                        s -> s.memory.unlock(s.locked, LockMode.READ)),
                refused(
                        "lock of a locked chunk",
                        LockTimeoutException.class,
                        "",
                        s -> s.memory.lock(s.locked, LockMode.READ, 1000)),
                refused("locking delete of a locked chunk", LockTimeoutException.class, "", s -> s.memory
                        .locking(LockChoice.write(0))
                        .delete(s.locked)),
                refused(
                        "object that writes too little",
                        SizeMismatchException.class,
                        "announced",
                        s -> s.memory.create(announcing(9, 8))),
                refused(
                        "object that writes too much",
                        BufferTooSmallException.class,
                        "",
                        s -> s.memory.create(announcing(8, 9))),
                refused("object that throws", IllegalStateException.class, "no", s -> s.memory.create(throwing())),
                refused(
                        "large object that throws",
                        IllegalStateException.class,
                        "no",
                        s -> s.memory.create(throwing(7000))),
                refused(
                        "create from a closed arena",
                        IllegalStateException.class,
                        "",
                        s -> s.memory.create(closed(), 0, 16)),
                refused(
                        "put from a closed arena",
                        IllegalStateException.class,
                        "",
                        s -> s.memory.put(s.live, closed(), 0, 16)),
                refused(
                        "replace from a closed arena",
                        IllegalStateException.class,
                        "",
                        s -> s.memory.replace(s.packed, closed(), 0, 16)),
                refused(
                        "insert from a closed arena",
                        IllegalStateException.class,
                        "",
                        s -> s.memory.insert(s.freed, closed(), 0, 16)),
                refused(
                        "import that throws",
                        IllegalStateException.class,
                        "no",
                        s -> s.memory.get(s.live, in -> {
                            throw new IllegalStateException("no");
                        })),
                refused("dump into a folder that is not there", Exception.class, "", s -> {
                    try {
                        s.memory.dump(java.nio.file.Path.of("/nowhere/at/all"));
                    } catch (java.io.IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                }),
                answered(
                        "double free", s -> assertThat(s.memory.delete(s.freed)).isFalse()),
                answered("get of a freed CID", s -> assertThat(s.memory.get(s.freed, BYTES, 0, 100))
                        .isEqualTo(ChunkMemory.ABSENT)),
                answered("put to a freed CID", s -> assertThat(s.memory.put(s.freed, BYTES, 0, 16))
                        .isFalse()),
                answered("resize of a freed CID", s -> assertThat(s.memory.resize(s.freed, 100_000))
                        .isFalse()),
                answered("delete of an unknown CID", s -> assertThat(s.memory.delete(0x8000L << 48 | 19_999))
                        .isFalse()),
                answered("get of an unknown CID", s -> assertThat(s.memory.sizeOf(0x8000L << 48 | 1L << 47))
                        .isEqualTo(ChunkMemory.ABSENT)),
                answered("batch delete of the same CID twice", s -> assertThat(
                                s.memory.delete(new long[] {s.freed, s.freed}, 0, 2, new boolean[2]))
                        .isZero()),
                answered("insert of a CID that is there", s -> assertThat(s.memory.insert(s.live, BYTES, 0, 16))
                        .isFalse()));
        return java.util.Arrays.stream(MemoryLayout.values())
                .flatMap(layout -> all.stream().map(misuse -> Arguments.of(misuse, layout)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void misuse_ofAStore_isRefusedAndChangesNothing(Misuse misuse, MemoryLayout layout) {
        Store store = new Store(layout);
        try (ChunkMemory memory = store.memory) {
            MemoryTests.assertSound(memory);
            MemoryStatistics before = memory.statistics();
            if (misuse.how() == null) {
                misuse.use().accept(store);
            } else {
                assertThatThrownBy(() -> misuse.use().accept(store))
                        .isInstanceOf(misuse.how())
                        .hasMessageContaining(misuse.message());
            }
            store.model.compareAll(memory);
            MemoryTests.assertSound(memory);
            assertThat(memory.statistics().chunks()).isEqualTo(before.chunks());
            assertThat(memory.statistics().payloadBytes()).isEqualTo(before.payloadBytes());
            assertUsable(store);
        }
    }

    /** Nothing is left latched or locked: everything can still be changed, and its memory comes back. */
    private static void assertUsable(Store store) {
        ChunkMemory memory = store.memory;
        memory.unlock(store.locked, LockMode.WRITE);
        memory.unpin(store.pinned);
        Map<Long, Boolean> deleted = new HashMap<>();
        for (MemoryModel.Chunk chunk : store.model.all()) {
            deleted.put(chunk.cid, memory.delete(chunk.cid));
        }
        assertThat(deleted).doesNotContainValue(false);
        assertThat(memory.statistics().payloadBytes()).isZero();
        MemoryTests.assertSound(memory);
    }

    private static Misuse refused(String name, Class<? extends Exception> how, String message, Consumer<Store> use) {
        return new Misuse(name, how, message, use);
    }

    @SuppressWarnings("NullAway")
    private static Misuse answered(String name, Consumer<Store> use) {
        return new Misuse(name, null, "", use);
    }

    private static Exportable announcing(int announced, int written) {
        return new Exportable() {
            @Override
            public int sizeBytes() {
                return announced;
            }

            @Override
            public void exportTo(Exporter out) {
                for (int i = 0; i < written; i++) {
                    out.writeByte((byte) i);
                }
            }
        };
    }

    private static Exportable throwing() {
        return throwing(16);
    }

    private static Exportable throwing(int announced) {
        return new Exportable() {
            @Override
            public int sizeBytes() {
                return announced;
            }

            @Override
            public void exportTo(Exporter out) {
                throw new IllegalStateException("no");
            }
        };
    }

    private static MemorySegment closed() {
        try (Arena arena = Arena.ofConfined()) {
            return arena.allocate(100);
        }
    }
}
