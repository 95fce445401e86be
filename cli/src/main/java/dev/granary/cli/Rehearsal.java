package dev.granary.cli;

import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.Json;
import dev.granary.cli.kubectl.KubectlGranaryCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;

/**
 * Runs what short commands do, so that the JVM records which classes they need: {@code bin/cli-cache} makes an AOT
 * cache of them. The commands find no cluster. What only an answer would need is loaded by name.
 */
public final class Rehearsal {

    private static final String CID = "0x8000000000000001";

    private static final List<String> COMMANDS = List.of(
            "get " + CID,
            "put " + CID + " value",
            "set key value",
            "get key",
            "create value",
            "delete " + CID,
            "name get name",
            "status",
            "top --once",
            "doctor",
            "plan show");

    /** Classes for answers of a cluster. */
    private static final List<String> OF_ANSWERS = List.of(
            "dev.granary.cli.top.TopLook",
            "dev.granary.cli.top.TopText",
            "dev.granary.cli.doctor.ClusterChecks",
            "dev.granary.cli.doctor.Diagnosis",
            "dev.granary.client.GranaryException");

    private Rehearsal() {}

    public static void main(String[] args) throws IOException, ClassNotFoundException {
        // Refusals and help are not for anybody.
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        System.setOut(nowhere);
        System.setErr(nowhere);
        CommandLogging.configure();
        String address = "127.0.0.1:" + unusedPort();
        for (String command : COMMANDS) {
            GranaryCommand.execute((command + " --deadline 1 --seeds " + address).split(" "));
        }
        GranaryCommand.execute("get", "--help");
        KubectlGranaryCommand.execute("status", "--help");
        for (String name : OF_ANSWERS) {
            Class.forName(name);
        }
        Json.pretty(Json.parse("an answer", "{\"chunks\": [1, 0.5, true, null, \"text\"]}"));
        System.exit(0);
    }

    /** A port on which nobody listens: connections are refused at once. */
    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
