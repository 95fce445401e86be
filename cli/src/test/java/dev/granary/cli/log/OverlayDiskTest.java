package dev.granary.cli.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Disk.AppendFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No operation on an {@link OverlayDisk} changes the directory below it. */
class OverlayDiskTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private OverlayDisk disk = new OverlayDisk(Path.of("unused"));
    private Map<String, String> before = Map.of();

    @BeforeEach
    void fill() throws IOException {
        Files.writeString(directory.resolve("old"), "old bytes");
        Files.writeString(directory.resolve("torn.tmp"), "half");
        Files.writeString(directory.resolve(".hidden"), "x");
        Files.createDirectory(directory.resolve("folder"));
        disk = new OverlayDisk(directory);
        before = below();
    }

    @AfterEach
    void directoryIsAsItWas() throws IOException {
        assertThat(below()).isEqualTo(before);
    }

    private Map<String, String> below() throws IOException {
        Map<String, String> content = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                content.put(file.toString(), Files.isDirectory(file) ? "folder" : Files.readString(file));
            }
        }
        return content;
    }

    private String read(String name) throws IOException {
        return new String(disk.read(name), UTF_8);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    @Test
    void list_directory_hasItsFilesWithoutHiddenAndTornOnes() throws IOException {
        disk.writeAtomically("new", new byte[1]);
        disk.writeAtomically("old", new byte[1]);
        assertThat(disk.list()).containsExactly("new", "old");
    }

    @Test
    void write_existingFile_hidesTheOneBelow() throws IOException {
        byte[] content = "new".getBytes(UTF_8);
        disk.writeAtomically("old", content);
        content[0] = 'X';
        assertThat(read("old")).isEqualTo("new");
        disk.read("old")[0] = 'X';
        assertThat(read("old")).as("what a reader does with its bytes").isEqualTo("new");
        assertThat(disk.sizeBytes("old")).isEqualTo(3);
    }

    @Test
    void append_existingFile_goesOnBehindItsEnd() throws IOException {
        try (AppendFile file = disk.openForAppend("old")) {
            assertThat(file.sizeBytes()).isEqualTo(9);
            file.append(bytes(", and"));
            file.append(bytes(" more"));
            file.sync();
            assertThat(file.sizeBytes()).isEqualTo(19);
        }
        assertThat(read("old")).isEqualTo("old bytes, and more");
    }

    @Test
    void truncate_existingFile_cutsTheViewAlone() throws IOException {
        try (AppendFile file = disk.openForAppend("old")) {
            file.truncate(3);
            file.append(bytes("er"));
        }
        assertThat(read("old")).isEqualTo("older");
        assertThat(disk.sizeBytes("old")).isEqualTo(5);
    }

    @Test
    void delete_fileBelow_isGoneAndMayBeMadeAnew() throws IOException {
        disk.delete("old");
        disk.delete("nothing");
        assertThat(disk.exists("old")).isFalse();
        assertThat(disk.list()).isEmpty();
        assertThatThrownBy(() -> disk.read("old"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("old");
        assertThatThrownBy(() -> disk.read("old", 0, 1)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> disk.sizeBytes("old")).isInstanceOf(IOException.class);

        try (AppendFile file = disk.openForAppend("old")) {
            assertThat(file.sizeBytes()).as("nothing of the deleted file").isZero();
            file.append(bytes("anew"));
        }
        assertThat(disk.exists("old")).isTrue();
        assertThat(read("old")).isEqualTo("anew");
        disk.delete("old");
        assertThat(disk.exists("old")).isFalse();
    }

    @Test
    void read_aPart_isTheSameAboveAndBelow() throws IOException {
        disk.writeAtomically("new", "old bytes".getBytes(UTF_8));
        for (String name : new String[] {"old", "new"}) {
            assertThat(disk.read(name, 4, 3)).as(name).asString(UTF_8).isEqualTo("byt");
            assertThat(disk.read(name, 4, 100)).as(name).asString(UTF_8).isEqualTo("bytes");
            assertThat(disk.read(name, 9, 1)).as(name).isEmpty();
            assertThat(disk.read(name, 100, 1)).as(name).isEmpty();
            assertThat(disk.read(name, 0, 0)).as(name).isEmpty();
        }
    }
}
