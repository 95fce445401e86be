package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The class path of each program of the distribution (ADR 0222). */
class ClassPathsTest {

    /** Jars whose classes no other jar names, each with the reason why the program still needs it. */
    private static final Map<String, String> NOT_NAMED = Map.of(
            "netty-transport-native-epoll", "native code alone, one jar for each architecture",
            "netty-tcnative-boringssl-static", "native code alone, too, which netty-tcnative-classes loads",
            "granary-storage-node", "begins",
            "granary-super-peer", "begins",
            "granary-cli", "begins");

    private static final List<String> NEVER_IN_SERVERS = List.of(
            "picocli",
            "s3-",
            "aws",
            "sdk",
            "http-auth",
            "http-client",
            "jline",
            "progressbar",
            "jackson",
            "hppc",
            "HdrHistogram",
            "testkit",
            "simulation",
            "bench",
            "granary-cli-",
            "granary-tools");

    private static Path lib() {
        return Commands.program("granary").resolveSibling("../lib").normalize();
    }

    @ParameterizedTest
    @CsvSource({
        "storage-node, dev.granary.storage.StorageNodeMain",
        "super-peer, dev.granary.superpeer.SuperPeerMain",
        "cli, dev.granary.cli.GranaryCommand",
        "cli, dev.granary.cli.kubectl.KubectlGranaryCommand"
    })
    void program_jarsAndClassesThatItNames_areThere(String program, String mainClass) throws Exception {
        ClassPath path = ClassPath.of(lib(), program);
        assertThat(path.missing()).isEmpty();
        ClassPath.Reached reached = path.reachableFrom(mainClass);
        assertThat(reached.classesByJar()).isNotEmpty();
        assertThat(reached.absent())
                .as("classes of ours that %s names and does not have", program)
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "storage-node, dev.granary.storage.StorageNodeMain, granary-super-peer, granary-microraft",
        // The client is in storage peers, whose doors answer for chunks of others (ADR 0314), and there alone.
        "super-peer, dev.granary.superpeer.SuperPeerMain, granary-storage-node, granary-client",
        "super-peer, dev.granary.superpeer.SuperPeerMain, granary-storage-node, granary-memory"
    })
    void server_itsClassPath_hasOnlyWhatItNeeds(String server, String mainClass, String other, String ofTheOther)
            throws Exception {
        ClassPath path = ClassPath.of(lib(), server);
        List<String> names =
                path.jars().stream().map(jar -> jar.getFileName().toString()).toList();
        assertThat(names).noneMatch(name -> NEVER_IN_SERVERS.stream().anyMatch(name::contains));
        assertThat(names).noneMatch(name -> name.startsWith(other) || name.startsWith(ofTheOther));
        Set<String> reached = path.reachableFrom(mainClass).classesByJar().keySet();
        assertThat(names.stream().filter(name -> !reached.contains(name)).filter(name -> NOT_NAMED.keySet().stream()
                        .noneMatch(name::startsWith)))
                .as("jars of %s in which no class is reached from %s", server, mainClass)
                .isEmpty();
    }

    @Test
    void commandLine_itsClassPath_hasNoToolsAndNoServer() throws Exception {
        assertThat(ClassPath.of(lib(), "cli").jars().stream()
                        .map(jar -> jar.getFileName().toString()))
                .anyMatch(name -> name.startsWith("picocli"))
                .noneMatch(name -> Stream.of(
                                "granary-storage-node", "granary-super-peer", "granary-raft", "granary-microraft")
                        .anyMatch(name::startsWith))
                .noneMatch(name -> Stream.of("tools", "testkit", "simulation", "bench", "hppc", "HdrHistogram")
                        .anyMatch(name::contains));
    }

    @Test
    void distribution_itsJars_areThoseOfItsPrograms() throws Exception {
        Set<String> used = new TreeSet<>();
        for (String program : List.of("storage-node", "super-peer", "cli")) {
            ClassPath path = ClassPath.of(lib(), program);
            path.jars().forEach(jar -> used.add(jar.getFileName().toString()));
            used.add(path.begin().getFileName().toString());
        }
        try (Stream<Path> files = Files.list(lib())) {
            assertThat(files.map(file -> file.getFileName().toString()).collect(Collectors.toSet()))
                    .containsExactlyInAnyOrderElementsOf(used);
        }
    }

    @Test
    void tools_whatTheirJarNames_isInOneOfTheTwoFolders() throws Exception {
        Path tools = Path.of(System.getProperty("granary.tools"));
        ClassPath path = ClassPath.of(tools, "tools");
        assertThat(path.missing().stream()
                        .map(Path::getFileName)
                        // Its classes are in granary-cli-...-dist.jar, which the program starts with.
                        .filter(name -> !name.toString().startsWith("granary-cli-"))
                        .filter(name -> !Files.exists(lib().resolve(name))))
                .isEmpty();
        assertThat(path.jars().stream().map(Path::getFileName).filter(name -> Files.exists(lib().resolve(name))))
                .as("jars that are in both")
                .isEmpty();
    }

    @Test
    void granary_withoutTools_hasNoneOfTheirCommandsAndWithThemAll() {
        List<String> all = List.of("demo", "bench", "simulate");
        String product = Commands.run("granary", Map.of("GRANARY_TOOLS", ""), List.of("--help"))
                .ok();
        assertThat(product).contains("  backup ", "  up ");
        all.forEach(command -> assertThat(product).doesNotContain("  " + command + " "));
        assertThat(product).doesNotContain("granary demo");
        String checkout = Commands.granary("--help").ok();
        all.forEach(command -> assertThat(checkout).contains("  " + command + " "));
        assertThat(checkout).contains("granary demo");
        assertThat(Commands.granary("train", "--help").ok()).contains("AOT caches");
    }
}
