package dev.granary.storage.replicate;

import dev.granary.env.Clock;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import java.util.List;

/** Zones of an owner whose backups never answer, for tests of code that only looks at zones. */
public final class Zones {

    private static final Clock STANDING = new Clock() {
        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public long wallMillis() {
            return 0;
        }
    };

    private Zones() {}

    /** Returns an owner's zones without any zone yet, with this much room for changes and replies. */
    static OwnedZones none(long pendingBytes, long largestChangeBytes, long heldBytes) {
        return new OwnedZones(
                new ReplicationTotals(pendingBytes),
                new ReplicationBounds(pendingBytes, largestChangeBytes, heldBytes, Long.MAX_VALUE, Long.MAX_VALUE),
                new HeldReplies(STANDING, heldBytes));
    }

    static OwnedZone zone(Placement placement) {
        return new OwnedZone(placement, 0, false, new ReplicationTotals(1 << 20));
    }

    /** Returns zones with these ranges; each range is in the zone of its placement. */
    public static OwnedZones of(List<CidRange> ranges) {
        OwnedZones zones = none(1 << 20, 1 << 20, 1 << 20);
        for (CidRange range : ranges) {
            OwnedZone known = zones.byId(range.placement().zone());
            zones.put(known == null ? zone(range.placement()) : known, List.of(range));
        }
        return zones;
    }
}
