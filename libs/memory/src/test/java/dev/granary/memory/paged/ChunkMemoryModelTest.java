package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.os.Vmb;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Random operations of all kinds against a model, with both layouts. The verifier looks in between and at the end. */
class ChunkMemoryModelTest {

    private static final int STEPS = MemoryTests.steps(3000);
    private static final int STEPS_BETWEEN_CHECKS = 1000;

    /** How chunk sizes are drawn. */
    enum Sizes {
        TINY,
        MOSTLY_ONE,
        MIXED,
        LARGE;

        IntSupplier from(Random random) {
            return switch (this) {
                case TINY -> () -> random.nextInt(40);
                case MOSTLY_ONE -> () -> random.nextInt(50) == 0 ? random.nextInt(3000) : 8;
                case MIXED -> () -> random.nextInt(10) == 0 ? random.nextInt(5000) : random.nextInt(300);
                case LARGE -> () -> random.nextInt(20) == 0 ? random.nextInt(300_000) : random.nextInt(20_000);
            };
        }

        int batch() {
            return switch (this) {
                case TINY, MOSTLY_ONE -> 1500;
                case MIXED -> 100;
                case LARGE -> 20;
            };
        }
    }

    static List<Arguments> runs() {
        List<Arguments> runs = new ArrayList<>();
        long seed = 1;
        for (MemoryLayout layout : MemoryLayout.values()) {
            for (Sizes sizes : Sizes.values()) {
                // With room for everything, and full all the time.
                runs.add(Arguments.of(seed++, layout, sizes, 64));
                runs.add(Arguments.of(seed++, layout, sizes, sizes == Sizes.LARGE ? 3 : 1));
            }
        }
        return runs;
    }

    @ParameterizedTest
    @MethodSource("runs")
    void allOperations_againstAModel_behaveTheSame(long seed, MemoryLayout layout, Sizes sizes, int mebibytes) {
        System.out.printf("seed %d, %s, %s, %d MiB%n", seed, layout, sizes, mebibytes);
        int open = Vmb.openCount();
        Random random = new Random(seed);
        ChunkMemoryConfig config = ChunkMemoryConfig.of(MemoryTests.NID, (long) mebibytes << 20)
                .withLayout(layout)
                .withHugePages(false);
        try (ChunkMemory memory = ChunkMemories.open(config)) {
            memory.reserveLids(ChunkMemory.MAX_LID + 1);
            MemoryModel model = new MemoryModel();
            ModelRun run = new ModelRun(memory, model, random, sizes.from(random), sizes.batch());
            for (int i = 1; i <= STEPS; i++) {
                run.step();
                if (i % STEPS_BETWEEN_CHECKS == 0) {
                    model.compareAll(memory);
                    model.all().forEach(chunk -> {
                        if (chunk.isPinned()) {
                            ModelRun.checkPinned(chunk);
                        }
                    });
                    MemoryTests.assertSound(memory);
                }
            }
            System.out.printf(
                    "%d chunks at the end, refused for want of memory: %d%n", model.size(), run.refusedForMemory());
            run.deleteAll();
            MemoryTests.assertSound(memory);
        }
        assertThat(Vmb.openCount()).isEqualTo(open);
    }
}
