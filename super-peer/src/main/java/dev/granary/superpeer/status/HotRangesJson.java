package dev.granary.superpeer.status;

import dev.granary.net.message.LeaseMessages.ReportLoad.HotRange;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.net.message.ZoneMessages.ZoneStatus.OwnedRange;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.process.JsonText;
import java.util.List;

/** What the status of the cluster says about ranges that are used much: docs/formats/status.md. */
final class HotRangesJson {

    /** So many are told of the whole cluster. */
    static final int MOST = 64;

    private HotRangesJson() {}

    /** @param told the answers of the super-peers, each of the arcs that it serves */
    static void write(JsonText json, List<ZoneStatus> told) {
        json.array("hotRanges");
        told.stream()
                .flatMap(status -> status.hotRanges().stream())
                .sorted(OwnedRange.HOTTEST_FIRST)
                .limit(MOST)
                .forEach(owned -> write(json, owned));
        json.end();
    }

    private static void write(JsonText json, OwnedRange owned) {
        HotRange range = owned.range();
        int creator = Cid.nid(range.startCid());
        json.object();
        json.field("zone", range.zone() == 0 ? "" : BackupZone.nameOf(range.zone()));
        json.field("slots", SlotGroup.isGroup(creator) ? SlotGroup.slotsOf(creator) : "");
        json.field("from", Cid.toHex(range.startCid()));
        json.field("to", Cid.toHex(range.endCidInclusive()));
        json.field("owner", Nid.toHex(owned.nid()));
        json.field("perSecond", range.perSecond());
        json.end();
    }
}
