package dev.granary.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.Sizes;
import dev.granary.client.admin.ClusterAdmin;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the status of a cluster. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Show the ring, the storage peers and what they hold.")
public final class StatusCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOption output = new OutputOption();

    @Option(names = "--json", description = "Print the status as one JSON object on one line.")
    private boolean json;

    @Override
    public Integer call() {
        String text;
        try (ClusterAdmin admin = connect.administer()) {
            text = admin.statusJson();
        }
        JsonNode status = Json.parse("the cluster's status", text);
        if (json) {
            System.out.println(Json.compact(status));
        } else if (!output.isText()) {
            output.print(status, System.out);
        } else {
            print(status, System.out);
        }
        return 0;
    }

    private static void print(JsonNode status, PrintStream out) {
        JsonNode ring = status.path("ring");
        out.printf(
                Locale.ROOT,
                "Cluster %s, version %s%n",
                status.path("clusterId").asText(),
                status.path("version").asText());
        out.printf(
                Locale.ROOT,
                "Ring: %d of %d super-peers%s, epoch %d%n",
                ring.path("size").asInt(),
                ring.path("expectedSize").asInt(),
                ring.path("complete").asBoolean() ? "" : " (not all are there)",
                ring.path("epoch").asLong());
        out.printf(Locale.ROOT, "%n  %-8s %-22s %-22s %s%n", "NID", "SUPER-PEER", "ADDRESS", "STATE");
        for (JsonNode peer : ring.path("superPeers")) {
            String state = peer.path("reachable").asBoolean() ? "reachable" : "UNREACHABLE";
            out.printf(
                    Locale.ROOT,
                    "  %-8s %-22s %-22s %s%n",
                    peer.path("nid").asText(),
                    peer.path("name").asText(),
                    peer.path("address").asText(),
                    peer.path("leader").asBoolean() ? state + ", leader" : state);
        }
        String underWay = ring.path("operation").path("kind").asText();
        if (!underWay.isEmpty()) {
            out.println("  under way: " + underWay + " "
                    + ring.path("operation").path("nid").asText());
        }
        for (JsonNode candidate : ring.path("candidates")) {
            out.printf(
                    Locale.ROOT,
                    "  %-8s %-22s %-22s %s%n",
                    candidate.path("nid").asText(),
                    candidate.path("name").asText(),
                    candidate.path("address").asText(),
                    "candidate");
        }
        out.printf(
                Locale.ROOT,
                "%n  %-8s %-22s %-22s %-8s %14s %11s %11s %6s %9s%n",
                "NID",
                "STORAGE PEER",
                "ADDRESS",
                "STATE",
                "CHUNKS",
                "PAYLOAD",
                "USED",
                "FILL",
                "B/CHUNK");
        for (JsonNode peer : status.path("storagePeers")) {
            printPeer(peer, out);
        }
        printZones(status.path("zones"), out);
        JsonNode totals = status.path("totals");
        out.printf(
                Locale.ROOT,
                "%nTotal: %s chunks, %s of payload, %s of %s used, %d of %d storage peers live%n",
                Sizes.count(totals.path("chunks").asLong()),
                Sizes.bytes(totals.path("payloadBytes").asLong()),
                Sizes.bytes(totals.path("usedBytes").asLong()),
                Sizes.bytes(totals.path("capacityBytes").asLong()),
                totals.path("livePeers").asInt(),
                totals.path("storagePeers").asInt());
    }

    private static void printZones(JsonNode zones, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%nZones: %s with all copies, %s with fewer, %s being recovered, %s lost%n",
                Sizes.count(zones.path("inSync").asLong()),
                Sizes.count(zones.path("degraded").asLong()),
                Sizes.count(zones.path("recovering").asLong()),
                Sizes.count(zones.path("lost").asLong()));
        for (JsonNode recovery : zones.path("recoveries")) {
            String candidate = recovery.path("candidate").asText();
            String waitingFor = recovery.path("waitingFor").asText();
            String note = recovery.path("note").asText();
            out.printf(
                    Locale.ROOT,
                    "  %-12s %s%s, for %.1f s%s%n",
                    recovery.path("zone").asText(),
                    candidate.isEmpty()
                            ? "nobody recovers it yet"
                            : candidate + " recovers it, "
                                    + Sizes.count(recovery.path("chunks").asLong()) + " chunks so far",
                    waitingFor.isEmpty() ? "" : ", waits for " + waitingFor,
                    recovery.path("ageMillis").asLong() / 1e3,
                    note.isEmpty() ? "" : ": " + note);
        }
    }

    private static void printPeer(JsonNode peer, PrintStream out) {
        long chunks = peer.path("chunks").asLong();
        long used = peer.path("usedBytes").asLong();
        long capacity = peer.path("capacityBytes").asLong();
        out.printf(
                Locale.ROOT,
                "  %-8s %-22s %-22s %-8s %14s %11s %11s %5.1f%% %9s%n",
                peer.path("nid").asText(),
                peer.path("name").asText(),
                peer.path("address").asText(),
                peer.path("state").asText(),
                Sizes.count(chunks),
                Sizes.bytes(peer.path("payloadBytes").asLong()),
                Sizes.bytes(used),
                capacity == 0 ? 0.0 : 100.0 * used / capacity,
                chunks == 0
                        ? "-"
                        : String.format(
                                Locale.ROOT,
                                "%.1f",
                                (double) peer.path("bookkeepingBytes").asLong() / chunks));
        long copies = peer.path("copies").asLong();
        if (copies > 0) {
            out.printf(
                    Locale.ROOT,
                    "           copies of %s zones of others, %s of logs%n",
                    Sizes.count(copies),
                    Sizes.bytes(peer.path("logBytes").asLong()));
        }
        long lost = peer.path("lostLidsBelow").asLong();
        if (lost > 1) {
            out.printf(
                    Locale.ROOT,
                    "           restarted: those of its chunks with a LID below %s that had no copy are lost%n",
                    Sizes.count(lost));
        }
    }
}
