package dev.granary.cli.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.GranaryCommand;
import dev.granary.env.FileDisk;
import dev.granary.env.SystemClock;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.BackupLogOptions;
import dev.granary.log.backup.ZoneHeader;
import dev.granary.log.batch.BatchWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogCommandTest {

    private static final int ZONE = 7 << 15 | 1;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @BeforeEach
    void fill() throws IOException {
        try (FileDisk disk = FileDisk.open(directory);
                BackupLog log = BackupLog.open(disk, BackupLogOptions.small(), new SystemClock(), Runnable::run)) {
            log.openZone(new ZoneHeader(new UUID(1, 2), ZONE, 7, 3, List.of(8, 9, 10), 0, false))
                    .join();
            BatchWriter writer = new BatchWriter();
            for (int i = 1; i <= 300; i++) {
                byte[] content = ("value " + i).getBytes(UTF_8);
                writer.start(ZONE, 3, i);
                writer.chunk(7L << 48 | i, content, 0, content.length);
                assertThat(log.append(writer.finish()).isHeld()).isTrue();
                if (i % 10 == 0) {
                    log.sync().join();
                }
            }
        }
    }

    private record Run(int code, String output) {}

    private static Run run(String... arguments) {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, UTF_8));
        try {
            return new Run(GranaryCommand.execute(arguments), output.toString(UTF_8));
        } finally {
            System.setOut(before);
        }
    }

    private Map<String, List<Byte>> content() throws IOException {
        TreeMap<String, List<Byte>> all = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Byte[] bytes = new Byte[(int) Files.size(file)];
                byte[] read = Files.readAllBytes(file);
                for (int i = 0; i < read.length; i++) {
                    bytes[i] = read[i];
                }
                all.put(file.toString(), List.of(bytes));
            }
        }
        return all;
    }

    @Test
    void verify_intactLogs_saysSoAndChangesNothing() throws IOException {
        Map<String, List<Byte>> before = content();
        Run run = run("log", "verify", directory.toString());
        assertThat(run.code()).isZero();
        assertThat(run.output())
                .contains("00038001")
                .contains("0008,0009,000a")
                .contains("300")
                .contains("whole");
        assertThat(content()).isEqualTo(before);
    }

    @Test
    void verify_flippedBit_saysWhereAndEndsWithOne() throws IOException {
        Path segment;
        try (Stream<Path> files = Files.list(directory)) {
            segment = files.filter(file -> file.toString().endsWith(".seg"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(segment);
        bytes[bytes.length / 2] ^= 4;
        Files.write(segment, bytes);
        Run run = run("log", "verify", directory.toString());
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output())
                .contains("damaged")
                .contains(String.valueOf(segment.getFileName()))
                .contains("another backup");
        Run json = run("log", "verify", "--json", directory.toString());
        assertThat(json.code()).isEqualTo(1);
        assertThat(json.output()).startsWith("{\"cluster\":").contains("\"damage\":[{\"file\":");
    }

    /** {@link LogVerifyCommand} for programs. */
    @Test
    void verify_asYaml_isAListOfZones() {
        Run run = run("log", "verify", directory.toString(), "-o", "yaml");
        assertThat(run.code()).isZero();
        assertThat(run.output()).contains("- cluster: ", "  zone: \"00038001\"", "  damage: []");
    }

    @Test
    void dump_oneZone_showsItsEntries() {
        Run run = run("log", "dump", directory.toString(), "--zone", "00038001", "--limit", "2");
        assertThat(run.code()).isZero();
        assertThat(run.output()).contains("76616c75652031").contains("... 298 more");
        Run json = run("log", "dump", directory.toString(), "--limit", "5", "--json");
        assertThat(json.output().lines()).hasSize(5).allMatch(line -> line.contains("\"kind\":\"chunk\""));
    }

    @Test
    void verify_noLogs_saysSo() {
        assertThat(run("log", "verify", directory.resolve("nothing").toString()).code())
                .isEqualTo(1);
    }
}
