package dev.granary.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes of docs/formats/command-log.md. A change here is a change of the format. */
class GoldenBytesTest {

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void logFile_twoCommandsInOneBatch_hasTheDocumentedBytes() throws IOException {
        CrashDisk disk = new CrashDisk();
        try (RecordLog log = RecordLog.open(disk, "arc")) {
            Replayed.of(log);
            log.append("hello".getBytes(UTF_8));
            log.append(new byte[0]);
            log.sync();
        }
        assertThat(hex(disk.content("arc-0000000000000001.log")))
                .isEqualTo("4752414e434c4f47010020000000000001000000000000000000000082e11454"
                        + "05000000010100000100000000000000000000004cbb719a58e5e81b"
                        + "68656c6c6f"
                        + "0000000001010000020000000000000001000000000000009e474ba2");
    }

    @Test
    void snapshot_smallState_hasTheDocumentedBytes() {
        assertThat(hex(SnapshotFile.encode(0x0102, "state".getBytes(UTF_8))))
                .isEqualTo("4752414e534e4150010028000000000002010000000000000500000000000000df68db664126cae0"
                        + "7374617465");
    }
}
