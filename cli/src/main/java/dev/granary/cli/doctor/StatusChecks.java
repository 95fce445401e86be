package dev.granary.cli.doctor;

import static dev.granary.cli.doctor.Evidence.stream;
import static dev.granary.cli.doctor.Finding.Level.CRITICAL;
import static dev.granary.cli.doctor.Finding.Level.WARNING;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.doctor.Check.Needs;
import dev.granary.cli.top.TopLook;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Checks of what the status of the cluster says: ring, storage peers, zones, memory. */
final class StatusChecks {

    /** A recovery takes seconds. The alert waits as long. */
    private static final Duration LONG_RECOVERY = Duration.ofMinutes(2);

    private static final double NEARLY_FULL = 85;
    private static final double FULL = 97;
    private static final double NO_HEADROOM = 95;
    private static final int SUPER_PEERS_THAT_SURVIVE_ONE = 3;
    private static final int FEW_STORAGE_PEERS = 2;

    static final List<Check> ALL = List.of(
            new Check(
                    "GranaryRingIncomplete",
                    WARNING,
                    "GranaryRingIncomplete",
                    Needs.STATUS,
                    "the ring is complete, and every arc is served",
                    StatusChecks::ring),
            new Check(
                    "GranaryStoragePeerGone",
                    WARNING,
                    "GranaryStoragePeerGone",
                    Needs.STATUS,
                    "no storage peer is missed",
                    StatusChecks::storagePeersGone),
            new Check(
                    "GranaryZonesLost",
                    CRITICAL,
                    "GranaryZonesLost",
                    Needs.STATUS,
                    "no zone is lost",
                    StatusChecks::lost),
            new Check(
                    "GranaryZonesRecovering",
                    CRITICAL,
                    "GranaryZonesRecovering",
                    Needs.STATUS,
                    "no zone waits long for an owner",
                    StatusChecks::recovering),
            new Check(
                    "GranaryCopiesMissing",
                    WARNING,
                    "GranaryCopiesMissing",
                    Needs.STATUS,
                    "every zone has all its copies",
                    StatusChecks::copiesMissing),
            new Check(
                    "GranaryNoHeadroom",
                    WARNING,
                    "GranaryNoHeadroom",
                    Needs.STATUS,
                    "the others have room for the chunks of any storage peer",
                    StatusChecks::headroom),
            new Check(
                    "GranaryMemoryFull",
                    CRITICAL,
                    "GranaryMemoryFull",
                    Needs.STATUS,
                    "no storage peer is full",
                    evidence -> fuller(evidence, FULL, Double.MAX_VALUE)),
            new Check(
                    "GranaryMemoryNearlyFull",
                    WARNING,
                    "GranaryMemoryNearlyFull",
                    Needs.STATUS,
                    "no storage peer is nearly full",
                    evidence -> fuller(evidence, NEARLY_FULL, FULL)),
            new Check(
                    "GranarySuperPeersBelowThree",
                    WARNING,
                    "GranarySuperPeersBelowThree",
                    Needs.STATUS,
                    "the ring survives the loss of a super-peer",
                    StatusChecks::smallRing));

    private StatusChecks() {}

    private static List<Trouble> ring(Evidence evidence) {
        JsonNode ring = evidence.status().path("ring");
        List<Trouble> found = new ArrayList<>();
        String advice = "bring the missing super-peer back with its disk; 'granary ring show' names it";
        if (!ring.path("complete").asBoolean()) {
            found.add(Trouble.of(
                    "",
                    "the ring has " + ring.path("size").asInt() + " of "
                            + ring.path("expectedSize").asInt() + " super-peers",
                    advice));
        }
        stream(ring.path("superPeers")).forEach(superPeer -> {
            String nid = superPeer.path("nid").asText();
            if (!superPeer.path("reachable").asBoolean()) {
                found.add(Trouble.of(nid, "super-peer " + Evidence.text(superPeer) + " does not answer", advice));
            }
            if (superPeer.path("arcServedBy").asText().isEmpty()) {
                found.add(Trouble.of(
                        nid,
                        "nobody serves the arc of super-peer " + Evidence.text(superPeer),
                        "its storage peers cannot renew their leases: start a majority of the super-peers that vote in"
                                + " this arc; if their disks are lost, 'granary ring rebuild'"));
            }
        });
        return found;
    }

    private static List<Trouble> storagePeersGone(Evidence evidence) {
        return evidence.storagePeers()
                .filter(peer -> peer.path("state").asText().equals("expired"))
                .filter(peer ->
                        peer.path("zones").asLong() + peer.path("copies").asLong() > 0)
                .map(peer -> Trouble.of(
                        peer.path("nid").asText(),
                        "storage peer " + Evidence.text(peer) + " holds no lease, and "
                                + peer.path("zones").asLong() + " zones and "
                                + peer.path("copies").asLong() + " copies are its",
                        "start it again with its disk; without it the others take over what has copies"))
                .toList();
    }

    private static List<Trouble> lost(Evidence evidence) {
        long lost = evidence.status().at("/zones/lost").asLong();
        return lost == 0
                ? List.of()
                : List.of(Trouble.of(
                        "",
                        Sizes.count(lost) + " zones are lost: no copy of them was left",
                        "load their chunks again from where they came, or restore a cluster backup"));
    }

    private static List<Trouble> recovering(Evidence evidence) {
        List<Trouble> found = new ArrayList<>();
        stream(evidence.status().at("/zones/recoveries")).forEach(recovery -> {
            Duration age = Duration.ofMillis(recovery.path("ageMillis").asLong());
            String waitingFor = recovery.path("waitingFor").asText();
            String note = recovery.path("note").asText();
            String zone = recovery.path("zone").asText();
            String what = "zone " + zone + " has no owner for " + age.toSeconds() + " s"
                    + (waitingFor.isEmpty() ? "" : ", its recovery waits for " + waitingFor)
                    + (note.isEmpty() ? "" : ": " + note);
            String since = evidence.at().minus(age).toString();
            if (age.compareTo(LONG_RECOVERY) < 0) {
                found.add(Trouble.note(zone, what, "wait: a recovery takes seconds")
                        .since(since));
            } else {
                found.add(Trouble.of(
                                zone,
                                what,
                                waitingFor.isEmpty()
                                        ? "see what the recovery lacks: room in memory, a disk, or only time"
                                        : "start " + waitingFor + " with its disk; if that is lost, 'granary recover "
                                                + zone + " --accept-loss'")
                        .since(since));
            }
        });
        long untold = evidence.status().at("/zones/recovering").asLong() - found.size();
        if (untold > 0) {
            found.add(Trouble.of(
                    "",
                    Sizes.count(untold) + " more zones have no owner",
                    "look again in a minute; 'granary status' lists their recoveries"));
        }
        return found;
    }

    private static List<Trouble> copiesMissing(Evidence evidence) {
        long degraded = evidence.status().at("/zones/degraded").asLong();
        return degraded == 0
                ? List.of()
                : List.of(Trouble.of(
                        "",
                        Sizes.count(degraded) + " zones have fewer copies than they should",
                        "bring missing storage peers back, or add one; new copies are filled by themselves within"
                                + " minutes"));
    }

    private static List<Trouble> headroom(Evidence evidence) {
        double percent = TopLook.headroom(evidence.status());
        boolean copies =
                evidence.storagePeers().anyMatch(peer -> peer.path("copies").asLong() > 0);
        return !copies || percent <= NO_HEADROOM
                ? List.of()
                : List.of(Trouble.of(
                        "",
                        String.format(
                                Locale.ROOT,
                                "without the largest storage peer the others would be %.0f%% full",
                                percent),
                        "add a storage peer, give each more memory, or delete what is not needed"));
    }

    /** Storage peers whose fill in percent is above one bound and not above the other. */
    private static List<Trouble> fuller(Evidence evidence, double above, double atMost) {
        List<Trouble> found = new ArrayList<>();
        evidence.storagePeers()
                .filter(peer -> peer.path("state").asText().equals("live"))
                .forEach(peer -> {
                    double capacity = peer.path("capacityBytes").asDouble();
                    double percent =
                            capacity == 0 ? 0 : 100 * peer.path("usedBytes").asDouble() / capacity;
                    if (percent > above && percent <= atMost) {
                        found.add(Trouble.of(
                                peer.path("nid").asText(),
                                String.format(
                                        Locale.ROOT, "storage peer %s is %.1f%% full", Evidence.text(peer), percent),
                                "creates on a full peer are refused: add a storage peer, give each more memory, or"
                                        + " move chunks away with 'granary migrate'"));
                    }
                });
        return found;
    }

    /** A small ring is a note where few storage peers hang on it: it works as asked. */
    private static List<Trouble> smallRing(Evidence evidence) {
        int size = evidence.status().at("/ring/size").asInt();
        if (size >= SUPER_PEERS_THAT_SURVIVE_ONE) {
            return List.of();
        }
        String what = "the ring has " + size + (size == 1 ? " super-peer" : " super-peers");
        String advice = "leases of an arc end when its super-peer is away for long; with three any of them may die";
        long live = evidence.storagePeers()
                .filter(peer -> peer.path("state").asText().equals("live"))
                .count();
        return List.of(live > FEW_STORAGE_PEERS ? Trouble.of("", what, advice) : Trouble.note("", what, advice));
    }
}
