package dev.granary.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.client.admin.HotKeys;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * One look at a cluster, made of what its super-peers tell. The components are what {@code granary top -o json} prints.
 *
 * @param cluster the cluster's id
 * @param superPeers on the ring
 * @param superPeersExpected how many there are to be
 * @param unreachable names of super-peers that do not answer
 * @param ringOperation promotion or demotion that is under way, empty for none
 * @param storagePeers in the asked order
 * @param usesPerSecond of all chunks and keys
 * @param fillPercent of the memory of all live storage peers
 * @param headroomPercent how full the others would be without the largest storage peer; -1 when there is only one
 * @param zones by state
 * @param recoveries that have not ended, the oldest first
 * @param plans that run
 * @param hotRanges the ranges that are used most, the hottest first
 * @param hotKeys the keys that are asked for most, the hottest first
 * @param hotKeysMissing why storage peers have told no keys
 * @param hotChunks the chunks that are used most, the hottest first
 */
public record TopLook(
        String cluster,
        int superPeers,
        int superPeersExpected,
        List<String> unreachable,
        String ringOperation,
        List<Peer> storagePeers,
        long usesPerSecond,
        double fillPercent,
        double headroomPercent,
        Zones zones,
        List<JsonNode> recoveries,
        List<JsonNode> plans,
        List<HotRange> hotRanges,
        List<HotKey> hotKeys,
        List<Missing> hotKeysMissing,
        List<JsonNode> hotChunks) {

    /** A storage peer. */
    public record Peer(
            String nid,
            String name,
            String state,
            String drain,
            long chunks,
            long usedBytes,
            long capacityBytes,
            double fillPercent,
            long usesPerSecond,
            double loadPercent,
            long zones,
            long copies,
            long logBytes) {}

    /**
     * A zone, or all chunks of a creator that need no copies.
     *
     * @param zone empty for no zone
     * @param slots of a slot group, such as 128-191; empty for a range of chunks
     * @param from the first CID
     * @param to the last CID
     * @param loadPercent its share of all uses
     */
    public record HotRange(
            String zone, String slots, String from, String to, String owner, long perSecond, double loadPercent) {}

    /**
     * A key.
     *
     * @param key as text; bytes that are no readable text as {@code \xNN}
     * @param slots of its slot group
     * @param loadPercent its share of all uses
     */
    public record HotKey(String key, String slots, String owner, long perSecond, double loadPercent) {}

    /** A storage peer that has told no keys, and why. */
    public record Missing(String nid, String why) {}

    /** Zones by state. */
    public record Zones(long inSync, long degraded, long recovering, long lost) {}

    /** By what storage peers are ordered. */
    @SuppressWarnings("ImmutableEnumChecker") // these comparators have no state
    public enum Order {
        LOAD(Comparator.comparingLong(Peer::usesPerSecond).reversed()),
        FILL(Comparator.comparingDouble(Peer::fillPercent).reversed()),
        CHUNKS(Comparator.comparingLong(Peer::chunks).reversed()),
        NAME(Comparator.comparing(Peer::name));

        private final Comparator<Peer> comparator;

        Order(Comparator<Peer> comparator) {
            this.comparator = comparator.thenComparing(Peer::nid);
        }
    }

    /**
     * Makes a look from what super-peers have told.
     *
     * @param status the status of the cluster (docs/formats/status.md)
     * @param planTexts the answers of super-peers about plans; empty when nobody could be asked
     * @param keys the answers of storage peers about keys
     */
    public static TopLook of(JsonNode status, List<JsonNode> planTexts, HotKeys keys, Order order) {
        JsonNode ring = status.path("ring");
        JsonNode totals = status.path("totals");
        JsonNode zones = status.path("zones");
        long uses = list(status.path("storagePeers")).stream()
                .mapToLong(peer -> peer.path("usesPerSecond").asLong())
                .sum();
        return new TopLook(
                status.path("clusterId").asText(),
                ring.path("size").asInt(),
                ring.path("expectedSize").asInt(),
                unreachable(ring),
                (ring.at("/operation/kind").asText("") + " "
                                + ring.at("/operation/nid").asText(""))
                        .strip(),
                list(status.path("storagePeers")).stream()
                        .map(peer -> peer(peer, uses))
                        .sorted(order.comparator)
                        .toList(),
                uses,
                percent(
                        totals.path("usedBytes").asLong(),
                        totals.path("capacityBytes").asLong()),
                headroom(status),
                new Zones(
                        zones.path("inSync").asLong(),
                        zones.path("degraded").asLong(),
                        zones.path("recovering").asLong(),
                        zones.path("lost").asLong()),
                list(zones.path("recoveries")).stream()
                        .sorted(Comparator.comparingLong(
                                recovery -> -recovery.path("ageMillis").asLong()))
                        .toList(),
                all(planTexts, "plans").stream()
                        .filter(plan -> plan.path("state").asText().equals("running"))
                        .toList(),
                list(status.path("hotRanges")).stream()
                        .map(range -> range(range, uses))
                        .toList(),
                keys.keys().stream().map(key -> key(key, uses)).toList(),
                keys.missing().entrySet().stream()
                        .map(peer -> new Missing(
                                Nid.toHex(peer.getKey()), peer.getValue().why()))
                        .sorted(Comparator.comparing(Missing::nid))
                        .toList(),
                all(planTexts, "hotChunks").stream()
                        .sorted(Comparator.comparingLong(
                                chunk -> -chunk.path("perSecond").asLong()))
                        .toList());
    }

    private static List<String> unreachable(JsonNode ring) {
        return list(ring.path("superPeers")).stream()
                .filter(peer -> !peer.path("reachable").asBoolean())
                .map(peer -> peer.path("name").asText())
                .toList();
    }

    private static HotRange range(JsonNode range, long usesOfAll) {
        long perSecond = range.path("perSecond").asLong();
        return new HotRange(
                range.path("zone").asText(),
                range.path("slots").asText(),
                range.path("from").asText(),
                range.path("to").asText(),
                range.path("owner").asText(),
                perSecond,
                percent(perSecond, usesOfAll));
    }

    private static HotKey key(HotKeys.HotKey key, long usesOfAll) {
        return new HotKey(
                KeyText.of(key.key()),
                SlotGroup.slotsOf(key.groupNid()),
                Nid.toHex(key.ownerNid()),
                key.perSecond(),
                // Keys are told at another moment than the load: a share is never more than all.
                Math.min(100, percent(key.perSecond(), usesOfAll)));
    }

    private static Peer peer(JsonNode peer, long usesOfAll) {
        long used = peer.path("usedBytes").asLong();
        long capacity = peer.path("capacityBytes").asLong();
        long uses = peer.path("usesPerSecond").asLong();
        return new Peer(
                peer.path("nid").asText(),
                peer.path("name").asText(),
                peer.path("state").asText(),
                peer.path("drain").asText("none"),
                peer.path("chunks").asLong(),
                used,
                capacity,
                percent(used, capacity),
                uses,
                percent(uses, usesOfAll),
                peer.path("zones").asLong(),
                peer.path("copies").asLong(),
                peer.path("logBytes").asLong());
    }

    /** How full the live storage peers would be if the largest of them died and the others took its chunks. */
    public static double headroom(JsonNode status) {
        long used = 0;
        long capacity = 0;
        long largest = 0;
        for (JsonNode peer : status.path("storagePeers")) {
            if (peer.path("state").asText().equals("live")) {
                long its = peer.path("capacityBytes").asLong();
                used += peer.path("usedBytes").asLong();
                capacity += its;
                largest = Math.max(largest, its);
            }
        }
        return capacity == largest ? -1 : percent(used, capacity - largest);
    }

    private static double percent(long part, long whole) {
        return whole == 0 ? 0 : Math.round(1000.0 * part / whole) / 10.0;
    }

    private static List<JsonNode> all(List<JsonNode> texts, String field) {
        List<JsonNode> found = new ArrayList<>();
        texts.forEach(text -> text.path(field).forEach(found::add));
        return found;
    }

    private static List<JsonNode> list(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }
}
