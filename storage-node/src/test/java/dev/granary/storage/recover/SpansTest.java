package dev.granary.storage.recover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.RecoveryMessages.RunRecovery.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** {@link Spans} beside a list of spans that is searched from its beginning to its end. */
class SpansTest {

    /** CIDs of creators from 0x8000 on are negative numbers. */
    private static final long FIRST = 0x9000_0000_0000_0000L;

    @Test
    void overlapsAndContains_randomSpans_sayWhatTheListSays() {
        long seed = 20_261_127;
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            List<Span> list = new ArrayList<>();
            long next = FIRST;
            for (int i = random.nextInt(5); i > 0; i--) {
                long start = next + random.nextInt(4);
                long end = start + random.nextInt(3);
                list.add(random.nextInt(list.size() + 1), new Span(start, end));
                next = end + 1;
            }
            Spans spans = new Spans(list);
            for (int i = 0; i < 100; i++) {
                long start = FIRST - 2 + random.nextInt(40);
                long end = start + random.nextInt(6);
                assertThat(spans.overlaps(start, end))
                        .as("seed %d round %d", seed, round)
                        .isEqualTo(list.stream()
                                .anyMatch(each -> each.startCid() <= end && start <= each.endCidInclusive()));
                assertThat(spans.contains(start))
                        .as("seed %d round %d", seed, round)
                        .isEqualTo(list.stream()
                                .anyMatch(each -> each.startCid() <= start && start <= each.endCidInclusive()));
            }
        }
    }

    @Test
    void overlaps_noSpans_isFalse() {
        assertThat(new Spans(List.of()).overlaps(1, Long.MAX_VALUE)).isFalse();
    }
}
