package dev.granary.bench.memory;

import java.util.Collection;
import java.util.function.ToDoubleFunction;

/** Medians of rounds. */
public final class Medians {

    private Medians() {}

    /** The median of a figure; with an even number of rounds the mean of the two in the middle. */
    public static <T> double of(Collection<T> rounds, ToDoubleFunction<T> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}
