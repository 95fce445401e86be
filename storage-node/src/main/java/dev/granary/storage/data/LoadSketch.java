package dev.granary.storage.data;

import dev.granary.net.message.LeaseMessages.ReportLoad;
import dev.granary.net.message.LeaseMessages.ReportLoad.HotChunk;
import dev.granary.net.message.LeaseMessages.ReportLoad.HotRange;
import dev.granary.overlay.Cid;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.OwnedZones;
import dev.granary.storage.replicate.ZoneHeat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * How often chunks are used, and which chunks and zones are used most: one use in {@value #SAMPLED} is looked at.
 * Halved at intervals, so that it follows what happens now. Thread-safe; counts may be off by what threads do at the
 * same moment.
 */
final class LoadSketch {

    static final int SAMPLED = 16;

    private static final int MOST_CHUNKS = 16;
    private static final int MOST_RANGES = 16;
    private static final int CHUNK_BITS = 10;
    private static final int CREATOR_BITS = 6;

    private final LongAdder uses = new LongAdder();
    private final HotSlots cids = new HotSlots(CHUNK_BITS);

    /** The creators of chunks that are in no zone, as they need no copies. */
    private final HotSlots creators = new HotSlots(CREATOR_BITS);

    /** Chunks are used. */
    void note(long[] used, int count, Scratch scratch, OwnedZones zones) {
        uses.add(count);
        scratch.untilSample -= count;
        if (scratch.untilSample <= 0 && count > 0) {
            // Anywhere in a batch, as it happens to come.
            long cid = used[Math.floorMod(scratch.untilSample, count)];
            cids.add(cid, 1);
            // The chunks of a large batch are mostly of one zone: all of them count.
            noteRange(cid, (long) SAMPLED - scratch.untilSample, zones);
            scratch.untilSample = SAMPLED;
        }
    }

    private void noteRange(long cid, long count, OwnedZones zones) {
        OwnedZone zone = zones.find(cid);
        if (zone == null) {
            creators.add(Cid.nid(cid), count);
        } else {
            zone.noteUses(count);
        }
    }

    /** The uses since the last halving, of which {@link #halve} leaves a half. */
    long uses() {
        return uses.sum();
    }

    /**
     * Reports what is used, with the keys of slot groups, and forgets half of it.
     *
     * @param perSecond how many uses a second one counted use stands for
     */
    ReportLoad take(int nid, double perSecond, OwnedZones zones) {
        ZoneHeat heat = new ZoneHeat(zones);
        ReportLoad report = new ReportLoad(
                nid,
                (long) ((uses() + heat.usesOfKeys()) * perSecond),
                hottest(MOST_CHUNKS, perSecond),
                ranges(heat, perSecond));
        halve();
        heat.halve();
        return report;
    }

    private List<HotRange> ranges(ZoneHeat heat, double perSecond) {
        List<HotRange> ranges = new ArrayList<>(heat.hottest(MOST_RANGES, perSecond));
        creators.forEach((creator, count) -> {
            long rate = (long) (count * perSecond);
            if (rate > 0) {
                int nid = (int) creator;
                ranges.add(new HotRange(0, Cid.firstOf(nid), Cid.lastOf(nid), rate));
            }
        });
        ranges.sort(Comparator.comparingLong(HotRange::perSecond).reversed().thenComparingLong(HotRange::startCid));
        return ranges.subList(0, Math.min(MOST_RANGES, ranges.size()));
    }

    /** The chunks that are used most, the busiest first. */
    List<HotChunk> hottest(int most, double perSecond) {
        List<HotChunk> hot = new ArrayList<>();
        cids.forEach((cid, count) -> {
            if (count > 1) {
                hot.add(new HotChunk(cid, (long) (count * SAMPLED * perSecond)));
            }
        });
        hot.sort(Comparator.comparingLong(HotChunk::perSecond).reversed().thenComparingLong(HotChunk::cid));
        return hot.subList(0, Math.min(most, hot.size()));
    }

    /** Forgets half of what was seen. */
    void halve() {
        uses.add(-(uses.sum() / 2));
        cids.halve();
        creators.halve();
    }
}
