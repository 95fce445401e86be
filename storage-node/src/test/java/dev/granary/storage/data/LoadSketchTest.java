package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.LeaseMessages.ReportLoad.HotChunk;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LoadSketchTest {

    @Test
    void hottest_oneChunkAmongMany_isFoundWithItsShare() {
        LoadSketch load = new LoadSketch();
        Scratch scratch = new Scratch(UnpooledByteBufAllocator.DEFAULT, new CreationsUnderWay().join());
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 200_000; i++) {
            long cid = random.nextInt(5) == 0 ? 42 : random.nextLong(1_000, 1_000_000);
            load.note(new long[] {cid}, 1, scratch);
        }

        assertThat(load.uses()).isEqualTo(200_000);
        List<HotChunk> hot = load.hottest(1, 1.0);
        assertThat(hot).hasSize(1);
        assertThat(hot.getFirst().cid()).isEqualTo(42);
        assertThat(hot.getFirst().perSecond()).isBetween(30_000L, 50_000L);

        load.halve();
        assertThat(load.uses()).isEqualTo(100_000);
        assertThat(load.hottest(1, 1.0).getFirst().perSecond()).isBetween(15_000L, 25_000L);
    }

    @Test
    void hottest_nothingUsed_isEmpty() {
        assertThat(new LoadSketch().hottest(4, 1.0)).isEmpty();
    }
}
