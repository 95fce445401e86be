package dev.granary.cli.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command lines of the processes of a local cluster.
 *
 * @param java the path of the program {@code java}
 * @param classPath the class path of this program; in a distribution the processes have other jars beside it
 * @param wanted JVM options that the user wants, behind all others, so that they win
 */
record NodeCommand(Path java, String classPath, List<String> wanted) {

    /** JVM options for the processes of local clusters, with spaces between them. */
    static final String JVM_OPTIONS = "GRANARY_NODE_JVM_OPTIONS";

    private static final Path SETSID = Path.of("/usr/bin/setsid");

    static NodeCommand ofThisProgram() {
        return new NodeCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                words(System.getenv().getOrDefault(JVM_OPTIONS, "")));
    }

    static List<String> words(String options) {
        return options.isBlank() ? List.of() : List.of(options.strip().split("\\s+"));
    }

    /** The class path of the processes of a role. */
    String classPathOf(String role) {
        return Distribution.of(classPath)
                .map(distribution -> distribution.classPath(role).toString())
                .orElse(classPath);
    }

    /**
     * The command line of one process. The process gets its own session where that is possible.
     *
     * @param options additional JVM options
     */
    List<String> line(String role, String mainClass, List<String> options, Path configuration) {
        List<String> line = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            line.add(SETSID.toString());
        }
        line.add(java.toString());
        if (role.equals(LocalCluster.SUPER_PEER)) {
            // Little of its code is hot, and after a peer's death the C2 compiler would take cores from all processes.
            line.add("-XX:TieredStopAtLevel=1");
        }
        line.addAll(List.of("-XX:+UseSerialGC", "-Xmx192m", "--enable-native-access=ALL-UNNAMED"));
        line.addAll(options);
        line.addAll(wanted);
        line.addAll(List.of("-cp", classPathOf(role), mainClass, "--config", configuration.toString()));
        return line;
    }
}
