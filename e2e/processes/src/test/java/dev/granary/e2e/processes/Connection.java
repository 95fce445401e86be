package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A TCP connection that a process of this machine has opened to a node. {@code ss} lists and resets connections. This
 * needs root, iproute2, and a kernel with CONFIG_INET_DIAG_DESTROY.
 *
 * @param pid the process that opened it
 * @param from the port at that process
 * @param to the port at the node
 * @param inode the socket's inode; the ports of a reset connection are free at once, so the next one may have the same
 */
record Connection(long pid, int from, int to, long inode) {

    /**
     * Such as {@code 0 0 127.0.0.1:37150 127.0.0.1:42343 users:(("java",pid=13268,fd=7)) ino:81472 sk:1a cgroup:/ <->}.
     */
    private static final Pattern LINE = Pattern.compile(
            "\\d+\\s+\\d+\\s+\\S+:(\\d+)\\s+\\S+:(\\d+)\\s+users:\\(\\(.*?pid=(\\d+),.*?\\)\\).*\\bino:(\\d+)\\b.*");

    /** How many connections go into one filter of {@code ss}; a filter for all would be too long for the kernel. */
    private static final int OF_ONE_FILTER = 16;

    /** Returns the connections that these processes have opened to these ports. */
    static List<Connection> opened(Set<Long> pids, Set<Integer> ports) throws IOException, InterruptedException {
        return ss("--processes", "--extended")
                .lines()
                .map(String::strip)
                .map(LINE::matcher)
                .filter(Matcher::matches)
                .map(line -> new Connection(
                        Long.parseLong(line.group(3)),
                        Integer.parseInt(line.group(1)),
                        Integer.parseInt(line.group(2)),
                        Long.parseLong(line.group(4))))
                .filter(each -> pids.contains(each.pid) && ports.contains(each.to))
                .toList();
    }

    /** Resets connections; both ends see an error. Fails if this machine's kernel cannot do it. */
    static void reset(List<Connection> connections) throws IOException, InterruptedException {
        for (int i = 0; i < connections.size(); i += OF_ONE_FILTER) {
            ss(
                    "--kill",
                    connections.subList(i, Math.min(connections.size(), i + OF_ONE_FILTER)).stream()
                            .map(each -> "( sport = :" + each.from + " and dport = :" + each.to + " )")
                            .collect(Collectors.joining(" or ", "( ", " )")));
        }
        Set<Long> pids = connections.stream().map(Connection::pid).collect(Collectors.toSet());
        Set<Integer> ports = connections.stream().map(Connection::to).collect(Collectors.toSet());
        assertThat(opened(pids, ports))
                .as("connections that ss --kill has left; it needs root and a kernel with CONFIG_INET_DIAG_DESTROY")
                .doesNotContainAnyElementsOf(connections);
    }

    private static String ss(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ss", "--tcp", "--numeric", "--no-header", "--oneline"));
        command.addAll(List.of("state", "established"));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, out).isZero();
        return out;
    }
}
