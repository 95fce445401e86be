package dev.granary.env;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileDiskTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    private static String text(Disk disk, String name) throws IOException {
        return new String(disk.read(name), UTF_8);
    }

    @Test
    void append_severalTimesAndReopened_growsAtTheEnd() throws IOException {
        try (FileDisk disk = FileDisk.open(directory.resolve("a/b"))) {
            try (Disk.AppendFile file = disk.openForAppend("log")) {
                file.append(bytes("one"));
                file.append(bytes("two"));
                assertThat(file.sizeBytes()).isEqualTo(6);
                file.sync();
            }
            try (Disk.AppendFile file = disk.openForAppend("log")) {
                assertThat(file.sizeBytes()).isEqualTo(6);
                file.append(bytes("three"));
            }
            assertThat(text(disk, "log")).isEqualTo("onetwothree");
        }
    }

    @Test
    void deleteAll_someThatAreNotThere_deletesTheOthers() throws IOException {
        try (FileDisk disk = FileDisk.open(directory)) {
            for (String name : List.of("a", "b", "c")) {
                disk.writeAtomically(name, new byte[1]);
            }
            disk.deleteAll(List.of("a", "never", "c"));
            assertThat(disk.list()).containsExactly("b");
        }
    }

    @Test
    void truncate_thenAppend_continuesAtTheCut() throws IOException {
        try (FileDisk disk = FileDisk.open(directory);
                Disk.AppendFile file = disk.openForAppend("log")) {
            file.append(bytes("keepdrop"));
            file.truncate(4);
            assertThat(file.sizeBytes()).isEqualTo(4);
            file.append(bytes("!"));
            assertThat(text(disk, "log")).isEqualTo("keep!");
            assertThatThrownBy(() -> file.truncate(6)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void writeAtomically_existingFile_isReplacedAndLeavesNothingElse() throws IOException {
        try (FileDisk disk = FileDisk.open(directory)) {
            disk.writeAtomically("identity", "a longer text".getBytes(UTF_8));
            disk.writeAtomically("identity", "short".getBytes(UTF_8));
            assertThat(text(disk, "identity")).isEqualTo("short");
            assertThat(disk.list()).containsExactly("identity");
        }
    }

    @Test
    void open_unfinishedWriteLeftBehind_isDeletedAndNeverListed() throws IOException {
        Files.writeString(directory.resolve("snapshot.tmp"), "half");
        try (FileDisk disk = FileDisk.open(directory)) {
            assertThat(disk.list()).isEmpty();
            assertThat(directory.resolve("snapshot.tmp")).doesNotExist();
        }
    }

    @Test
    void open_directoryInUse_isRefusedUntilItIsClosed() throws IOException {
        FileDisk first = FileDisk.open(directory);
        assertThatThrownBy(() -> FileDisk.open(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("in use")
                .hasMessageContaining(directory.toString());
        first.close();
        FileDisk.open(directory).close();
    }

    @Test
    void list_severalFiles_isSortedAndHasNoDirectories() throws IOException {
        Files.createDirectory(directory.resolve("sub"));
        try (FileDisk disk = FileDisk.open(directory)) {
            disk.writeAtomically("b", new byte[1]);
            disk.writeAtomically("a", new byte[1]);
            assertThat(disk.list()).containsExactly("a", "b");
            assertThat(disk.exists("a")).isTrue();
            disk.delete("a");
            disk.delete("a");
            assertThat(disk.exists("a")).isFalse();
            assertThat(disk.list()).containsExactly("b");
        }
    }

    @Test
    void names_pathsAndReservedNames_areRefused() throws IOException {
        try (FileDisk disk = FileDisk.open(directory)) {
            for (String name : new String[] {"", ".", "..", "a/b", "../x", ".lock", "x.tmp"}) {
                assertThatThrownBy(() -> disk.openForAppend(name))
                        .as(name)
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void read_partsOfAFile_endWhereTheFileEnds() throws IOException {
        try (FileDisk disk = FileDisk.open(directory)) {
            disk.writeAtomically("f", "0123456789".getBytes(UTF_8));
            assertThat(new String(disk.read("f", 2, 3), UTF_8)).isEqualTo("234");
            assertThat(new String(disk.read("f", 8, 30), UTF_8)).isEqualTo("89");
            assertThat(disk.read("f", 11, 5)).isEmpty();
            assertThat(disk.sizeBytes("f")).isEqualTo(10);
            byte[] into = new byte[4];
            assertThat(disk.read("f", into)).isEqualTo(4);
            assertThat(new String(into, UTF_8)).isEqualTo("0123");
            assertThat(disk.read("f", new byte[20])).isEqualTo(10);
        }
    }
}
