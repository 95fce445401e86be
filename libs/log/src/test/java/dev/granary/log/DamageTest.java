package dev.granary.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every cut and every flipped bit of a small log. */
class DamageTest {

    private static final String SNAPSHOT = "arc-0000000000000001.snapshot";
    private static final String LOG = "arc-0000000000000002.log";
    private static final int RECORD_BYTES = 28 + 5;
    private static final int LAST_RECORD_AT = 32 + 2 * RECORD_BYTES;

    private final CrashDisk disk = new CrashDisk();

    @BeforeEach
    void writeLog() throws IOException {
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            Replayed.of(log);
            log.appendAndSync("first".getBytes(UTF_8));
            log.snapshot("first".getBytes(UTF_8));
            for (String command : List.of("two--", "three", "four-")) {
                log.appendAndSync(command.getBytes(UTF_8));
            }
        }
        assertThat(disk.content(LOG)).hasSize(32 + 3 * RECORD_BYTES);
    }

    private void replace(String file, byte[] content) {
        disk.damage(file, content);
    }

    private byte[] flipped(String file, int bit) {
        byte[] content = disk.content(file);
        content[bit / 8] ^= (byte) (1 << (bit % 8));
        return content;
    }

    @Test
    void open_tailCutAnywhere_isCutToWholeRecordsAndReported() throws IOException {
        byte[] whole = disk.content(LOG);
        for (int size = 32; size < whole.length; size++) {
            replace(LOG, Arrays.copyOf(whole, size));
            int intact = (size - 32) / RECORD_BYTES;
            try (RecordLog log = RecordLog.open(disk, "arc")) {
                assertThat(log.report())
                        .as("cut to %d", size)
                        .isEqualTo(new RecoveryReport(1, 1 + intact, LOG, size - 32 - (long) intact * RECORD_BYTES));
                assertThat(Replayed.of(log).commands()).hasSize(1 + intact);
                assertThat(disk.content(LOG)).hasSize(32 + intact * RECORD_BYTES);
                assertThat(log.appendAndSync("again".getBytes(UTF_8))).isEqualTo(2 + intact);
            }
            assertThat(Replayed.from(disk)).hasSize(2 + intact).endsWith("again");
        }
    }

    @Test
    void open_bitFlippedBeforeTheLastRecord_isRefusedWithFileAndOffset() {
        byte[] whole = disk.content(LOG);
        for (int bit = 0; bit < LAST_RECORD_AT * 8; bit++) {
            byte[] damaged = flipped(LOG, bit);
            replace(LOG, damaged);
            LogDamagedException refusal =
                    catchThrowableOfType(LogDamagedException.class, () -> RecordLog.open(disk, "arc"));
            assertThat(refusal).as("bit %d", bit).isNotNull();
            int offset = bit / 8;
            int recordOffset = offset < 32 ? 0 : offset - (offset - 32) % RECORD_BYTES;
            assertThat(refusal.file()).isEqualTo(LOG);
            assertThat(refusal.offset()).as("bit %d", bit).isEqualTo(recordOffset);
            assertThat(refusal).hasMessageContaining(LOG).hasMessageContaining("offset " + recordOffset);
            assertThat(disk.content(LOG)).as("nothing is written").isEqualTo(damaged);
            replace(LOG, whole);
        }
    }

    @Test
    void open_bitFlippedInTheLastRecord_isCutAndReported() throws IOException {
        byte[] whole = disk.content(LOG);
        for (int bit = LAST_RECORD_AT * 8; bit < whole.length * 8; bit++) {
            replace(LOG, flipped(LOG, bit));
            try (RecordLog log = RecordLog.open(disk, "arc")) {
                assertThat(log.report().tornBytes()).as("bit %d", bit).isEqualTo(RECORD_BYTES);
                assertThat(Replayed.of(log).commands()).containsExactly("first", "two--", "three");
            }
            replace(LOG, whole);
        }
    }

    @Test
    void open_bytesMissingInTheMiddle_isRefused() {
        byte[] whole = disk.content(LOG);
        for (int missing = 1; missing <= RECORD_BYTES; missing++) {
            byte[] shorter = Arrays.copyOf(whole, whole.length - missing);
            int from = 32 + RECORD_BYTES;
            System.arraycopy(whole, from + missing, shorter, from, whole.length - from - missing);
            replace(LOG, shorter);
            assertThatThrownBy(() -> RecordLog.open(disk, "arc"))
                    .as("%d bytes missing", missing)
                    .isInstanceOf(LogDamagedException.class)
                    .hasMessageContaining("offset " + from);
        }
    }

    @Test
    void open_unsyncedRecordsWrittenOutOfOrder_areATornTail() throws IOException {
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            Replayed.of(log);
            for (int i = 0; i < 4; i++) {
                log.append("batch".getBytes(UTF_8));
            }
        }
        // The first record of the batch never reached the disk, the others did.
        byte[] content = disk.content(LOG);
        int batchAt = 32 + 3 * RECORD_BYTES;
        Arrays.fill(content, batchAt, batchAt + RECORD_BYTES, (byte) 0);
        replace(LOG, content);
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            assertThat(log.report().tornBytes()).isEqualTo(4 * RECORD_BYTES);
            assertThat(Replayed.of(log).commands()).containsExactly("first", "two--", "three", "four-");
        }
    }

    @Test
    void open_syncedRecordDamagedBehindAnUnsyncedBatch_isRefused() throws IOException {
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            Replayed.of(log);
            log.append("batch".getBytes(UTF_8));
            log.append("batch".getBytes(UTF_8));
        }
        replace(LOG, flipped(LOG, (LAST_RECORD_AT + 30) * 8));
        assertThatThrownBy(() -> RecordLog.open(disk, "arc"))
                .isInstanceOf(LogDamagedException.class)
                .hasMessageContaining("offset " + LAST_RECORD_AT)
                .hasMessageContaining("sequence 4");
    }

    @Test
    void open_snapshotDamagedAnywhere_isRefused() {
        byte[] whole = disk.content(SNAPSHOT);
        for (int bit = 0; bit < whole.length * 8; bit++) {
            replace(SNAPSHOT, flipped(SNAPSHOT, bit));
            assertThatThrownBy(() -> RecordLog.open(disk, "arc"))
                    .as("bit %d", bit)
                    .isInstanceOf(LogDamagedException.class)
                    .hasMessageContaining(SNAPSHOT);
            replace(SNAPSHOT, whole);
        }
        for (int size = 0; size < whole.length; size++) {
            replace(SNAPSHOT, Arrays.copyOf(whole, size));
            assertThatThrownBy(() -> RecordLog.open(disk, "arc"))
                    .as("cut to %d", size)
                    .isInstanceOf(LogDamagedException.class);
        }
    }

    @Test
    void open_fileMissing_isRefused() {
        byte[] log = disk.content(LOG);
        disk.delete(LOG);
        assertThatThrownBy(() -> RecordLog.open(disk, "arc"))
                .isInstanceOf(LogDamagedException.class)
                .hasMessageContaining(LOG);
        replace(LOG, log);
        disk.delete(SNAPSHOT);
        assertThatThrownBy(() -> RecordLog.open(disk, "arc"))
                .isInstanceOf(LogDamagedException.class)
                .hasMessageContaining("snapshot");
        assertThat(disk.list()).containsExactly(LOG);
    }

    @Test
    void open_fileUnderAnotherName_isRefused() {
        replace("arc-0000000000000009.log", disk.content(LOG));
        assertThatThrownBy(() -> RecordLog.open(disk, "arc")).isInstanceOf(LogDamagedException.class);
        disk.delete("arc-0000000000000009.log");
        replace("arc-0000000000000003.snapshot", disk.content(SNAPSHOT));
        assertThatThrownBy(() -> RecordLog.open(disk, "arc"))
                .isInstanceOf(LogDamagedException.class)
                .hasMessageContaining("its name says 3");
    }
}
