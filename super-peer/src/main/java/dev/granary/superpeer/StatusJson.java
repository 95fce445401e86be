package dev.granary.superpeer;

import dev.granary.net.message.PeerInfo;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.process.JsonText;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The status of the cluster as JSON: docs/formats/status.md. */
final class StatusJson {

    private StatusJson() {}

    /**
     * Writes the status.
     *
     * @param ring null while the super-peer belongs to none
     * @param reachable the NIDs of the super-peers that have answered, the asked one among them
     * @param peers of all arcs whose super-peers have answered, in any order
     */
    static String write(String version, @Nullable Ring ring, Set<Integer> reachable, List<PeerInfo> peers) {
        List<PeerInfo> sorted =
                peers.stream().sorted(Comparator.comparingInt(PeerInfo::nid)).toList();
        JsonText json = new JsonText().object();
        json.field("clusterId", ring == null ? "" : ring.clusterId().toString());
        json.field("version", version);
        writeRing(json, ring, reachable);
        json.array("storagePeers");
        for (PeerInfo peer : sorted) {
            writePeer(json, peer);
        }
        json.end();
        writeTotals(json, ring == null ? 0 : ring.members().size(), sorted);
        return json.end().toString();
    }

    private static void writeRing(JsonText json, @Nullable Ring ring, Set<Integer> reachable) {
        json.object("ring");
        json.field("epoch", ring == null ? 0 : ring.epoch());
        json.field("size", ring == null ? 0 : ring.members().size());
        json.field("expectedSize", ring == null ? 0 : ring.expectedSize());
        json.field("complete", ring != null && ring.isComplete());
        json.array("superPeers");
        List<RingMember> members = ring == null ? List.of() : ring.members();
        for (RingMember member : members) {
            json.object();
            json.field("nid", Nid.toHex(member.nid()));
            json.field("name", member.name());
            json.field("address", member.address().toString());
            json.field("httpAddress", member.httpAddress().toString());
            json.field("reachable", reachable.contains(member.nid()));
            json.field("leader", ring != null && member.nid() == ring.leaderNid());
            json.end();
        }
        json.end().end();
    }

    private static void writePeer(JsonText json, PeerInfo peer) {
        json.object();
        json.field("nid", Nid.toHex(peer.nid()));
        json.field("name", peer.name());
        json.field("address", peer.address().toString());
        json.field("httpAddress", peer.httpAddress().toString());
        json.field("state", peer.live() ? "live" : "expired");
        json.field("leaseRemainingMillis", TimeUnit.NANOSECONDS.toMillis(peer.leaseRemainingNanos()));
        json.field("epoch", peer.epoch());
        json.field("chunks", peer.statistics().chunks());
        json.field("payloadBytes", peer.statistics().payloadBytes());
        json.field("bookkeepingBytes", peer.statistics().bookkeepingBytes());
        json.field("usedBytes", peer.statistics().usedBytes());
        json.field("capacityBytes", peer.statistics().capacityBytes());
        json.field("lostLidsBelow", peer.firstLid());
        json.end();
    }

    private static void writeTotals(JsonText json, int superPeers, List<PeerInfo> peers) {
        // What a peer without a lease reported last is neither served nor known to be there.
        List<PeerInfo> live = peers.stream().filter(PeerInfo::live).toList();
        json.object("totals");
        json.field("superPeers", superPeers);
        json.field("storagePeers", peers.size());
        json.field("livePeers", live.size());
        json.field("ranges", sum(peers, PeerInfo::ranges));
        json.field("chunks", sum(live, peer -> peer.statistics().chunks()));
        json.field("payloadBytes", sum(live, peer -> peer.statistics().payloadBytes()));
        json.field("bookkeepingBytes", sum(live, peer -> peer.statistics().bookkeepingBytes()));
        json.field("usedBytes", sum(live, peer -> peer.statistics().usedBytes()));
        json.field("capacityBytes", sum(live, peer -> peer.statistics().capacityBytes()));
        json.end();
    }

    private static long sum(List<PeerInfo> peers, ToLongFunction<PeerInfo> value) {
        return peers.stream().mapToLong(value).sum();
    }
}
