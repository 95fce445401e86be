package dev.granary.simulation.big;

import java.util.Collection;
import java.util.LongSummaryStatistics;

/**
 * A moment of a big simulation.
 *
 * @param seconds virtual time
 * @param superPeers on the ring
 * @param storagePeers that have joined
 * @param imbalance the NIDs of the largest arc over those of the smallest
 * @param ranges of an arc
 * @param metadataBytes that a super-peer holds: ranges of its arc and of the two before it
 * @param messagesPerSecond of a super-peer since the moment before, sent and received
 */
public record BigSample(
        double seconds,
        int superPeers,
        int storagePeers,
        double imbalance,
        Spread ranges,
        Spread metadataBytes,
        Spread messagesPerSecond) {

    /** The least, the average and the most of the super-peers on the ring. */
    public record Spread(long least, double average, long most) {

        static Spread of(Collection<Long> values) {
            LongSummaryStatistics statistics =
                    values.stream().mapToLong(Long::longValue).summaryStatistics();
            return new Spread(statistics.getMin(), statistics.getAverage(), statistics.getMax());
        }
    }
}
