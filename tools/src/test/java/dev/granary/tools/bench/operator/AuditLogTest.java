package dev.granary.tools.bench.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void byVerb_lastLineIsStillBeingWritten_countsTheWholeOnes() throws IOException {
        Path file = folder.resolve("audit.log");
        AuditLog log = new AuditLog(file);
        assertThat(log.byVerb()).isEmpty();
        Files.writeString(file, """
                {"kind":"Event","verb":"get","user":{"username":"operator"}}
                {"kind":"Event","verb":"patch"}
                {"kind":"Event","verb":"get"}
                {"kind":"Event","verb":"get","user":{"username":"operator"}""");
        assertThat(log.byVerb()).containsExactlyInAnyOrderEntriesOf(Map.of("get", 2L, "patch", 1L));
    }

    @Test
    void difference_someVerbsGrew_onlyThese() {
        Map<String, Long> added =
                AuditLog.difference(Map.of("get", 3L, "list", 1L), Map.of("get", 5L, "list", 1L, "watch", 2L));
        assertThat(added).containsExactlyInAnyOrderEntriesOf(Map.of("get", 2L, "watch", 2L));
        assertThat(AuditLog.sum(added)).isEqualTo(4);
    }
}
