package dev.granary.storage.replicate;

import dev.granary.net.message.ErrorReply;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.storage.replicate.ZoneMap.Span;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The zones that this peer owns, and which chunks are in which. Found by any thread without a lock; changed by tasks of the
 * scheduler.
 */
public final class OwnedZones {

    private static final long FULL_RETRY_NANOS = 5_000_000;

    private final ReplicationTotals totals;
    private final Map<Integer, OwnedZone> byId = new ConcurrentSkipListMap<>();
    private final AtomicLong stamps = new AtomicLong();
    private final Map<ArrivingChunks, OwnedZone> arriving = new LinkedHashMap<>();
    private volatile ZoneMap map = ZoneMap.EMPTY;

    OwnedZones(ReplicationTotals totals) {
        this.totals = totals;
    }

    /** The zone that a chunk is in, or null when it is in none: then it has no copy and needs none. */
    public @Nullable OwnedZone find(long cid) {
        return map.find(cid);
    }

    /** Whether no chunk is in a zone. */
    public boolean isEmpty() {
        return map == ZoneMap.EMPTY;
    }

    /** The zone with an id, if this peer owns it. */
    public @Nullable OwnedZone byId(int zone) {
        return byId.get(zone);
    }

    /** All zones, by their ids. */
    public Collection<OwnedZone> all() {
        return byId.values();
    }

    /** Why no change is taken at all at this moment, or null when changes are: too much waits for backups. */
    public @Nullable ErrorReply backPressure() {
        return totals.isFull()
                ? ErrorReply.retryLater(FULL_RETRY_NANOS, "the backups of this storage peer do not keep up")
                : null;
    }

    /**
     * A number that grows with each batch that changes chunks which were there. A create looks at it before it takes its
     * LIDs: when the zone has a higher one afterwards, somebody may have changed a reused LID's chunk between the two, and
     * what is logged is read from memory.
     */
    public long stamp() {
        return stamps.get();
    }

    /** The next of these numbers. */
    public long nextStamp() {
        return stamps.incrementAndGet();
    }

    /** Chunks of these ranges are in a zone from now on; one that this peer has not owned so far, or one that it has. */
    void put(OwnedZone zone, List<CidRange> ranges) {
        byId.put(zone.id(), zone);
        map = map.with(spans(ranges), zone);
    }

    /** Chunks of a range are in none of the zones any more: another peer owns them. */
    public void remove(long startCid, long endCidInclusive) {
        map = map.with(List.of(new Span(startCid, endCidInclusive)), null);
    }

    /** Chunks are logged in a zone from now on that are not its own yet. Tasks of the scheduler only, as what follows. */
    public void arrive(OwnedZone zone, ArrivingChunks chunks) {
        arriving.put(chunks, zone);
    }

    /** It is decided whose the chunks are. */
    public void arrived(ArrivingChunks chunks) {
        arriving.remove(chunks);
    }

    /** What a new copy of a zone must begin with: the zone's own spans, and what is on its way into it. */
    List<ZoneSnapshot.Part> partsOf(OwnedZone zone) {
        List<ZoneSnapshot.Part> parts = new ArrayList<>();
        map.spansOf(zone).forEach(span -> parts.add(new ZoneSnapshot.Part(span, cid -> true)));
        arriving.forEach((chunks, of) -> {
            if (of == zone) {
                Span span = new Span(chunks.startCid(), chunks.endCidInclusive());
                parts.add(new ZoneSnapshot.Part(span, chunks.hasCome()));
            }
        });
        return parts;
    }

    /** Tells which chunks are in which zone, ascending; zones that have another owner by now stand as null. */
    public void forEachSpan(SpanVisitor visitor) {
        map.forEach((start, end, zone) -> visitor.span(start, end, byId.get(zone.id()) == zone ? zone : null));
    }

    /** Is told of chunks and their zone. */
    public interface SpanVisitor {
        /**
         * Consecutive chunks.
         *
         * @param zone that they are in, null when another peer owns it
         */
        void span(long startCid, long endCidInclusive, @Nullable OwnedZone zone);
    }

    /** A zone has another owner. Its chunks stay in it, so that they are refused until it is known whose they are. */
    void end(OwnedZone zone) {
        byId.remove(zone.id(), zone);
        zone.end();
    }

    List<Span> spansOf(OwnedZone zone) {
        return map.spansOf(zone);
    }

    private static List<Span> spans(List<CidRange> ranges) {
        return ranges.stream()
                .map(range -> new Span(range.startCid(), range.endCidInclusive()))
                .toList();
    }

    /** For people. */
    static String name(int zone) {
        return Nid.toHex(zone >>> 15) + "/" + (zone & 0x7FFF);
    }
}
