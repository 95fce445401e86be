package dev.granary.storage.replicate;

import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Maps CIDs to the zone in which a chunk is logged: ascending spans of CIDs that do not overlap. Immutable, so that
 * threads read it without a lock; a change makes another map. Chunks in no span are not logged.
 */
final class ZoneMap {

    static final ZoneMap EMPTY = new ZoneMap(new long[0], new long[0], new OwnedZone[0]);

    private final long[] starts;
    private final long[] ends;
    private final OwnedZone[] zones;

    private ZoneMap(long[] starts, long[] ends, OwnedZone[] zones) {
        this.starts = starts;
        this.ends = ends;
        this.zones = zones;
    }

    /** Consecutive CIDs, both ends included. */
    record Span(long startCid, long endCidInclusive) {}

    /** Returns the zone of a chunk, or null when the chunk is in no zone. */
    @Nullable
    OwnedZone find(long cid) {
        int index = indexOf(cid);
        return index < 0 ? null : zones[index];
    }

    /** Returns the index of the span that holds a chunk, or -1. */
    private int indexOf(long cid) {
        int low = 0;
        int high = starts.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (Cid.compare(starts[middle], cid) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high >= 0 && Cid.compare(cid, ends[high]) <= 0 ? high : -1;
    }

    /** Visits spans with their zones. */
    interface Visitor {
        void span(long startCid, long endCidInclusive, OwnedZone zone);
    }

    /** Visits all spans, ascending. */
    void forEach(Visitor visitor) {
        for (int i = 0; i < starts.length; i++) {
            visitor.span(starts[i], ends[i], zones[i]);
        }
    }

    /** Returns the spans of a zone, ascending. */
    List<Span> spansOf(OwnedZone zone) {
        List<Span> spans = new ArrayList<>();
        for (int i = 0; i < starts.length; i++) {
            if (zones[i] == zone) {
                spans.add(new Span(starts[i], ends[i]));
            }
        }
        return spans;
    }

    /**
     * Returns a map in which spans belong to another zone, or to no zone.
     *
     * @param changed the spans, ascending, none overlapping
     */
    ZoneMap with(List<Span> changed, @Nullable OwnedZone zone) {
        Builder builder = new Builder(starts.length + 2 * changed.size());
        int old = 0;
        long oldStart = starts.length > 0 ? starts[0] : 0;
        for (Span span : changed) {
            // Old spans before the changed span stay; what it covers is removed.
            while (old < starts.length && Cid.compare(oldStart, span.startCid) < 0) {
                if (Cid.compare(ends[old], span.startCid) < 0) {
                    builder.add(oldStart, ends[old], zones[old]);
                    oldStart = ++old < starts.length ? starts[old] : 0;
                } else {
                    builder.add(oldStart, span.startCid - 1, zones[old]);
                    oldStart = span.startCid;
                }
            }
            while (old < starts.length && Cid.compare(ends[old], span.endCidInclusive) <= 0) {
                oldStart = ++old < starts.length ? starts[old] : 0;
            }
            if (old < starts.length && Cid.compare(oldStart, span.endCidInclusive) <= 0) {
                oldStart = span.endCidInclusive + 1;
            }
            if (zone != null) {
                builder.add(span.startCid, span.endCidInclusive, zone);
            }
        }
        while (old < starts.length) {
            builder.add(oldStart, ends[old], zones[old]);
            oldStart = ++old < starts.length ? starts[old] : 0;
        }
        return builder.build();
    }

    /** Collects spans in their order and joins those that meet. */
    private static final class Builder {

        private long[] starts;
        private long[] ends;
        private OwnedZone[] zones;
        private int count;

        private Builder(int room) {
            starts = new long[room + 1];
            ends = new long[room + 1];
            zones = new OwnedZone[room + 1];
        }

        private void add(long startCid, long endCidInclusive, OwnedZone zone) {
            if (count > 0 && zones[count - 1] == zone && ends[count - 1] + 1 == startCid) {
                ends[count - 1] = endCidInclusive;
                return;
            }
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, 2 * count);
                ends = Arrays.copyOf(ends, 2 * count);
                zones = Arrays.copyOf(zones, 2 * count);
            }
            starts[count] = startCid;
            ends[count] = endCidInclusive;
            zones[count++] = zone;
        }

        private ZoneMap build() {
            return new ZoneMap(Arrays.copyOf(starts, count), Arrays.copyOf(ends, count), Arrays.copyOf(zones, count));
        }
    }
}
