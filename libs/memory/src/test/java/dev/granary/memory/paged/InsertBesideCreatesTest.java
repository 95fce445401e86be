package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Inserts chunks with own, free LIDs into the pages in which other threads create chunks at the same moment. */
class InsertBesideCreatesTest {

    private static final int CREATED = 60_000;

    @ParameterizedTest
    @CsvSource({"CLASSIC, 32", "TYPED, 32", "TYPED, 300"})
    void insert_ofTheLidThatIsCreatedNext_neverTwoChunksOfOneLid(MemoryLayout layout, int size) throws Exception {
        try (ChunkMemory memory = MemoryTests.open(layout, 64 << 20);
                ExecutorService others = Executors.newCachedThreadPool()) {
            // 20,000 chunks of one size are enough for typed pages.
            for (int i = 0; i < 20_000; i++) {
                memory.create(size);
            }
            long before = memory.statistics().chunks();
            AtomicBoolean done = new AtomicBoolean();
            AtomicLong last = new AtomicLong(memory.create(size));
            CountDownLatch begun = new CountDownLatch(1);
            Future<Set<Long>> inserts = others.submit(() -> insertAhead(memory, size, last, begun, done));
            Set<Long> created = new HashSet<>();
            created.add(last.get());
            MemorySegment bytes = filled(size, 1);
            // On a busy machine all creates could be over before the other thread runs.
            begun.await();
            for (int i = 0; i < CREATED; i++) {
                last.set(memory.create(bytes, 0, size));
                created.add(last.get());
            }
            done.set(true);
            Set<Long> inserted = inserts.get();

            assertThat(inserted).isNotEmpty();
            assertThat(created).as("each create gave another CID").hasSize(CREATED + 1);
            assertThat(created).doesNotContainAnyElementsOf(inserted);
            assertThat(memory.statistics().chunks()).isEqualTo(before + created.size() + inserted.size());
            MemoryTests.assertSound(memory);
            for (long cid : inserted) {
                assertThat(MemoryTests.bytes(memory, cid)).containsOnly(2);
            }
        }
    }

    private static Set<Long> insertAhead(
            ChunkMemory memory, int size, AtomicLong last, CountDownLatch begun, AtomicBoolean done) {
        Set<Long> inserted = new HashSet<>();
        MemorySegment bytes = filled(size, 2);
        for (long ahead = 1; !done.get(); ahead = ahead % 5 + 1) {
            long cid = last.get() + ahead;
            if (memory.insert(cid, bytes, 0, size)) {
                inserted.add(cid);
                begun.countDown();
            }
            Thread.onSpinWait();
        }
        return inserted;
    }

    private static MemorySegment filled(int size, int value) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) value);
        return MemorySegment.ofArray(bytes);
    }
}
