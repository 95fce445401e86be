package dev.granary.superpeer.status;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.process.JsonText;
import dev.granary.superpeer.node.SuperPeerMemory;
import dev.granary.superpeer.ring.RingDriver;
import dev.granary.superpeer.state.ring.RingEvent;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The status of the cluster as JSON: docs/formats/status.md. */
final class StatusJson {

    private StatusJson() {}

    /**
     * The answers of the super-peers.
     *
     * @param leaderNid the leader of the ring as far as the asked super-peer knows, 0 when it does not know
     * @param reachable the NIDs of the super-peers that have answered, the asked one among them
     * @param servedBy the super-peer that serves an arc, by the NID of the super-peer to which the arc belongs; arcs
     *     that nobody serves are missing
     * @param voters the voters of a Raft group, by the NID of the super-peer to which the arc belongs, 0 for the ring;
     *     groups whose leaders have not answered are missing
     * @param zones what each super-peer has answered about the zones of the arcs that it serves
     */
    record Seen(
            int leaderNid,
            Set<Integer> reachable,
            Map<Integer, Integer> servedBy,
            Map<Integer, List<Integer>> voters,
            List<ZoneStatus> zones) {

        /** Returns the Raft groups in which a super-peer votes. */
        private List<Integer> groupsOf(int nid) {
            return voters.entrySet().stream()
                    .filter(group -> group.getValue().contains(nid))
                    .map(Map.Entry::getKey)
                    .sorted()
                    .toList();
        }
    }

    /**
     * Writes the status.
     *
     * @param view null while the super-peer belongs to no ring
     * @param peers of all arcs that are served by super-peers that have answered, in any order
     * @param plan of the memory of the asked super-peer
     * @param usedBytes how much of the plan is taken, by the names of the shares
     */
    static String write(
            String version,
            @Nullable RingView view,
            Seen seen,
            List<PeerInfo> peers,
            SuperPeerMemory plan,
            Map<String, Long> usedBytes) {
        List<PeerInfo> sorted =
                peers.stream().sorted(Comparator.comparingInt(PeerInfo::nid)).toList();
        JsonText json = new JsonText().object();
        json.field("clusterId", view == null ? "" : view.clusterId().toString());
        json.field("version", version);
        List<SuperPeerRecord> members = view == null
                ? List.of()
                : view.superPeers().stream().filter(SuperPeerRecord::isMember).toList();
        int live = (int) sorted.stream().filter(PeerInfo::live).count();
        writeRing(json, view, members, live, seen);
        json.array("storagePeers");
        ZonesJson zones = new ZonesJson(seen.zones);
        for (PeerInfo peer : sorted) {
            writePeer(json, peer, zones);
        }
        json.end();
        zones.write(json);
        HotRangesJson.write(json, seen.zones);
        writeTotals(json, members.size(), sorted);
        plan.plan().write(json, usedBytes);
        return json.end().toString();
    }

    private static void writeRing(
            JsonText json, @Nullable RingView view, List<SuperPeerRecord> members, int storagePeers, Seen seen) {
        json.object("ring");
        json.field("epoch", view == null ? 0 : view.epoch());
        json.field("size", members.size());
        json.field("expectedSize", view == null ? 0 : view.expectedSize());
        json.field("complete", view != null && view.formed() && members.size() == view.expectedSize());
        json.field("recommendedSize", view == null ? 0 : RingDriver.recommendedSize(storagePeers));
        boolean votersKnown = view != null
                && seen.voters.containsKey(Nid.NONE)
                && members.stream().allMatch(member -> seen.voters.containsKey(member.nid()));
        json.field("votersKnown", votersKnown);
        json.array("superPeers");
        for (SuperPeerRecord member : members) {
            json.object();
            writeSuperPeer(json, member, seen);
            json.field("leader", member.nid() == seen.leaderNid);
            Integer servedBy = seen.servedBy.get(member.nid());
            json.field("arcServedBy", servedBy == null ? "" : Nid.toHex(servedBy));
            json.end();
        }
        json.end();
        json.array("candidates");
        if (view != null) {
            view.superPeers().stream()
                    .filter(superPeer -> !superPeer.isMember())
                    .forEach(candidate -> {
                        json.object();
                        writeSuperPeer(json, candidate, seen);
                        json.end();
                    });
        }
        json.end();
        RingOperation operation = view == null ? null : view.operation();
        json.object("operation");
        if (operation != null) {
            json.field("kind", text(operation.kind()));
            json.field("nid", Nid.toHex(operation.nid()));
        }
        json.end();
        json.array("events");
        if (view != null) {
            for (RingEvent event : view.events()) {
                json.object();
                json.field("time", Instant.ofEpochMilli(event.wallMillis()).toString());
                json.field("kind", text(event.kind()));
                json.field("nid", event.nid() == Nid.NONE ? "" : Nid.toHex(event.nid()));
                json.end();
            }
        }
        json.end().end();
    }

    private static String text(Enum<?> kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void writeSuperPeer(JsonText json, SuperPeerRecord superPeer, Seen seen) {
        json.field("nid", Nid.toHex(superPeer.nid()));
        json.field("name", superPeer.name());
        json.field("address", superPeer.address().toString());
        json.field("httpAddress", superPeer.httpAddress().toString());
        json.field("reachable", seen.reachable.contains(superPeer.nid()));
        json.field("votes", seen.groupsOf(superPeer.nid()).size());
    }

    private static void writePeer(JsonText json, PeerInfo peer, ZonesJson zones) {
        json.object();
        json.field("nid", Nid.toHex(peer.nid()));
        json.field("name", peer.name());
        json.field("address", peer.address().toString());
        json.field("httpAddress", peer.httpAddress().toString());
        HostAddress redisAddress = peer.redisAddress();
        if (redisAddress != null) {
            json.field("redisAddress", redisAddress.toString());
        }
        json.field("state", peer.parked() ? "parked" : peer.live() ? "live" : "expired");
        json.field("leaseRemainingMillis", TimeUnit.NANOSECONDS.toMillis(peer.leaseRemainingNanos()));
        json.field("epoch", peer.epoch());
        json.field("chunks", peer.statistics().chunks());
        json.field("payloadBytes", peer.statistics().payloadBytes());
        json.field("bookkeepingBytes", peer.statistics().bookkeepingBytes());
        json.field("usedBytes", peer.statistics().usedBytes());
        json.field("capacityBytes", peer.statistics().capacityBytes());
        json.field("lostLidsBelow", peer.firstLid());
        json.field("drain", text(peer.drain()));
        json.field("usesPerSecond", peer.usesPerSecond());
        zones.writePeer(json, peer);
        json.end();
    }

    private static void writeTotals(JsonText json, int superPeers, List<PeerInfo> peers) {
        // The chunks that a peer without a lease reported last are not served, and may not exist any more.
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
