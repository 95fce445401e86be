package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class MutationSessionTest {

    @Test
    void acked_nothingEnded_isZero() {
        MutationSession session = new MutationSession(7);
        assertThat(session.begin()).isEqualTo(1);
        assertThat(session.begin()).isEqualTo(2);
        assertThat(session.acked()).isZero();
    }

    @Test
    void end_outOfOrder_acksOnlyWithoutGap() {
        MutationSession session = new MutationSession(7);
        session.begin();
        session.begin();
        session.begin();
        session.end(3);
        session.end(2);
        assertThat(session.acked()).isZero();
        session.end(1);
        assertThat(session.acked()).isEqualTo(3);
    }

    @Test
    void acked_randomOrders_isAlwaysBelowEveryOpenRequest() {
        for (long seed = 1; seed <= 50; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            MutationSession session = new MutationSession(7);
            List<Long> open = new ArrayList<>();
            for (int step = 0; step < 500; step++) {
                if (open.isEmpty() || random.nextInt(3) > 0) {
                    open.add(session.begin());
                } else {
                    session.end(open.remove(random.nextInt(open.size())));
                }
                long lowestOpen = open.isEmpty() ? session.acked() + 1 : new TreeSet<>(open).first();
                assertThat(session.acked()).as("seed %d, step %d", seed, step).isEqualTo(lowestOpen - 1);
            }
        }
    }
}
