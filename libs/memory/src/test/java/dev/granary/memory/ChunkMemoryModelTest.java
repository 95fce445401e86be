package dev.granary.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Random operations against a map. The verifier looks in between. */
@ParameterizedClass
@EnumSource(MemoryLayout.class)
class ChunkMemoryModelTest {

    private final MemoryLayout layout;

    ChunkMemoryModelTest(MemoryLayout layout) {
        this.layout = layout;
    }

    /** How chunk sizes are drawn. */
    enum Sizes {
        TINY,
        MIXED,
        LARGE
    }

    @ParameterizedTest
    @CsvSource({"1,TINY,1", "2,TINY,16", "3,MIXED,1", "4,MIXED,64", "5,LARGE,2", "6,LARGE,64", "7,MIXED,2", "8,TINY,2"})
    void randomOperations_againstAMap_behaveTheSame(long seed, Sizes sizes, int capacityMebibytes) {
        System.out.println("seed " + seed + " sizes " + sizes + " MiB " + capacityMebibytes);
        int open = Vmb.openCount();
        try (ChunkMemory memory = MemoryTests.open(layout, (long) capacityMebibytes << 20)) {
            Run run = new Run(memory, new Random(seed), sizes);
            for (int i = 0; i < 20_000; i++) {
                run.step();
                if (i % 2000 == 0) {
                    MemoryTests.assertSound(memory);
                }
            }
            run.compareAll();
            MemoryTests.assertSound(memory);
            run.deleteAll();
            MemoryTests.assertSound(memory);
            System.out.println("refused for want of memory: " + run.refused);
        }
        assertThat(Vmb.openCount()).isEqualTo(open);
    }

    private static final class Run {
        private final ChunkMemory memory;
        private final Random random;
        private final Sizes sizes;
        private final Map<Long, byte[]> model = new HashMap<>();
        private final List<Long> cids = new ArrayList<>();
        private int refused;
        private int growing = 1;

        Run(ChunkMemory memory, Random random, Sizes sizes) {
            this.memory = memory;
            this.random = random;
            this.sizes = sizes;
        }

        void step() {
            if (random.nextInt(2000) == 0) {
                // Long phases of growth and shrinking, so that lists and LID caches overflow and run dry.
                growing = -growing;
            }
            int kind = random.nextInt(100);
            try {
                if (kind < (growing > 0 ? 40 : 15)) {
                    create();
                } else if (kind < (growing > 0 ? 55 : 50)) {
                    delete();
                } else if (kind < 58) {
                    createBatch();
                } else if (kind < 61) {
                    deleteBatch();
                } else if (kind < 75) {
                    put();
                } else if (kind < 88) {
                    replace();
                } else {
                    compare();
                }
            } catch (OutOfChunkMemoryException e) {
                refused++;
                assertThat(memory.statistics().chunks()).isEqualTo(model.size());
                delete();
            }
        }

        private int size() {
            return switch (sizes) {
                case TINY -> random.nextInt(40);
                case MIXED -> random.nextInt(10) == 0 ? random.nextInt(5000) : random.nextInt(200);
                case LARGE -> random.nextInt(20) == 0 ? random.nextInt(700_000) : random.nextInt(20_000);
            };
        }

        private void create() {
            byte[] content = MemoryTests.random(random, size());
            add(memory.create(MemorySegment.ofArray(content), 0, content.length), content);
        }

        private void createBatch() {
            int count = random.nextInt(sizes == Sizes.TINY ? 1500 : 20);
            int[] each = new int[count];
            Arrays.setAll(each, i -> size());
            byte[] all = MemoryTests.random(random, Arrays.stream(each).sum());
            boolean zeros = random.nextInt(4) == 0;
            long[] created = new long[count];
            memory.create(count, each, zeros ? null : MemorySegment.ofArray(all), 0, created);
            int at = 0;
            for (int i = 0; i < count; i++) {
                add(created[i], zeros ? new byte[each[i]] : Arrays.copyOfRange(all, at, at + each[i]));
                at += each[i];
            }
        }

        private void add(long cid, byte[] content) {
            assertThat(model.put(cid, content)).as("0x%016x given twice", cid).isNull();
            cids.add(cid);
        }

        private void delete() {
            if (cids.isEmpty()) {
                return;
            }
            int index = random.nextInt(cids.size());
            long cid = cids.get(index);
            assertThat(memory.delete(cid)).isTrue();
            assertThat(memory.delete(cid)).isFalse();
            remove(index);
        }

        private void deleteBatch() {
            int count = Math.min(cids.size(), random.nextInt(sizes == Sizes.TINY ? 1500 : 30));
            long[] gone = new long[count];
            for (int i = 0; i < count; i++) {
                gone[i] = remove(random.nextInt(cids.size()));
            }
            assertThat(memory.delete(gone, 0, count, new boolean[count])).isEqualTo(count);
        }

        private long remove(int index) {
            long cid = cids.get(index);
            cids.set(index, cids.getLast());
            cids.removeLast();
            model.remove(cid);
            return cid;
        }

        private void put() {
            if (!cids.isEmpty()) {
                long cid = cids.get(random.nextInt(cids.size()));
                byte[] content = MemoryTests.random(random, content(cid).length);
                assertThat(memory.put(cid, MemorySegment.ofArray(content), 0, content.length))
                        .isTrue();
                model.put(cid, content);
            }
        }

        private void replace() {
            if (!cids.isEmpty()) {
                long cid = cids.get(random.nextInt(cids.size()));
                byte[] content = MemoryTests.random(random, size());
                assertThat(memory.replace(cid, MemorySegment.ofArray(content), 0, content.length))
                        .isTrue();
                model.put(cid, content);
            }
        }

        private void compare() {
            if (!cids.isEmpty()) {
                long cid = cids.get(random.nextInt(cids.size()));
                assertThat(MemoryTests.bytes(memory, cid)).isEqualTo(content(cid));
            }
        }

        private byte[] content(long cid) {
            byte[] content = model.get(cid);
            assertThat(content).isNotNull();
            return content == null ? new byte[0] : content;
        }

        void compareAll() {
            model.forEach(
                    (cid, content) -> assertThat(MemoryTests.bytes(memory, cid)).isEqualTo(content));
            long payload =
                    model.values().stream().mapToLong(content -> content.length).sum();
            assertThat(memory.statistics().payloadBytes()).isEqualTo(payload);
        }

        void deleteAll() {
            while (!cids.isEmpty()) {
                assertThat(memory.delete(remove(cids.size() - 1))).isTrue();
            }
            assertThat(memory.statistics().chunks()).isZero();
            assertThat(memory.statistics().payloadBytes()).isZero();
        }
    }
}
