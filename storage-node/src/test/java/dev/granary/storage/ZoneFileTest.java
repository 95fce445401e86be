package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZoneFileTest {
    private static final long LONG = 30_000;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"eu-central-1a, eu-central-1a", "' b ', b", "none, ''", "two words, ''"})
    void read_fileHasAContent_isTheZoneAtOnce(String content, String zone) throws Exception {
        Path file = Files.writeString(folder.resolve("zone"), content);
        assertThat(ZoneFile.read(file, LONG)).isEqualTo(zone);
    }

    @Test
    void read_contentComesLater_isWaitedFor() throws Exception {
        Path file = Files.writeString(folder.resolve("zone"), "");
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> ZoneFile.read(file, LONG));
        assertThat(read).isNotDone();
        Files.writeString(file, "a");
        assertThat(read.get()).isEqualTo("a");
    }

    @Test
    void read_nobodyWritesIt_startsWithoutAZone() {
        assertThat(ZoneFile.read(folder.resolve("zone"), 200)).isEmpty();
    }
}
