package dev.granary.bench.memory;

import java.util.Locale;

/** What is measured after the load; loading and its bytes a chunk always are. */
public enum Part {
    /** The mix of gets and puts, its throughput and latencies. */
    WORKLOAD,
    /** Only gets, only puts, one at a time, objects chosen uniformly. */
    SINGLES,
    /** Creates, gets, puts and deletes of many chunks at once. */
    BATCHES,
    /** Creates after a random half was deleted. */
    RECREATE,
    /** Gets whose key is in the chunk before. */
    DEPENDENT;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
