package dev.granary.log.backup;

import dev.granary.env.Confined;
import dev.granary.env.Disk;
import dev.granary.log.probe.LogProbe;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Frees space: reads log segments with few live entries, writes the live entries into new segments, and deletes the old
 * segments. Segments are chosen by cost and benefit: (1 - u) * age / (1 + u), where u is the live share and age is the
 * time for which nothing of the segment has changed (Rosenblum and Ousterhout, The design and implementation of a
 * log-structured file system, section 3.6). ADR 0100. Used by the disk's thread only.
 *
 * <p>The cleaner drops entries of which a newer one is in a segment; tombstones when no other entry of their CID is in
 * any segment; completion records that their client has acknowledged; tokens that were replaced; entries that were cut.
 * Pending batches are newer than everything in segments, and the cleaner does not read them.
 */
final class Cleaner {

    private static final int MAX_VICTIMS = 8;
    private static final int SLACK_SEGMENTS = 2;

    private final Confined confined = new Confined();
    private final Disk disk;
    private final BackupLogOptions options;
    private final ZoneTable table;
    private final SegmentStore store;
    private final SpareArrays spares;
    private final Map<ZoneLog, List<Segment>> condemned = new LinkedHashMap<>();
    private long cleanedBytes;
    private long cleanedSegments;
    private long uses;

    Cleaner(Disk disk, BackupLogOptions options, ZoneTable table, SegmentStore store, SpareArrays spares) {
        this.disk = disk;
        this.options = options;
        this.table = table;
        this.store = store;
        this.spares = spares;
    }

    /** Returns how many bytes the cleaner has rewritten since the start. */
    long cleanedBytes() {
        return cleanedBytes;
    }

    /** Returns how many segments the cleaner has freed since the start. */
    long cleanedSegments() {
        return cleanedSegments;
    }

    /**
     * Cleans a few segments of the zone that is furthest beyond its bound.
     *
     * @param tight whether the disk is full: then the segment with the fewest live bytes, which needs the least room
     * @return false if no zone is beyond its bound
     */
    boolean step(Collection<ZoneLog> zones, boolean tight) throws IOException {
        assert confined.here() : confined;
        deleteCondemned();
        ZoneLog worst = null;
        long worstExcess = 0;
        for (ZoneLog zone : zones) {
            long excess = excessBytes(zone);
            if (excess > worstExcess) {
                worst = zone;
                worstExcess = excess;
            }
        }
        if (worst == null) {
            return false;
        }
        if (worst.index() == null) {
            boolean whole = new IndexBuild(disk, worst).run();
            keepBudget(zones, worst);
            return whole;
        }
        List<Segment> victims = victims(worst, tight);
        if (victims.isEmpty()) {
            return false;
        }
        clean(worst, victims);
        return true;
    }

    /** Returns whether some zone is beyond its bound. */
    boolean isNeeded(Collection<ZoneLog> zones) {
        for (ZoneLog zone : zones) {
            if (excessBytes(zone) > 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns by how many bytes a zone exceeds its bound; 0 or less when it does not. */
    private long excessBytes(ZoneLog zone) {
        long excess = zone.segmentBytes() - (long) SLACK_SEGMENTS * store.limitBytes(zone);
        // What is live is counted segment by segment, and this is asked after each write.
        if (excess <= 0 || !zone.state().filled() || zone.isDropped() || zone.isRead() || zone.isDamagedForCleaner()) {
            return Math.min(excess, 0);
        }
        long live = zone.index() == null ? zone.liveAtScanBytes() : liveBytes(zone);
        excess -= live * 100 / options.utilisationPercent();
        if (excess > 0 && !zone.isSettled()) {
            // The entries that make others dead may still be cut, and the others would count again.
            LogProbe.CLEANER_WAITS.hit();
            return 0;
        }
        return excess;
    }

    static long liveBytes(ZoneLog zone) {
        long live = 0;
        for (Segment segment : zone.segments()) {
            live += segment.liveBytes();
        }
        return live;
    }

    private void keepBudget(Collection<ZoneLog> zones, ZoneLog newest) {
        newest.setLiveAtScanBytes(liveBytes(newest));
        long bytes = 0;
        List<ZoneLog> indexed = new ArrayList<>();
        for (ZoneLog zone : zones) {
            SegmentIndex index = zone.index();
            if (index != null) {
                bytes += index.sizeBytes();
                indexed.add(zone);
            }
        }
        indexed.sort(Comparator.comparingLong(zone -> usedAt(zone)));
        for (ZoneLog zone : indexed) {
            SegmentIndex index = zone.index();
            if (bytes <= options.indexBytes() || zone == newest || index == null) {
                return;
            }
            bytes -= index.sizeBytes();
            zone.setLiveAtScanBytes(liveBytes(zone));
            zone.setIndex(null);
        }
    }

    private static long usedAt(ZoneLog zone) {
        SegmentIndex index = zone.index();
        return index == null ? 0 : index.usedAt();
    }

    private List<Segment> victims(ZoneLog zone, boolean tight) {
        Segment tail = zone.tail();
        List<Segment> candidates = new ArrayList<>();
        for (Segment segment : zone.segments()) {
            if (segment != tail && segment.liveBytes() < segment.sizeBytes()) {
                candidates.add(segment);
            }
        }
        if (tight) {
            candidates.sort(Comparator.comparingLong(Segment::liveBytes));
            return List.copyOf(candidates.subList(0, Math.min(1, candidates.size())));
        }
        long now = zone.segmentSequence() + 1;
        candidates.sort(Comparator.comparingDouble(segment -> -benefit(segment, now)));
        List<Segment> victims = new ArrayList<>();
        long live = 0;
        long excess = excessBytes(zone);
        for (Segment segment : candidates) {
            // Dead segments cost nothing to clean. Of the others only as many as needed go: they may die by themselves.
            boolean worthIt = segment.liveBytes() == 0 || (excess > 0 && live < store.limitBytes(zone));
            if (victims.size() < MAX_VICTIMS && worthIt) {
                victims.add(segment);
                live += segment.liveBytes();
                excess -= segment.sizeBytes() - segment.liveBytes();
            }
        }
        return victims;
    }

    private static double benefit(Segment segment, long now) {
        double used = (double) segment.liveBytes() / segment.sizeBytes();
        return (1 - used) * (now - segment.youngestSequence()) / (1 + used);
    }

    private void clean(ZoneLog zone, List<Segment> victims) throws IOException {
        SegmentIndex index = requireIndex(zone.index());
        index.used(++uses);
        List<Victim> read = new ArrayList<>();
        try {
            for (Segment segment : victims) {
                Victim victim = new Victim(disk, spares, zone, segment, index);
                read.add(victim);
                if (!victim.read()) {
                    // Damaged: the segment stays, because a person or another backup may want to read it.
                    zone.excludeFromCleaning();
                    return;
                }
            }
            clean(zone, victims, read, index);
        } finally {
            read.forEach(Victim::release);
        }
    }

    private void clean(ZoneLog zone, List<Segment> victims, List<Victim> read, SegmentIndex index) throws IOException {
        CleanedSegments output = new CleanedSegments(disk, zone, store.limitBytes(zone), index);
        try {
            rewrite(zone, victims, read, output);
        } catch (IOException | RuntimeException e) {
            // The index is ahead of the disk now. Segments that were written and do not count go at the next opening.
            zone.setIndex(null);
            throw e;
        }
        for (Segment segment : victims) {
            index.removeSegment(segment);
        }
        zone.cleaned(zone.state().cut(), zone.segmentSequence());
        zone.replaceSegments(victims, output.written());
        cleanedSegments += victims.size();
        LogProbe.SEGMENTS_CLEANED.hit();
        condemned.computeIfAbsent(zone, key -> new ArrayList<>()).addAll(victims);
        deleteCondemned();
    }

    private void rewrite(ZoneLog zone, List<Segment> victims, List<Victim> read, CleanedSegments output)
            throws IOException {
        for (Victim victim : read) {
            victim.forgetDead();
        }
        for (Victim victim : read) {
            victim.writeLive(output);
        }
        output.finish();
        for (Segment segment : output.written()) {
            table.added(zone.state().zone(), segment.ordinal());
            cleanedBytes += segment.sizeBytes();
        }
        for (Segment segment : victims) {
            table.removed(zone.state().zone(), segment.ordinal(), zone.state().cut(), zone.segmentSequence());
        }
        // The entries that made others dead must not be lost with a torn tail, now that the others go.
        store.sync();
        // From here on the new segments count, and the old ones do not.
        table.sync();
    }

    /** Deletes segments that were cleaned, unless a replay that began before may still read them. */
    private void deleteCondemned() throws IOException {
        for (ZoneLog zone : List.copyOf(condemned.keySet())) {
            if (!zone.isRead()) {
                List<Segment> gone = condemned.getOrDefault(zone, List.of());
                store.delete(gone);
                for (Segment segment : gone) {
                    table.deleted(zone.state().zone(), segment.ordinal());
                }
                condemned.remove(zone);
            }
        }
    }

    private static SegmentIndex requireIndex(@Nullable SegmentIndex index) {
        if (index == null) {
            throw new IllegalStateException("a zone without an index is not cleaned");
        }
        return index;
    }
}
