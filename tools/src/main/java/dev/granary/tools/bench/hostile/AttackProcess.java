package dev.granary.tools.bench.hostile;

import dev.granary.tools.bench.process.ProcessEnd;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A hostile client in a process of its own, which gets processor time only where nobody else wants it. On machines of
 * their own such clients would take none from the cluster and from well-behaved clients; what they make the cluster do
 * counts all the same.
 */
final class AttackProcess implements AutoCloseable {

    /**
     * Linux runs a process of this class only while no other wants the processor, and takes it away at once. That of
     * the lowest priority keeps it for milliseconds.
     */
    private static final List<String> WHILE_IDLE = List.of("/usr/bin/chrt", "--idle", "0");

    private static final List<String> LOWEST_PRIORITY = List.of("/usr/bin/nice", "-n", "19");
    private static final String HEAP = "-Xmx512m";
    private static final long END_SECONDS = 30;

    private final Process process;

    private AttackProcess(Process process) {
        this.process = process;
    }

    /** Starts it, and returns when it has begun. */
    static AttackProcess begin(String name, Target target) throws IOException {
        List<String> command = new ArrayList<>();
        for (List<String> prefix : List.of(WHILE_IDLE, LOWEST_PRIORITY)) {
            if (command.isEmpty() && Files.isExecutable(Path.of(prefix.getFirst()))) {
                command.addAll(prefix);
            }
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                HEAP,
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path", ""),
                AttackMain.class.getName(),
                name,
                text(target.storagePeer()),
                text(target.superPeer()),
                text(target.door())));
        AttackProcess begun = new AttackProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        BufferedReader lines = begun.process.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        if (!AttackMain.BEGUN.equals(line)) {
            begun.close();
            throw new IOException("the hostile client " + name + " does not begin: " + line);
        }
        return begun;
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** Ends it, and returns when it has ended. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
        }
        ProcessEnd.await(process, END_SECONDS);
    }
}
