package dev.granary.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ArcTest {

    @Test
    void contains_arcs_whatTheirPlacesSay() {
        long seed = new Random().nextLong();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 200; round++) {
            Arc first = arc(random);
            Arc second = arc(random);
            boolean all = true;
            boolean some = false;
            for (int nid = Nid.MIN; nid <= Nid.MAX; nid++) {
                all &= !second.contains(nid) || first.contains(nid);
                some |= second.contains(nid) && first.contains(nid);
            }
            assertThat(first.contains(second))
                    .as("seed %d: %s in %s", seed, second, first)
                    .isEqualTo(all);
            assertThat(first.overlaps(second))
                    .as("seed %d: %s and %s", seed, second, first)
                    .isEqualTo(some);
        }
    }

    /** Often near the ends of the ring and of each other; never one whose only place is 0, which no NID has. */
    private static Arc arc(SplittableRandom random) {
        int from = random.nextInt(4) == 0 ? Nid.MAX - random.nextInt(3) : 1 + random.nextInt(20);
        int to = random.nextInt(4) == 0 ? Nid.MAX - random.nextInt(3) : 1 + random.nextInt(20);
        return new Arc(from, to);
    }
}
