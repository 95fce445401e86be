package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** AOT caches of a distribution, made and used by the distribution's own programs. */
@Tag(Tags.LONG)
class TrainTest {

    private static final int LIMIT_SECONDS = 300;
    private static final String[] ROLES = {"storage-node", "super-peer"};

    /** The JVM options of pods, and the log that tells whether the cache is used. */
    private static final String POD =
            "-Xms96m -Xmx96m -XX:MaxMetaspaceSize=64m -XX:ReservedCodeCacheSize=48m -Xss512k -Xlog:aot=info";

    private static final String USED = "Using AOT-linked classes: true";

    @TempDir
    private Path directory = Path.of("");

    @Test
    void train_copyOfTheDistribution_serversStartOnItsCachesUntilAJarChanges() throws Exception {
        Path dist = directory.resolve("dist");
        copy(Path.of(System.getProperty("granary.dist")), dist);
        assertThat(run(dist, "granary", "", "train")).doesNotContain("Exception");
        for (String role : ROLES) {
            assertThat(run(dist, role, POD, "--version")).contains(USED);
            assertThat(run(dist, role, POD + " -XX:+UseCompactObjectHeaders", "--version"))
                    .doesNotContain(USED);
            assertThat(run(dist, role, "-XX:+UseCompactObjectHeaders", "--version"))
                    .hasLineCount(1);
            // With this option and a cache together the JVM would not start.
            assertThat(run(dist, role, "-Xshare:auto", "--version")).hasLineCount(1);
        }
        try (Stream<Path> jars = Files.list(dist.resolve("lib"))) {
            Files.setLastModifiedTime(jars.findFirst().orElseThrow(), FileTime.fromMillis(0));
        }
        for (String role : ROLES) {
            assertThat(run(dist, role, POD, "--version")).doesNotContain(USED);
        }
    }

    private String run(Path dist, String program, String options, String argument)
            throws IOException, InterruptedException {
        Path out = directory.resolve("out.txt");
        Process process = Commands.builder(dist, program, Map.of("GRANARY_JVM_OPTIONS", options), List.of(argument))
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(out)).isZero();
            return Files.readString(out);
        } finally {
            process.destroy();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }
}
