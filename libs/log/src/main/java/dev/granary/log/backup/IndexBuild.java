package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.EntryCursor;
import java.io.IOException;
import java.util.Arrays;

/** Builds the cleaner's index of a zone from its segments, which need not be in the order of their versions. */
final class IndexBuild {

    private final Disk disk;
    private final ZoneLog zone;
    private final SegmentIndex index = new SegmentIndex();
    private final SlotTable slots = new SlotTable();
    private long[] newest = new long[1 << 10];
    private long[] newestToken = new long[0];

    IndexBuild(Disk disk, ZoneLog zone) {
        this.disk = disk;
        this.zone = zone;
    }

    /** Builds the index. Returns false if a part of the zone cannot be read; then the cleaner leaves the zone alone. */
    boolean run() throws IOException {
        for (Segment segment : zone.segments()) {
            segment.resetCounts();
            index.addSegment(segment);
        }
        boolean broken = false;
        for (Segment segment : zone.segments()) {
            SegmentWalk walk = new SegmentWalk(zone, segment, disk.read(segment.file()));
            walk.run((block, entry) -> {
                if (segment.isCleaned()) {
                    segment.setYoungest(block.lastSequence);
                }
                add(segment, entry);
            });
            broken |= walk.isBroken();
        }
        if (broken) {
            zone.excludeFromCleaning();
            return false;
        }
        zone.setIndex(index);
        return true;
    }

    private void add(Segment segment, EntryCursor entry) {
        if (entry.type() == BatchFormat.TYPE_REQUEST) {
            index.add(segment, entry);
            return;
        }
        boolean token = entry.type() == BatchFormat.TYPE_TOKEN;
        int slot = slots.slot(entry.cid());
        if (slot >= newest.length) {
            newest = Arrays.copyOf(newest, Math.max(2 * newest.length, slots.slots()));
        }
        if (token) {
            newestToken = newestToken.length < newest.length ? Arrays.copyOf(newestToken, newest.length) : newestToken;
        }
        long[] versions = token ? newestToken : newest;
        boolean newer = entry.sequence() + 1 > versions[slot];
        if (newer) {
            versions[slot] = entry.sequence() + 1;
        }
        index.count(segment, entry, newer);
    }
}
