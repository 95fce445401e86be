package dev.granary.cli.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.command.Run;
import dev.granary.env.FileDisk;
import dev.granary.env.SystemClock;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.BackupLogOptions;
import dev.granary.log.backup.ZoneHeader;
import dev.granary.log.batch.BatchWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.TypeConversionException;

/** {@link LogDumpCommand} on the logs of two zones. */
class LogDumpCommandTest {

    private static final int FIRST = 7 << 15 | 1;
    private static final int SECOND = 0x9000 << 15 | 2;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @BeforeEach
    void fill() throws IOException {
        try (FileDisk disk = FileDisk.open(directory);
                BackupLog log = BackupLog.open(disk, BackupLogOptions.small(), new SystemClock(), Runnable::run)) {
            for (int zone : new int[] {FIRST, SECOND}) {
                log.openZone(new ZoneHeader(new UUID(1, 2), zone, zone >>> 15, 3, List.of(8, 9), 0, false))
                        .join();
                append(log, zone, 1);
                append(log, zone, 2);
            }
            log.sync().join();
        }
    }

    private static void append(BackupLog log, int zone, int sequence) {
        BatchWriter writer = new BatchWriter();
        writer.start(zone, 3, sequence);
        byte[] content = ("content " + sequence % 10 + ".".repeat(31)).getBytes(UTF_8);
        long cid = (long) (zone >>> 15) << 48 | sequence;
        writer.chunk(cid, content, 0, content.length);
        writer.token(cid, 100 + sequence);
        writer.request(0xABCL, sequence, sequence - 1L, MemorySegment.ofArray(new byte[] {5}), 0, 1);
        assertThat(log.append(writer.finish()).isHeld()).isTrue();
    }

    private Run dump(String... options) {
        List<String> all = new ArrayList<>(List.of("log", "dump", directory.toString()));
        all.addAll(List.of(options));
        return Run.of(all.toArray(String[]::new));
    }

    @Test
    void dump_twoZones_showsChunksTokensAndCompletedRequestsOfBoth() {
        Run run = dump();
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output())
                .contains("zone 00038001 of cluster 00000000-0000-0001-0000-000000000002: owner 0007, epoch 3")
                .contains("zone 48000002", "owner 9000")
                .contains("members 0008,0009, last sequence 2")
                .contains("chunk   0007000000000001  (3, 1)  40 B  636f6e74656e742031" + "2e".repeat(23) + "...")
                .contains("token   9000000000000002  (3, 2)", "102")
                .contains("request abc/2 (seen: 1)  (3, 2)  1 B  05");
        assertThat(run.output()).doesNotContain("more");
    }

    @Test
    void dump_oneZone_leavesTheOtherOut() {
        Run run = dump("--zone", "48000002");
        assertThat(run.code()).isZero();
        assertThat(run.output()).contains("zone 48000002").doesNotContain("00038001");
    }

    /** Otherwise a slip of the pen looks like a zone in which nothing is damaged. */
    @Test
    void dump_zoneThatIsNotThere_isSaid() {
        Run run = dump("--zone", "48000003");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output()).isEmpty();
        assertThat(run.error()).contains("48000003").contains("granary log verify");
    }

    @Test
    void dump_limit_isForEachZoneAndTheRestIsCounted() {
        // Two chunks, two tokens and one request: the client has seen the answer to the other.
        Run run = dump("--limit", "3");
        assertThat(run.output().lines().filter(line -> line.contains("... 2 more")))
                .hasSize(2);
        assertThat(dump("--limit", "5").output()).doesNotContain("more");
        assertThat(dump("--limit", "0").output().lines().filter(line -> line.contains("... 5 more")))
                .hasSize(2);
    }

    @Test
    void dump_negativeLimit_isRefused() {
        Run run = dump("--limit", "-1");
        assertThat(run.code()).isNotZero();
        assertThat(run.output()).isEmpty();
        assertThat(run.error()).contains("--limit");
    }

    @Test
    void dump_json_isOneObjectForEachEntry() {
        List<JsonNode> lines = dump("--zone", "00038001", "--json")
                .output()
                .lines()
                .map(line -> Json.parse("a line", line))
                .toList();
        assertThat(lines).hasSize(5).allSatisfy(line -> {
            assertThat(line.path("zone").asText()).isEqualTo("00038001");
            assertThat(line.path("epoch").asLong()).isEqualTo(3);
        });
        assertThat(lines.stream().map(line -> line.path("kind").asText()))
                .containsExactlyInAnyOrder("chunk", "chunk", "token", "token", "request");
    }

    @Test
    void dump_flippedBit_saysSoAndEndsWithOne() throws IOException {
        // Enough that the log writes segments, which are not repaired by what it wrote first.
        try (FileDisk disk = FileDisk.open(directory);
                BackupLog log = BackupLog.open(disk, BackupLogOptions.small(), new SystemClock(), Runnable::run)) {
            for (int sequence = 3; sequence <= 300; sequence++) {
                append(log, FIRST, sequence);
                if (sequence % 10 == 0) {
                    log.sync().join();
                }
            }
        }
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
        Run run = dump();
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output()).contains("damaged: ");
    }

    @Test
    void zone_noHexadecimalNumber_isRefused() {
        LogDumpCommand.ZoneConverter converter = new LogDumpCommand.ZoneConverter();
        assertThat(converter.convert("FFFF8001")).isEqualTo(0xFFFF8001);
        for (String wrong : new String[] {"", "zone", "123456789"}) {
            assertThatThrownBy(() -> converter.convert(wrong))
                    .as(wrong)
                    .isInstanceOf(TypeConversionException.class)
                    .hasMessageContaining("granary log verify");
        }
    }
}
