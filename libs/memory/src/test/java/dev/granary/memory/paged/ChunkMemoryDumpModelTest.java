package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.os.Vmb;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random operations of all kinds, with a dump and a load every now and then: the run goes on with what was loaded. */
class ChunkMemoryDumpModelTest {

    private static final int ROUNDS = 6;
    private static final int STEPS = MemoryTests.steps(350);

    @ParameterizedTest
    @CsvSource({
        "31, CLASSIC, TINY",
        "32, CLASSIC, MIXED",
        "33, CLASSIC, LARGE",
        "34, TYPED, TINY",
        "35, TYPED, MOSTLY_ONE",
        "36, TYPED, MIXED",
        "37, TYPED, LARGE"
    })
    void dumpAndLoad_betweenOperationsOfAllKinds_changesNothing(
            long seed, MemoryLayout layout, ChunkMemoryModelTest.Sizes sizes) throws IOException {
        System.out.printf("seed %d, %s, %s%n", seed, layout, sizes);
        int open = Vmb.openCount();
        Random random = new Random(seed);
        ChunkMemoryConfig config = MemoryTests.config(layout, 24 << 20);
        MemoryModel model = new MemoryModel();
        ChunkMemory memory = ChunkMemories.open(config);
        try {
            memory.reserveLids(ChunkMemory.MAX_LID + 1);
            for (int round = 0; round < ROUNDS; round++) {
                ModelRun run = new ModelRun(memory, model, random, sizes.from(random), sizes.batch());
                for (int i = 0; i < STEPS; i++) {
                    run.step();
                }
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                memory.dump(Channels.newChannel(bytes));
                model.compareAll(memory);
                MemoryTests.assertSound(memory);
                memory.close();
                memory = ChunkMemories.load(config, Channels.newChannel(new ByteArrayInputStream(bytes.toByteArray())));
                model.forgetHolders();
                model.compareAll(memory);
                MemoryTests.assertSound(memory);
            }
            new ModelRun(memory, model, random, sizes.from(random), 1).deleteAll();
            MemoryTests.assertSound(memory);
        } finally {
            memory.close();
        }
        assertThat(Vmb.openCount()).isEqualTo(open);
    }
}
