package dev.granary.simulation.big;

import java.util.Collection;
import java.util.LongSummaryStatistics;

/**
 * The state of a big simulation at one moment.
 *
 * @param seconds virtual time
 * @param superPeers the number of super-peers on the ring
 * @param storagePeers the number of storage peers that have joined
 * @param imbalance the NIDs of the largest arc divided by those of the smallest
 * @param ranges the ranges of an arc
 * @param metadataBytes the metadata that a super-peer holds: the ranges of its arc and of the two before it
 * @param messagesPerSecond what a super-peer has sent and received since the sample before
 */
public record BigSample(
        double seconds,
        int superPeers,
        int storagePeers,
        double imbalance,
        Spread ranges,
        Spread metadataBytes,
        Spread messagesPerSecond) {

    /** The lowest, the average and the highest value among the super-peers on the ring. */
    public record Spread(long least, double average, long most) {

        static Spread of(Collection<Long> values) {
            LongSummaryStatistics statistics =
                    values.stream().mapToLong(Long::longValue).summaryStatistics();
            return new Spread(statistics.getMin(), statistics.getAverage(), statistics.getMax());
        }
    }
}
