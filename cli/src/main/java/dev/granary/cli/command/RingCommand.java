package dev.granary.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.net.message.RingMessages.RebuildRing;
import dev.granary.overlay.HostAddress;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows, resizes and rebuilds the ring of super-peers. */
@Command(
        name = "ring",
        mixinStandardHelpOptions = true,
        description = {
            "Show the ring of super-peers and change its size.",
            "Super-peers beyond the ring's size wait as candidates.",
        })
public final class RingCommand implements Runnable {

    private static final int MAX_SIZE = 32_767;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(spec), "Say what to do: show, resize or rebuild.");
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Show who is on the ring, who waits, what is under way, and what happened last.")
    int show(
            @Mixin ConnectOptions connect,
            @Mixin OutputOption output,
            @Option(names = "--json", description = "Print one JSON object on one line.") boolean json) {
        JsonNode ring;
        try (ClusterAdmin admin = connect.administer()) {
            ring = Json.parse("the cluster's status", admin.statusJson()).path("ring");
        }
        if (json) {
            System.out.println(Json.compact(ring));
        } else if (!output.isText()) {
            output.print(ring, System.out);
        } else {
            print(ring, System.out);
        }
        return 0;
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Let the ring have another size: candidates are promoted, the members that came last are demoted.",
                "Returns at once; 'granary ring show' tells how far it is.",
            })
    int resize(
            @Mixin ConnectOptions connect,
            @Parameters(paramLabel = "SIZE", description = "Number of super-peers on the ring.") int size) {
        if (size < 1 || size > MAX_SIZE) {
            throw new UserException("a ring has 1 to " + MAX_SIZE + " super-peers, not " + size);
        }
        try (ClusterAdmin admin = connect.administer()) {
            admin.resizeRing(size);
        }
        System.out.println("The ring is to have " + size + (size == 1 ? " super-peer." : " super-peers."));
        return 0;
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Put together from the storage peers what super-peers knew, after all copies of it were lost.",
                "When all super-peers have lost their disks: start new ones with empty directories, without",
                "ring.bootstrap, and name one of them. When single arcs are served by nobody any more: name any",
                "super-peer. Names, locks and plans are lost; chunks of storage peers that report are not.",
                "Never do this while a super-peer that is away may come back with its disk.",
            },
            footer = {
                "",
                "  granary ring rebuild --seeds HOST:7400 --storage-peers HOST:7500,HOST:7500",
                "",
                "On a local cluster, without --seeds, super-peers that do not run are started first."
            })
    int rebuild(
            @Mixin ConnectOptions connect,
            @Option(
                            names = "--storage-peers",
                            paramLabel = "HOST:PORT",
                            split = ",",
                            description = "Where all storage peers are.")
                    @Nullable
                    List<String> storagePeers,
            @Option(
                            names = "--accept-loss",
                            description =
                                    "Go on without storage peers that do not answer; what only they have is lost.")
                    boolean acceptLoss,
            @Option(
                            names = "--timeout",
                            paramLabel = "SECONDS",
                            defaultValue = "120",
                            description = "How long to try (default: ${DEFAULT-VALUE}).")
                    int timeoutSeconds) {
        Path local = connect.localDirectory();
        List<HostAddress> superPeers;
        List<HostAddress> peers = storagePeers == null
                ? List.of()
                : storagePeers.stream().map(RingCommand::parse).toList();
        if (local != null) {
            LocalCluster cluster = LocalCluster.startSuperPeers(local, System.err::println);
            superPeers = cluster.seeds();
            peers = peers.isEmpty() ? cluster.storagePeers() : peers;
        } else {
            superPeers = connect.addresses();
        }
        if (peers.isEmpty()) {
            throw new UserException("say where the storage peers are: --storage-peers HOST:PORT,...");
        }
        RingRebuild rebuild = new RingRebuild(
                superPeers,
                connect.tlsSettings(),
                new RebuildRing(peers, acceptLoss),
                connect.secretFile(),
                connect.login(),
                connect.adminPort(),
                System.err::println);
        rebuild.run(Duration.ofSeconds(timeoutSeconds));
        System.out.println("The ring and its arcs are rebuilt; 'granary status' shows what is lost or recovering.");
        return 0;
    }

    private static HostAddress parse(String text) {
        try {
            return HostAddress.parse(text.strip());
        } catch (IllegalArgumentException e) {
            throw new UserException(e.getMessage() + " (of a storage peer, usually port 7500)", e);
        }
    }

    private static void print(JsonNode ring, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "Ring: %d of %d super-peers, epoch %d%n",
                ring.path("size").asInt(),
                ring.path("expectedSize").asInt(),
                ring.path("epoch").asLong());
        String underWay = ring.path("operation").path("kind").asText();
        if (!underWay.isEmpty()) {
            out.println("Under way: " + underWay + " "
                    + ring.path("operation").path("nid").asText());
        }
        out.printf(
                Locale.ROOT,
                "%n  %-8s %-22s %-22s %-12s %s%n",
                "NID",
                "SUPER-PEER",
                "ADDRESS",
                "STATE",
                "ARC SERVED BY");
        ring.path("superPeers")
                .forEach(member ->
                        printSuperPeer(member, member.path("arcServedBy").asText(), out));
        ring.path("candidates").forEach(candidate -> printSuperPeer(candidate, "candidate", out));
        out.println();
        for (JsonNode event : ring.path("events")) {
            out.printf(
                    Locale.ROOT,
                    "  %s  %-16s %s%n",
                    event.path("time").asText(),
                    event.path("kind").asText(),
                    event.path("nid").asText());
        }
    }

    private static void printSuperPeer(JsonNode superPeer, String arc, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "  %-8s %-22s %-22s %-12s %s%n",
                superPeer.path("nid").asText(),
                superPeer.path("name").asText(),
                superPeer.path("address").asText(),
                superPeer.path("reachable").asBoolean() ? "reachable" : "UNREACHABLE",
                arc.isEmpty() ? "NOBODY" : arc);
    }
}
