package dev.granary.cli.kubectl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarGzTest {

    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path folder;

    private String tar(String... arguments) throws Exception {
        String[] command = new String[arguments.length + 1];
        command[0] = "tar";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void add_files_tarUnpacksThem() throws Exception {
        String whole = "x".repeat(512);
        try (TarGz archive = new TarGz(Files.newOutputStream(folder.resolve("a.tar.gz")), TIME)) {
            archive.add("r/empty", "");
            archive.add("r/whole-block", whole);
            archive.add("r/sub/short", "grün\n");
        }
        assertThat(tar("tzf", "a.tar.gz").lines()).containsExactly("r/empty", "r/whole-block", "r/sub/short");
        tar("xzf", "a.tar.gz");
        assertThat(folder.resolve("r/empty")).isEmptyFile();
        assertThat(folder.resolve("r/whole-block")).hasContent(whole);
        assertThat(folder.resolve("r/sub/short")).hasContent("grün\n");
        assertThat(Files.getLastModifiedTime(folder.resolve("r/empty")).toInstant())
                .isEqualTo(TIME);
    }

    @Test
    void add_nameThatDoesNotFit_isRefused() throws Exception {
        try (TarGz archive = new TarGz(new ByteArrayOutputStream(), TIME)) {
            assertThatThrownBy(() -> archive.add("n".repeat(101), "")).hasMessageContaining("longer than 100 bytes");
        }
    }
}
