package dev.granary.bench.memory;

import java.util.Locale;

/** The parts of a measurement after the load. The load and its bytes per chunk are always measured. */
public enum Part {
    /** The mix of gets and puts, its throughput and latencies. */
    WORKLOAD,
    /** Only gets, then only puts, one at a time, with objects chosen uniformly. */
    SINGLES,
    /** Creates, gets, puts and deletes of many chunks at once. */
    BATCHES,
    /** Creates after a random half was deleted. */
    RECREATE,
    /** Gets whose key is in the previous chunk. */
    DEPENDENT;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
