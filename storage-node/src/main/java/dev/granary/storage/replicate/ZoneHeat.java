package dev.granary.storage.replicate;

import dev.granary.net.message.LeaseMessages.ReportLoad.HotRange;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.replicate.ZoneMap.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Which zones of this peer are used most, by what {@link OwnedZone#noteUses} has counted. Any thread. */
public final class ZoneHeat {

    private final OwnedZones zones;

    public ZoneHeat(OwnedZones zones) {
        this.zones = zones;
    }

    private record Used(OwnedZone zone, long uses) {}

    /**
     * Returns the zones that are used most, the busiest first.
     *
     * @param perSecond how many uses a second one counted use stands for
     */
    public List<HotRange> hottest(int most, double perSecond) {
        List<Used> used = new ArrayList<>();
        for (OwnedZone zone : zones.all()) {
            long uses = zone.uses();
            if (uses * perSecond >= 1) {
                used.add(new Used(zone, uses));
            }
        }
        used.sort(Comparator.comparingLong(Used::uses).reversed());
        List<HotRange> hot = new ArrayList<>();
        for (Used each : used.subList(0, Math.min(most, used.size()))) {
            List<Span> spans = zones.spansOf(each.zone);
            if (!spans.isEmpty()) {
                hot.add(new HotRange(
                        each.zone.id(),
                        spans.getFirst().startCid(),
                        spans.getLast().endCidInclusive(),
                        (long) (each.uses * perSecond)));
            }
        }
        return hot;
    }

    /** Returns the uses of keys: those of the zones of slot groups. */
    public long usesOfKeys() {
        long sum = 0;
        for (OwnedZone zone : zones.all()) {
            if (SlotGroup.isGroup(BackupZone.creatorOf(zone.id()))) {
                sum += zone.uses();
            }
        }
        return sum;
    }

    /** Forgets half of what was counted. */
    public void halve() {
        zones.all().forEach(OwnedZone::halveUses);
    }
}
