package dev.granary.bench.stores;

/**
 * The limits of BG's social action rating (SoAR): of 100 actions 95 take at most 100 ms, and of 10,000 at most one
 * reads something stale.
 */
public final class BgRating {

    private static final double MOST_P95_MICROS = 100_000;
    private static final double MOST_STALE_SHARE = 1e-4;

    private BgRating() {}

    /**
     * Whether a measurement counts.
     *
     * @param staleShare stale reads by actions
     */
    public static boolean isWithinLimits(double p95Micros, double staleShare, long errors) {
        return errors == 0 && p95Micros <= MOST_P95_MICROS && staleShare <= MOST_STALE_SHARE;
    }
}
