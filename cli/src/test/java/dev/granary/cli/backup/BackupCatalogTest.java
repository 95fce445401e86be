package dev.granary.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.backup.BackupManifest.Creator;
import dev.granary.cli.backup.BackupManifest.Part;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupCatalogTest {

    private static final String HEAD = "granary-backup 1 ";

    @TempDir
    private Path folder;

    private FolderStore store = new FolderStore(Path.of("unused"));
    private BackupCatalog catalog = new BackupCatalog(store);

    @BeforeEach
    void open() {
        store = new FolderStore(folder);
        catalog = new BackupCatalog(store);
    }

    private static BackupManifest manifest(String id, long startedAt, String cluster) {
        return new BackupManifest(
                id,
                cluster,
                startedAt,
                startedAt + 1,
                2,
                3,
                1,
                7,
                8,
                List.of(new Creator(0x8000, 257)),
                List.of(new Part("part-000001", 4, 5, 2)));
    }

    private void write(BackupManifest manifest) throws IOException {
        byte[] bytes = manifest.toBytes();
        store.put(manifest.id() + "/part-000001", new byte[4], 4);
        store.put(manifest.id() + "/" + BackupManifest.FILE, bytes, bytes.length);
    }

    @Test
    void manifest_written_staysAsItIs() {
        assertThat(new String(manifest("b-1", 10, "c").toBytes(), StandardCharsets.UTF_8))
                .isEqualTo("""
                granary-backup 1 6ffa520f
                {
                  "id" : "b-1",
                  "clusterId" : "c",
                  "startedAtMillis" : 10,
                  "finishedAtMillis" : 11,
                  "chunks" : 2,
                  "payloadBytes" : 3,
                  "names" : 1,
                  "keys" : 7,
                  "keyBytes" : 8,
                  "creators" : [ {
                    "nid" : 32768,
                    "lidMark" : 257
                  } ],
                  "parts" : [ {
                    "name" : "part-000001",
                    "sizeBytes" : 4,
                    "checksum" : 5,
                    "chunks" : 2
                  } ]
                }""");
    }

    /** As versions wrote it that left keys out. */
    @Test
    void find_manifestThatSaysNothingOfKeys_hasNone() throws IOException {
        byte[] json = "{\"id\":\"b-1\",\"clusterId\":\"c\",\"startedAtMillis\":10,\"finishedAtMillis\":11,"
                .concat("\"chunks\":2,\"payloadBytes\":3,\"names\":1,\"creators\":[],\"parts\":[]}")
                .getBytes(StandardCharsets.UTF_8);
        String head = String.format("granary-backup 1 %08x\n", BackupManifest.checksumOf(json, 0, json.length));
        byte[] bytes = head.concat(new String(json, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
        store.put("b-1/manifest", bytes, bytes.length);
        BackupManifest found = catalog.find("b-1");
        assertThat(found.chunks()).isEqualTo(2);
        assertThat(found.keys()).isZero();
        assertThat(found.keyBytes()).isZero();
    }

    @Test
    void find_writtenBefore_isTheSame() throws IOException {
        write(manifest("b-1", 10, "c"));
        write(manifest("b-2", 20, "c"));
        assertThat(catalog.find("b-1")).isEqualTo(manifest("b-1", 10, "c"));
        assertThat(catalog.find(null)).isEqualTo(manifest("b-2", 20, "c"));
    }

    @Test
    void find_noManifest_isRefusedAsUnfinished() throws IOException {
        store.put("b-1/part-000001", new byte[4], 4);
        assertThat(catalog.ids()).containsExactly("b-1");
        assertThat(catalog.finished()).isEmpty();
        assertThatThrownBy(() -> catalog.find("b-1")).hasMessageContaining("not finished");
        assertThatThrownBy(() -> catalog.find(null)).hasMessageContaining("no finished backup");
        assertThatThrownBy(() -> catalog.find("b-2")).hasMessageContaining("there is no backup b-2");
        assertThatThrownBy(() -> catalog.find("../b")).hasMessageContaining("cannot be the id");
    }

    @Test
    void find_damagedManifest_isRefused() throws IOException {
        write(manifest("b-1", 10, "c"));
        Path file = folder.resolve("b-1").resolve(BackupManifest.FILE);
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 1;
            Files.write(file, damaged);
            assertThatThrownBy(() -> catalog.find("b-1")).as("byte %d", i).isInstanceOf(BackupException.class);
        }
        Files.writeString(file, HEAD.replace('1', '2') + "00000000\n{}");
        assertThatThrownBy(() -> catalog.find("b-1")).hasMessageContaining("another version");
    }

    @Test
    void keep_moreThanWanted_deletesTheOldestOfTheSeriesAndClusterOnly() throws IOException {
        write(manifest("daily-1", 10, "c"));
        write(manifest("daily-2", 20, "c"));
        write(manifest("daily-3", 30, "c"));
        write(manifest("daily-0", 5, "other"));
        write(manifest("weekly-1", 1, "c"));

        assertThat(catalog.keep("daily-", "c", 2)).containsExactly("daily-1");

        assertThat(catalog.ids()).containsExactly("daily-0", "daily-2", "daily-3", "weekly-1");
        assertThat(folder.resolve("daily-1")).doesNotExist();
    }

    @Test
    void verify_partDamagedOrMissing_isRefused() throws IOException {
        write(manifest("b-1", 10, "c"));
        assertThatThrownBy(() -> catalog.verify(catalog.find("b-1"))).hasMessageContaining("damaged");
        store.delete("b-1/part-000001");
        assertThatThrownBy(() -> catalog.verify(catalog.find("b-1"))).hasMessageContaining("there is no");
    }
}
