package dev.granary.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code bin/cli-cache} and those that take its cache, with a small program in place of the real one. */
class CliCacheTest {

    private static final Path SCRIPTS = Path.of("src/main/dist/bin");
    private static final long PATIENCE_SECONDS = 120;

    /** Prints whether the script has asked the JVM for a cache. */
    private static final String PROGRAM = """
            package dev.granary.cli;
            class PROGRAM {
                public static void main(String[] words) {
                    var options = java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments();
                    System.out.println(options.stream().anyMatch(each -> each.startsWith("-XX:AOTCache="))
                            ? "a cache is asked for" : "no cache");
                }
            }
            """;

    @TempDir
    private Path dist = Path.of("");

    private record Ended(int code, String output) {}

    @BeforeEach
    void makeDistribution() throws IOException {
        Path bin = Files.createDirectory(dist.resolve("bin"));
        for (String script : List.of("cli-cache", "aot.sh", "granary")) {
            Files.copy(SCRIPTS.resolve(script), bin.resolve(script), StandardCopyOption.COPY_ATTRIBUTES);
        }
        Path classes = Files.createDirectory(dist.resolve("classes"));
        Path source = Files.writeString(
                dist.resolve("Programs.java"),
                PROGRAM.replace("PROGRAM", "Rehearsal")
                        + PROGRAM.replace("PROGRAM", "GranaryCommand").replace("package dev.granary.cli;", ""));
        call("javac", "-d", classes.toString(), source.toString());
        Path jar = Files.createDirectory(dist.resolve("lib")).resolve("granary-cli-1-dist.jar");
        call("jar", "--create", "--file", jar.toString(), "-C", classes.toString(), ".");
    }

    private static void call(String tool, String... words) {
        PrintWriter out = new PrintWriter(System.err, true, UTF_8);
        assertThat(ToolProvider.findFirst(tool).orElseThrow().run(out, out, words))
                .isZero();
    }

    private Process start(String script, String... words) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Stream.concat(Stream.of(dist.resolve("bin").resolve(script).toString()), Stream.of(words))
                        .toList());
        Map<String, String> environment = builder.environment();
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        for (String name : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "GRANARY_JVM_OPTIONS")) {
            environment.remove(name);
        }
        return builder.redirectErrorStream(true).start();
    }

    private static Ended end(Process process) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return new Ended(process.exitValue(), output);
    }

    private Ended command() throws IOException, InterruptedException {
        return end(start("granary", "get"));
    }

    @Test
    void command_noCache_runsWithoutOne() throws Exception {
        assertThat(command()).isEqualTo(new Ended(0, "no cache\n"));
    }

    @Test
    void makers_twoAtOnce_leaveOneCacheAndCommandsRunAlsoWhenItIsCut() throws Exception {
        Process first = start("cli-cache");
        Process second = start("cli-cache");
        assertThat(end(first).code()).isZero();
        assertThat(end(second).code()).isZero();
        try (Stream<Path> files = Files.list(dist.resolve("aot"))) {
            assertThat(files.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("cli.aot", "cli.jars");
        }
        assertThat(command()).isEqualTo(new Ended(0, "a cache is asked for\n"));

        cut(dist.resolve("aot").resolve("cli.aot"));
        assertThat(command())
                .as("the JVM goes on without a cut cache, and says nothing")
                .isEqualTo(new Ended(0, "a cache is asked for\n"));
    }

    @Test
    void maker_afterOneThatFailed_doesNotTryAgainAtOnce() throws Exception {
        Files.delete(dist.resolve("lib").resolve("granary-cli-1-dist.jar"));
        assertThat(end(start("cli-cache")).code()).isEqualTo(1);
        try (Stream<Path> files = Files.list(dist.resolve("aot"))) {
            assertThat(files.map(each -> each.getFileName().toString())).containsExactly("cli.lock");
        }
        assertThat(end(start("cli-cache"))).isEqualTo(new Ended(0, ""));
    }

    private static void cut(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() / 2);
        }
    }
}
