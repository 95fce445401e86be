package dev.granary.superpeer.status;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Nid;
import dev.granary.process.JsonText;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/** What the status of the cluster says about zones and copies: docs/formats/status.md. */
final class ZonesJson {

    private final List<ZoneStatus> told;

    /** @param told the answers of the super-peers, each of the arcs that it serves */
    ZonesJson(List<ZoneStatus> told) {
        this.told = told;
    }

    /** Writes which zones and copies a storage peer has. */
    void writePeer(JsonText json, PeerInfo peer) {
        long zones = 0;
        long copies = 0;
        for (ZoneStatus status : told) {
            for (ZoneStatus.Holding holding : status.peers()) {
                if (holding.nid() == peer.nid()) {
                    zones += holding.zones();
                    copies += holding.copies();
                }
            }
        }
        json.field("zones", zones);
        json.field("copies", copies);
        json.field("copiesOnDisk", peer.statistics().copies());
        json.field("logBytes", peer.statistics().logBytes());
        json.field("machine", peer.machine());
        json.field("failureZone", peer.failureZone());
    }

    /** Writes the numbers of all zones. */
    void write(JsonText json) {
        json.object("zones");
        json.field("inSync", sum(ZoneStatus::inSync));
        json.field("degraded", sum(ZoneStatus::degraded));
        json.field("recovering", sum(ZoneStatus::recovering));
        json.field("lost", sum(ZoneStatus::lost));
        json.field("recovered", sum(ZoneStatus::recovered));
        json.array("recoveries");
        told.stream()
                .flatMap(status -> status.recoveries().stream())
                .sorted(Comparator.comparingInt(ZoneStatus.Recovery::zone))
                .forEach(recovery -> write(json, recovery));
        json.end().end();
    }

    private static void write(JsonText json, ZoneStatus.Recovery recovery) {
        json.object();
        json.field("zone", BackupZone.nameOf(recovery.zone()));
        json.field("epoch", recovery.epoch());
        json.field("candidate", recovery.candidateNid() == Nid.NONE ? "" : Nid.toHex(recovery.candidateNid()));
        json.field(
                "waitingFor",
                String.join(" ", recovery.waitingFor().stream().map(Nid::toHex).toList()));
        json.field("chunks", recovery.chunks());
        json.field("bytes", recovery.bytes());
        json.field("ageMillis", recovery.ageMillis());
        json.field("note", recovery.note());
        json.end();
    }

    private long sum(ToLongFunction<ZoneStatus> value) {
        return told.stream().mapToLong(value).sum();
    }
}
