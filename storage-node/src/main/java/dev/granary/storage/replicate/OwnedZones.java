package dev.granary.storage.replicate;

import dev.granary.env.Confined;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.ZoneMap.Span;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The zones that this peer owns, and which chunks are in which. Found by any thread without a lock;
 * changed by tasks of the scheduler.
 */
public final class OwnedZones {

    private static final long FULL_RETRY_NANOS = 5_000_000;

    private final Confined confined = new Confined();
    private final ReplicationTotals totals;
    private final ReplicationBounds bounds;
    private final HeldReplies held;
    private final Map<Integer, OwnedZone> byId = new ConcurrentSkipListMap<>();
    private final AtomicLong stamps = new AtomicLong();
    private final Map<ArrivingChunks, OwnedZone> arriving = new LinkedHashMap<>();
    private volatile ZoneMap map = ZoneMap.EMPTY;

    OwnedZones(ReplicationTotals totals, ReplicationBounds bounds, HeldReplies held) {
        this.totals = totals;
        this.bounds = bounds;
        this.held = held;
    }

    /** Answers that wait for backups. */
    public HeldReplies held() {
        return held;
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

    /** By the id of each zone, the NIDs of its backups as their arc has committed them, as far as this peer knows. */
    public Map<Integer, Set<Integer>> backupsByZone() {
        Map<Integer, Set<Integer>> backups = new TreeMap<>();
        byId.forEach((id, zone) -> backups.put(
                id,
                Arrays.stream(zone.copies())
                        .filter(ZoneCopy::isMember)
                        .map(ZoneCopy::nid)
                        .collect(Collectors.toCollection(TreeSet::new))));
        return backups;
    }

    /**
     * Takes room for a change and its answer, before anything is changed; {@link #carriedOut} follows when it is.
     *
     * @param changeBytes about what it adds to the batches that wait for backups
     * @param replyBytes what its answer takes, which may wait as well
     * @return why it is not taken, or null
     */
    public @Nullable ErrorReply admit(long changeBytes, int replyBytes) {
        if (changeBytes > bounds.largestChangeBytes()) {
            return ErrorReply.of(
                    ErrorCode.TOO_LARGE,
                    "the request adds " + changeBytes
                            + " bytes to what waits for backups, and this storage peer has room" + " for "
                            + bounds.largestChangeBytes() + "; split it");
        }
        if (!totals.admit(changeBytes)) {
            StorageProbe.BACK_PRESSURE.hit();
            return ErrorReply.retryLater(
                    FULL_RETRY_NANOS, "the backups of this storage peer do not keep up with its changes");
        }
        ErrorReply full = held.take(replyBytes);
        if (full != null) {
            totals.carriedOut(changeBytes);
        }
        return full;
    }

    /** A change for which room was taken is where it waits, as is its answer, or it was not made. */
    public void carriedOut(long changeBytes, int replyBytes) {
        totals.carriedOut(changeBytes);
        held.give(replyBytes);
    }

    /**
     * A number that grows with each batch that changes chunks which were there. A create looks at it before it takes
     * its LIDs: when the zone has a higher one afterwards, somebody may have changed a reused LID's chunk between the
     * two, and what is logged is read from memory.
     */
    public long stamp() {
        return stamps.get();
    }

    /** The next of these numbers. */
    public long nextStamp() {
        return stamps.incrementAndGet();
    }

    /**
     * Chunks of these ranges are in a zone from now on; one that this peer has not owned so far, or one that it has.
     */
    void put(OwnedZone zone, List<CidRange> ranges) {
        assert confined.here() : confined;
        byId.put(zone.id(), zone);
        map = map.with(spans(ranges), zone);
    }

    /** Chunks of a range are in none of the zones any more: another peer owns them. */
    public void remove(long startCid, long endCidInclusive) {
        assert confined.here() : confined;
        map = map.with(List.of(new Span(startCid, endCidInclusive)), null);
    }

    /**
     * Chunks are logged in a zone from now on that are not its own yet. Tasks of the scheduler only, as what follows.
     */
    public void arrive(OwnedZone zone, ArrivingChunks chunks) {
        assert confined.here() : confined;
        arriving.put(chunks, zone);
    }

    /** It is decided whose the chunks are. */
    public void arrived(ArrivingChunks chunks) {
        assert confined.here() : confined;
        arriving.remove(chunks);
    }

    /** What a new copy of a zone must begin with: the zone's own spans, and what is on its way into it. */
    List<ZoneSnapshot.Part> partsOf(OwnedZone zone) {
        assert confined.here() : confined;
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
        assert confined.here() : confined;
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
