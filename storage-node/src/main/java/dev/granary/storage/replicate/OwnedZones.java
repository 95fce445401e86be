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
 * The zones that this peer owns, and the zone of each chunk. Any thread looks zones up without a lock; tasks of the
 * scheduler change them.
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

    /** Returns the pending replies, which wait for backups. */
    public HeldReplies held() {
        return held;
    }

    /** Returns the zone of a chunk, or null when the chunk is in no zone: then it has no copy and needs none. */
    public @Nullable OwnedZone find(long cid) {
        return map.find(cid);
    }

    /** Returns what is another object as soon as any chunk is in another zone. */
    public Object version() {
        return map;
    }

    /** Returns whether no chunk is in a zone. */
    public boolean isEmpty() {
        return map == ZoneMap.EMPTY;
    }

    /** Returns the zone with an id, or null when this peer does not own it. */
    public @Nullable OwnedZone byId(int zone) {
        return byId.get(zone);
    }

    /** Returns all zones in the order of their ids. */
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
     * Takes room for a change and its reply before anything is changed. Call {@link #carriedOut} after the change.
     *
     * @param changeBytes about how many bytes the change adds to the pending batches
     * @param replyBytes how many bytes the reply has, which may have to wait
     * @return why the change is refused, or null when there is room
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

    /** Returns room that {@link #admit} took: change and reply are counted where they wait, or were not made. */
    public void carriedOut(long changeBytes, int replyBytes) {
        totals.carriedOut(changeBytes);
        held.give(replyBytes);
    }

    /**
     * Returns the stamp, a number that grows with each batch that changes existing chunks. A create reads it before it
     * takes LIDs. If its zone has a higher stamp afterwards, another request may have changed the chunk of a reused LID
     * in between; then the create logs what it reads from memory.
     */
    public long stamp() {
        return stamps.get();
    }

    /** Raises the stamp by one and returns it. */
    public long nextStamp() {
        return stamps.incrementAndGet();
    }

    /** Puts the chunks of ranges into a zone from now on. The zone may be new to this peer. */
    void put(OwnedZone zone, List<CidRange> ranges) {
        assert confined.here() : confined;
        byId.put(zone.id(), zone);
        map = map.with(spans(ranges), zone);
    }

    /** Takes the chunks of a range out of all zones, because another peer owns them. */
    public void remove(long startCid, long endCidInclusive) {
        assert confined.here() : confined;
        map = map.with(List.of(new Span(startCid, endCidInclusive)), null);
    }

    /**
     * Begins to log chunks of a migration in a zone that does not own them yet. This method and the following ones are
     * for tasks of the scheduler only.
     */
    public void arrive(OwnedZone zone, ArrivingChunks chunks) {
        assert confined.here() : confined;
        arriving.put(chunks, zone);
    }

    /** Ends what {@link #arrive} began, because the owner of the chunks is decided. */
    public void arrived(ArrivingChunks chunks) {
        assert confined.here() : confined;
        arriving.remove(chunks);
    }

    /** Returns what the base of a new copy must have: the zone's own spans, and chunks of migrations on their way. */
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

    /** Visits all spans with their zones, ascending. A zone that has another owner by now is passed as null. */
    public void forEachSpan(SpanVisitor visitor) {
        map.forEach((start, end, zone) -> visitor.span(start, end, byId.get(zone.id()) == zone ? zone : null));
    }

    /** Visits spans of chunks. */
    public interface SpanVisitor {
        /**
         * Visits consecutive chunks.
         *
         * @param zone the zone of the chunks, null when another peer owns it
         */
        void span(long startCid, long endCidInclusive, @Nullable OwnedZone zone);
    }

    /** Ends a zone that has another owner. Its chunks stay in it and are refused until their new owner is known. */
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

    /** Returns the id of a zone as people write it. */
    static String name(int zone) {
        return Nid.toHex(zone >>> 15) + "/" + (zone & 0x7FFF);
    }
}
