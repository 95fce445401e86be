package dev.granary.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProbesTest {

    private static final int THREADS = 4;
    private static final int HITS = 10_000;

    private enum Situation implements Probe {
        HIT_BY_MANY,
        HIT_IF_SO,
        NEVER_HIT;

        @Override
        public String description() {
            return "a test";
        }
    }

    @Test
    void hit_byManyThreads_isCountedEachTime() throws InterruptedException {
        Probes.startCounting();
        long before = Probes.hits(Situation.HIT_BY_MANY);
        List<Thread> threads = IntStream.range(0, THREADS)
                .mapToObj(i -> Thread.ofPlatform().start(() -> {
                    for (int hit = 0; hit < HITS; hit++) {
                        Situation.HIT_BY_MANY.hit();
                    }
                }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(Probes.hits(Situation.HIT_BY_MANY) - before).isEqualTo((long) THREADS * HITS);
        assertThat(Probes.hits(Situation.NEVER_HIT)).isZero();
    }

    @Test
    void hitIf_notSo_isNotCounted() {
        Probes.startCounting();
        long before = Probes.hits(Situation.HIT_IF_SO);
        Situation.HIT_IF_SO.hitIf(false);
        assertThat(Probes.hits(Situation.HIT_IF_SO)).isEqualTo(before);
        Situation.HIT_IF_SO.hitIf(true);
        assertThat(Probes.hits(Situation.HIT_IF_SO)).isEqualTo(before + 1);
    }

    @Test
    void label_ofAConstant_isReadable() {
        assertThat(Situation.HIT_IF_SO.label()).isEqualTo("hit-if-so");
    }
}
