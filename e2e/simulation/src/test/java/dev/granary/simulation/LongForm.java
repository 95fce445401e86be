package dev.granary.simulation;

/**
 * Whether tests run at length: with {@code -Dgranary.simulation.seeds=N}, N at least 2, as {@code .ci/full} has it. In
 * the short form tests leave out what differs from the rest by a seed, a time or a kind of fault only: {@code granary
 * simulate} runs hundreds of seeds under all of these in CI.
 */
public final class LongForm {

    static final int SEEDS = Integer.getInteger("granary.simulation.seeds", 1);

    private LongForm() {}

    /** Whether it was asked for. */
    public static boolean isWanted() {
        return SEEDS > 1;
    }

    /** Returns the first value, or the second one when tests run at length. */
    public static <T> T pick(T shortForm, T longForm) {
        return isWanted() ? longForm : shortForm;
    }
}
