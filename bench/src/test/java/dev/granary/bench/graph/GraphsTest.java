package dev.granary.bench.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** {@link PowerLaw} and {@link Neighbours}. */
class GraphsTest {

    @Test
    void references_manyObjects_fewAreReferredToByMany() {
        int[][] references = PowerLaw.references(10_000, 8);
        int[] followers = new int[references.length];
        for (int object = 0; object < references.length; object++) {
            int number = object;
            assertThat(references[object]).hasSize(Math.min(8, object)).doesNotHaveDuplicates();
            assertThat(Arrays.stream(references[object])).allMatch(other -> other < number);
            Arrays.stream(references[object]).forEach(other -> followers[other]++);
        }
        int[] sorted = Arrays.stream(followers).sorted().toArray();
        int all = Arrays.stream(sorted).sum();
        int ofTheFirstHundredth = Arrays.stream(sorted, sorted.length - sorted.length / 100, sorted.length)
                .sum();
        assertThat(ofTheFirstHundredth).isGreaterThan(all / 10);
        assertThat(sorted[sorted.length / 2]).isLessThan(8);
    }

    @Test
    void breadthFirst_twoParts_beginsEachWithItsFirstObject() {
        Neighbours neighbours = Neighbours.of(new int[][] {{}, {0, 2}, {3}, {}, {5}, {}});
        assertThat(neighbours.count(2)).isEqualTo(2);
        assertThat(neighbours.breadthFirst(new int[] {5, 3, 0, 1, 2, 4})).containsExactly(5, 4, 3, 2, 1, 0);
    }
}
