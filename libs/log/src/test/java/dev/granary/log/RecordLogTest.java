package dev.granary.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.FileDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordLogTest {

    private static final String FIRST_FILE = "arc-0000000000000001.log";

    private final CrashDisk disk = new CrashDisk();

    private RecordLog open() throws IOException {
        RecordLog log = RecordLog.open(disk, "arc");
        Replayed.of(log);
        return log;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void open_emptyDisk_makesAnEmptyLog() throws IOException {
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            assertThat(log.report()).isEqualTo(new RecoveryReport(0, 0, FIRST_FILE, 0));
            assertThat(log.lastSequence()).isZero();
            assertThat(Replayed.of(log).commands()).isEmpty();
            assertThat(log.bytesSinceSnapshot()).isZero();
        }
    }

    @Test
    void appendAndSync_powerLost_survives() throws IOException {
        try (RecordLog log = open()) {
            assertThat(log.appendAndSync(bytes("one"))).isEqualTo(1);
            assertThat(log.appendAndSync(bytes(""))).isEqualTo(2);
            assertThat(log.appendAndSync(bytes("three"))).isEqualTo(3);
            assertThat(log.bytesSinceSnapshot()).isEqualTo(3 * 28 + 8);
        }
        disk.restart(new SplittableRandom(1));
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            assertThat(log.report()).isEqualTo(new RecoveryReport(0, 3, FIRST_FILE, 0));
            assertThat(log.bytesSinceSnapshot()).isEqualTo(3 * 28 + 8);
            assertThat(Replayed.of(log).commands()).containsExactly("one", "", "three");
            assertThat(log.appendAndSync(bytes("four"))).isEqualTo(4);
        }
        assertThat(Replayed.from(disk)).containsExactly("one", "", "three", "four");
    }

    @Test
    void open_realDisk_keepsSnapshotAndCommands(@TempDir Path directory) throws IOException {
        try (FileDisk files = FileDisk.open(directory)) {
            try (RecordLog log = RecordLog.open(files, "arc")) {
                Replayed.of(log);
                log.appendAndSync(bytes("one"));
                log.appendAndSync(bytes("two"));
                log.snapshot(Replayed.state(List.of("one", "two")));
                log.appendAndSync(bytes("three"));
            }
            assertThat(files.list()).containsExactly("arc-0000000000000002.snapshot", "arc-0000000000000003.log");
            assertThat(Replayed.from(files)).containsExactly("one", "two", "three");
        }
    }

    @Test
    void open_twoLogsOnOneDisk_doNotMix() throws IOException {
        try (RecordLog arc = open();
                RecordLog other = RecordLog.open(disk, "arc-2")) {
            Replayed.of(other);
            arc.appendAndSync(bytes("a"));
            other.appendAndSync(bytes("b"));
            arc.snapshot(bytes("a"));
        }
        assertThat(Replayed.from(disk)).containsExactly("a");
        try (RecordLog other = RecordLog.open(disk, "arc-2")) {
            assertThat(Replayed.of(other).commands()).containsExactly("b");
        }
    }

    @Test
    void snapshot_commandsBefore_areReplacedAndSequencesContinue() throws IOException {
        try (RecordLog log = open()) {
            log.appendAndSync(bytes("one"));
            log.append(bytes("two"));
            log.snapshot(Replayed.state(List.of("one", "two")));
            assertThat(log.bytesSinceSnapshot()).isZero();
            assertThat(disk.list()).containsExactly("arc-0000000000000002.snapshot", "arc-0000000000000003.log");
            assertThat(log.appendAndSync(bytes("three"))).isEqualTo(3);
            log.snapshot(Replayed.state(List.of("one", "two", "three")));
            log.snapshot(Replayed.state(List.of("one", "two", "three")));
            assertThat(disk.list()).containsExactly("arc-0000000000000003.snapshot", "arc-0000000000000004.log");
        }
        assertThat(Replayed.from(disk)).containsExactly("one", "two", "three");
    }

    @Test
    void snapshot_emptyLog_isKept() throws IOException {
        try (RecordLog log = open()) {
            log.snapshot(bytes("begin"));
            log.appendAndSync(bytes("one"));
        }
        assertThat(Replayed.from(disk)).containsExactly("begin", "one");
    }

    @Test
    void sync_failed_isFatalAndTheLogCanBeOpenedAgain() throws IOException {
        try (RecordLog log = open()) {
            log.appendAndSync(bytes("one"));
            disk.failSyncs(true);
            assertThatThrownBy(() -> log.appendAndSync(bytes("two"))).hasMessageContaining("planted");
            disk.failSyncs(false);
            assertThatThrownBy(() -> log.append(bytes("three"))).isInstanceOf(LogFailedException.class);
            assertThatThrownBy(log::sync).isInstanceOf(LogFailedException.class);
            assertThatThrownBy(() -> log.snapshot(bytes("x")))
                    .isInstanceOf(LogFailedException.class)
                    .hasMessageContaining("arc")
                    .hasMessageContaining("planted");
        }
        disk.restart(new SplittableRandom(3));
        assertThat(Replayed.from(disk)).startsWith("one").hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void append_diskFull_isFatalAndTheHalfRecordIsCut() throws IOException {
        try (RecordLog log = open()) {
            log.appendAndSync(bytes("one"));
            disk.failAppends(true);
            assertThatThrownBy(() -> log.append(bytes("two"))).hasMessageContaining("no space");
            disk.failAppends(false);
            assertThatThrownBy(() -> log.append(bytes("two"))).isInstanceOf(LogFailedException.class);
        }
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            assertThat(log.report().tornBytes()).isEqualTo((28 + 3) / 2);
            assertThat(Replayed.of(log).commands()).containsExactly("one");
        }
    }

    @Test
    void snapshot_failed_isFatalAndLosesNothing() throws IOException {
        try (RecordLog log = open()) {
            log.appendAndSync(bytes("one"));
            disk.failSyncs(true);
            assertThatThrownBy(() -> log.snapshot(bytes("one"))).hasMessageContaining("planted");
            disk.failSyncs(false);
            assertThatThrownBy(() -> log.appendAndSync(bytes("two"))).isInstanceOf(LogFailedException.class);
        }
        assertThat(Replayed.from(disk)).containsExactly("one");
    }

    @Test
    void log_usedWrongly_saysSo() throws IOException {
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            assertThatThrownBy(() -> log.append(bytes("one"))).hasMessageContaining("must be replayed");
            Replayed.of(log);
            assertThatThrownBy(() -> Replayed.of(log)).hasMessageContaining("replayed before");
            assertThatThrownBy(() -> log.append(new byte[(16 << 20) + 1])).hasMessageContaining("at most 16777216");
            assertThat(log.append(new byte[16 << 20])).isEqualTo(1);
        }
        assertThatThrownBy(() -> RecordLog.open(disk, "Arc/1")).hasMessageContaining("Arc/1");
    }
}
