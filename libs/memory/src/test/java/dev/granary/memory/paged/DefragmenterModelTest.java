package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.SystemMemoryConfig;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Random operations against a map, with steps of defragmentation and other capacities in between. */
@ParameterizedClass
@EnumSource(MemoryLayout.class)
class DefragmenterModelTest {

    private static final int FOREIGN = 0x1234;

    private final MemoryLayout layout;

    DefragmenterModelTest(MemoryLayout layout) {
        this.layout = layout;
    }

    @ParameterizedTest
    @CsvSource({"1,8,64", "2,8,300", "3,4,2500", "4,2,40", "5,16,100", "6,8,20000"})
    void randomOperations_withDefragmentationBetween_behaveLikeAMap(long seed, int mebibytes, int largest) {
        System.out.println("seed " + seed + " " + layout);
        long capacity = (long) mebibytes << 20;
        ChunkMemoryConfig config = MemoryTests.config(layout, capacity)
                .withSystem(SystemMemoryConfig.defaults().withHugePages(false).withMaxCapacityBytes(2 * capacity));
        try (ChunkMemory memory = ChunkMemories.open(config)) {
            memory.reserveLids(ChunkMemory.MAX_LID + 1);
            Run run = new Run(memory, new Random(seed), largest, capacity);
            int steps = MemoryTests.steps(7500);
            for (int i = 0; i < steps; i++) {
                run.step();
                if (i % 1000 == 0) {
                    MemoryTests.assertSound(memory);
                }
            }
            run.compareAll();
            run.endAll();
            MemoryTests.assertSound(memory);
        }
    }

    private static final class Run {

        private final ChunkMemory memory;
        private final Random random;
        private final int largest;
        private final long capacity;
        private final Map<Long, byte[]> model = new HashMap<>();
        private final List<Long> cids = new ArrayList<>();
        private final Map<Long, Long> pinned = new HashMap<>();
        private final Set<Long> readOnly = new HashSet<>();
        private boolean growing = true;

        Run(ChunkMemory memory, Random random, int largest, long capacity) {
            this.memory = memory;
            this.random = random;
            this.largest = largest;
            this.capacity = capacity;
        }

        void step() {
            if (random.nextInt(1000) == 0) {
                growing = !growing;
            }
            try {
                int kind = random.nextInt(100);
                if (kind < (growing ? 45 : 15)) {
                    create();
                } else if (kind < 55) {
                    delete();
                } else if (kind < 65) {
                    replace();
                } else if (kind < 70) {
                    insertForeign();
                } else if (kind < 72) {
                    pinOrUnpin();
                } else if (kind < 73) {
                    setReadOnly();
                } else if (kind < 90) {
                    compare();
                } else if (kind < 99) {
                    memory.defragment(1 + random.nextInt(200_000));
                } else if (random.nextInt(10) == 0) {
                    memory.resizeMemory(capacity / 2 + random.nextLong(3 * capacity / 2));
                }
            } catch (OutOfChunkMemoryException e) {
                delete();
            }
        }

        private void create() {
            int count = random.nextInt(10) == 0 ? random.nextInt(600) : 1;
            // One size for a while, so that typed pages are made.
            int size = random.nextInt(largest);
            for (int i = 0; i < count; i++) {
                byte[] content = MemoryTests.random(random, size);
                add(memory.create(MemorySegment.ofArray(content), 0, size), content);
            }
        }

        private void insertForeign() {
            long cid = (long) FOREIGN << 48 | 1 + random.nextInt(3000);
            byte[] content = MemoryTests.random(random, random.nextInt(largest));
            boolean inserted = memory.insert(cid, MemorySegment.ofArray(content), 0, content.length);
            assertThat(inserted).isEqualTo(!model.containsKey(cid));
            if (inserted) {
                add(cid, content);
            }
        }

        private void add(long cid, byte[] content) {
            assertThat(model.put(cid, content)).isNull();
            cids.add(cid);
        }

        private long any() {
            return cids.get(random.nextInt(cids.size()));
        }

        private void delete() {
            int count = random.nextInt(10) == 0 ? random.nextInt(600) : 1;
            for (int i = 0; i < count && !cids.isEmpty(); i++) {
                int index = random.nextInt(cids.size());
                long cid = cids.get(index);
                if (!pinned.containsKey(cid)) {
                    assertThat(memory.delete(cid)).isTrue();
                    cids.set(index, cids.getLast());
                    cids.removeLast();
                    model.remove(cid);
                    readOnly.remove(cid);
                }
            }
        }

        private void replace() {
            if (!cids.isEmpty()) {
                long cid = any();
                if (!pinned.containsKey(cid) && !readOnly.contains(cid)) {
                    byte[] content = MemoryTests.random(random, random.nextInt(largest));
                    assertThat(memory.replace(cid, MemorySegment.ofArray(content), 0, content.length))
                            .isTrue();
                    model.put(cid, content);
                }
            }
        }

        private void pinOrUnpin() {
            if (pinned.size() > 5) {
                long cid = pinned.keySet().iterator().next();
                memory.unpin(cid);
                pinned.remove(cid);
            } else if (!cids.isEmpty()) {
                long cid = any();
                if (!pinned.containsKey(cid)) {
                    pinned.put(cid, memory.pin(cid));
                }
            }
        }

        private void setReadOnly() {
            if (!cids.isEmpty()) {
                long cid = any();
                assertThat(memory.setReadOnly(cid)).isTrue();
                readOnly.add(cid);
            }
        }

        private void compare() {
            if (!cids.isEmpty()) {
                long cid = any();
                assertThat(MemoryTests.bytes(memory, cid)).isEqualTo(model.get(cid));
            }
        }

        void compareAll() {
            model.forEach(
                    (cid, content) -> assertThat(MemoryTests.bytes(memory, cid)).isEqualTo(content));
            MemorySegment all = MemorySegment.ofAddress(0).reinterpret(Long.MAX_VALUE);
            pinned.forEach((cid, address) -> {
                byte[] content = MemoryTests.bytes(memory, cid);
                assertThat(MemorySegment.ofArray(content).mismatch(all.asSlice(address, content.length)))
                        .isEqualTo(-1);
            });
        }

        void endAll() {
            pinned.keySet().forEach(memory::unpin);
            memory.defragment(Long.MAX_VALUE);
            cids.forEach(cid -> assertThat(memory.delete(cid)).isTrue());
            memory.defragment(Long.MAX_VALUE);
            assertThat(memory.statistics().chunks()).isZero();
        }
    }
}
