package dev.granary.cli;

import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.cli.cluster.TemporaryCluster;
import dev.granary.cli.kubectl.KubectlGranaryCommand;
import dev.granary.net.netty.FirstConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs short commands against a small cluster of its own, so that the JVM records which classes they need:
 * {@code bin/cli-cache} makes an AOT cache of them. Fails when the cluster does not start, and when it makes no chunk.
 */
public final class Rehearsal {

    private static final LocalCluster.Plan CLUSTER = LocalCluster.Plan.of(1, 1, "64Mi", 0);

    /** CID stands for that of a chunk. The name and the plans are not there: refusals are rehearsed, too. */
    private static final List<String> COMMANDS = List.of(
            "get CID",
            "get CID --json",
            "put CID value",
            "set key value",
            "get key",
            "name get name",
            "status",
            "status -o json",
            "top --once",
            "doctor",
            "ring show",
            "plan show",
            "delete CID",
            "get CID");

    private Rehearsal() {}

    public static void main(String[] args) throws IOException {
        PrintStream told = System.err;
        // Answers and refusals are not for anybody.
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        System.setOut(nowhere);
        System.setErr(nowhere);
        CommandLogging.configure();
        FirstConnection.ready();
        try (TemporaryCluster cluster = new TemporaryCluster("rehearsal", told::println, told::println, false)) {
            cluster.start(CLUSTER, (_, _) -> List.of("-XX:TieredStopAtLevel=1"));
            rehearse(cluster.directory().toString());
        }
        GranaryCommand.execute("status", "--deadline", "1", "--seeds", "127.0.0.1:" + unusedPort());
        System.exit(0);
    }

    private static void rehearse(String directory) {
        GranaryCommand.execute("get", "--help");
        GranaryCommand.execute("get");
        KubectlGranaryCommand.execute("status", "--help");
        ByteArrayOutputStream created = new ByteArrayOutputStream();
        PrintStream nowhere = System.out;
        System.setOut(new PrintStream(created, true, StandardCharsets.UTF_8));
        int code = GranaryCommand.execute("create", "value", "--dir", directory);
        System.setOut(nowhere);
        if (code != 0) {
            throw new IllegalStateException("no chunk was made: exit code " + code);
        }
        String cid = created.toString(StandardCharsets.UTF_8).strip();
        for (String command : COMMANDS) {
            List<String> words =
                    new ArrayList<>(List.of(command.replace("CID", cid).split(" ")));
            words.addAll(List.of("--dir", directory));
            GranaryCommand.execute(words.toArray(String[]::new));
        }
    }

    /** A port on which nobody listens: connections are refused at once. */
    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
