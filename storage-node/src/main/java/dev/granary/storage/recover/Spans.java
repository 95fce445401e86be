package dev.granary.storage.recover;

import dev.granary.net.message.RecoveryMessages.RunRecovery.Span;
import dev.granary.storage.data.Ownership;
import java.util.Comparator;
import java.util.List;

/** The chunks of a zone: spans of CIDs of one creator. Immutable but for a hint; one thread. */
final class Spans implements Ownership.Claim {

    private final long[] starts;
    private final long[] ends;
    private int last;

    Spans(List<Span> spans) {
        List<Span> ascending = spans.stream()
                .sorted(Comparator.comparing(Span::startCid, Long::compareUnsigned))
                .toList();
        starts = ascending.stream().mapToLong(Span::startCid).toArray();
        ends = ascending.stream().mapToLong(Span::endCidInclusive).toArray();
    }

    int count() {
        return starts.length;
    }

    long start(int index) {
        return starts[index];
    }

    long endInclusive(int index) {
        return ends[index];
    }

    boolean contains(long cid) {
        if (starts.length == 0) {
            return false;
        }
        if (!isIn(last, cid)) {
            last = indexOf(cid);
        }
        return isIn(last, cid);
    }

    @Override
    public boolean overlaps(long startCid, long endCidInclusive) {
        if (starts.length == 0) {
            return false;
        }
        // Spans have no chunk in common, so only the last one that begins at or before the end can reach the start.
        int index = indexOf(endCidInclusive);
        return Long.compareUnsigned(starts[index], endCidInclusive) <= 0
                && Long.compareUnsigned(startCid, ends[index]) <= 0;
    }

    private boolean isIn(int index, long cid) {
        return Long.compareUnsigned(starts[index], cid) <= 0 && Long.compareUnsigned(cid, ends[index]) <= 0;
    }

    /** Returns the index of the last span that begins at or before a CID, or of the first span if none does. */
    private int indexOf(long cid) {
        int low = 0;
        int high = starts.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (Long.compareUnsigned(starts[middle], cid) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
