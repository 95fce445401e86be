package dev.granary.bench.compare.stores;

import dev.granary.bench.memory.SizeDistribution;
import dev.granary.bench.stores.StoreWorkload;
import java.util.SplittableRandom;

/** Sizes of objects of a production cache. Immutable. */
final class ProductionSizes {

    /** Memcached takes no larger ones than a MiB unless it is told otherwise. */
    private static final int MOST_BYTES = 512 << 10;

    private final SizeDistribution distribution;

    private ProductionSizes(SizeDistribution distribution) {
        this.distribution = distribution;
    }

    /** The sizes of a workload. */
    static ProductionSizes of(StoreWorkload workload) {
        return new ProductionSizes(SizeDistribution.load(workload.data()));
    }

    /** The size of the object of a number when it is written first. */
    int sizeOf(long number) {
        return draw(new SplittableRandom(number));
    }

    /** A size. */
    int draw(SplittableRandom random) {
        return Math.min(MOST_BYTES, distribution.draw(random));
    }
}
