package dev.granary.bench.compare.report;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** The targets of Granary beside other stores: least ratios of rates of one run. */
final class Goals {

    private Goals() {}

    /**
     * A target.
     *
     * @param batch objects of a request
     * @param store whose rate ours is compared with
     * @param least the least ratio
     */
    record Goal(String workload, int batch, String store, double least) {

        /** The ratio of rates that was reached; NaN when it was not measured. */
        double reached(Measured measured) {
            return ratio(measured, Measured.OURS, store, Round::opsPerSecond);
        }

        /** How much more processor time the other store takes, client and server together. */
        double byProcessorTime(Measured measured) {
            return ratio(measured, store, Measured.OURS, Round::cpuNanosPerOp);
        }

        private double ratio(Measured measured, String above, String below, ToDoubleFunction<Round> figure) {
            return measured.cases(Round::isClosed).stream()
                    .filter(each -> each.workload().equals(workload) && each.batch() == batch)
                    .findFirst()
                    .map(each -> measured.median(each, above, figure) / measured.median(each, below, figure))
                    .orElse(Double.NaN);
        }
    }

    private static final int MANY = 1_000;
    private static final int VERY_MANY = 100_000;

    /** All targets. */
    static List<Goal> all() {
        return List.of(
                new Goal("facebook-b", 1, "hazelcast", 2),
                new Goal("facebook-b", 1, "infinispan", 6),
                new Goal("facebook-d", 1, "hazelcast", 1.2),
                new Goal("multi-get-ordered", MANY, "redis", 6),
                new Goal("multi-get-random", MANY, "redis", 6),
                new Goal("multi-get-ordered", VERY_MANY, "redis", 10),
                new Goal("multi-get-random", VERY_MANY, "redis", 10));
    }
}
