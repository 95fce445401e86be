package dev.granary.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.KeepingCluster;
import dev.granary.cli.base.Json;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link BackupCommand} with a cluster that keeps chunks and a store in a folder. */
class BackupCommandTest {

    private static final int PEER = KeepingCluster.STORAGE_NID;

    private final KeepingCluster cluster = new KeepingCluster();

    @TempDir
    private Path store = Path.of("unused");

    @BeforeEach
    void fill() {
        cluster.answer(
                MessageType.LIST_CREATORS, asks -> new CreatorList(List.of(new CreatorList.Creator(PEER, 1, 10, 0))));
        CidRange all = new CidRange(Cid.firstOf(PEER), Cid.lastOf(PEER), Placement.unreplicated(PEER, 1));
        cluster.answer(MessageType.CREATOR_RANGES, asks -> new RangeList(0, List.of(all)));
        cluster.put(Cid.of(PEER, 3), "three".getBytes(UTF_8));
        cluster.names.put("config", Cid.of(PEER, 3));
        cluster.slotGroups.command("SET", "key", "value");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private Run backup(String... arguments) {
        List<String> all = new ArrayList<>(List.of("backup"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--store", store.toString()));
        return Run.of(all.toArray(String[]::new));
    }

    private JsonNode create(String... options) {
        List<String> all = new ArrayList<>(List.of("create", "--seeds", cluster.seed()));
        all.addAll(List.of(options));
        Run run = backup(all.toArray(String[]::new));
        assertThat(run.code()).as(run.error()).isZero();
        return Json.parse("the outcome", run.output());
    }

    @Test
    void create_cluster_tellsWhatTheBackupHas() {
        JsonNode told = create("--id", "first");
        assertThat(told.path("id").asText()).isEqualTo("first");
        assertThat(told.path("chunks").asInt()).isEqualTo(1);
        assertThat(told.path("bytes").asInt()).isEqualTo(5);
        assertThat(told.path("names").asInt()).isEqualTo(1);
        assertThat(told.path("keys").asInt()).isEqualTo(1);
        assertThat(told.path("deleted")).isEmpty();
        assertThat(backup("verify", "first").output()).contains("backup first is whole: 1 chunks, 1 names, 1 keys");
    }

    @Test
    void create_sameIdAgain_fails() {
        create("--id", "first");
        Run again = backup("create", "--seeds", cluster.seed(), "--id", "first");
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.error()).contains("there is a backup first");
    }

    @Test
    void create_keepsTwoOfASeries_deletesTheOldestOfThatSeriesAlone() {
        create("--id", "hourly-1");
        create("--id", "daily-1");
        create("--id", "daily-2");
        JsonNode told = create("--id", "daily-3", "--series", "daily", "--keep", "2");
        assertThat(told.path("deleted")).hasSize(1);
        assertThat(told.path("deleted").path(0).asText()).isEqualTo("daily-1");
        assertThat(backup("list").output())
                .contains("daily-2", "daily-3", "hourly-1")
                .doesNotContain("daily-1");
    }

    @Test
    void create_keepsNone_isRefusedBeforeAnythingIsMade() {
        Run run = backup("create", "--seeds", cluster.seed(), "--keep", "0");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("--keep is 0; it must be at least 1");
        assertThat(backup("list").output()).isEmpty();
    }

    @Test
    void create_withoutAnId_isNamedByItsSeriesAndTime() {
        assertThat(create("--series", "daily").path("id").asText()).matches("daily-[0-9]{8}-[0-9]{6}");
    }

    /** A backup that was interrupted looks like one, so a person must be told that it is none. */
    @Test
    void list_unfinishedBackup_isMarked() throws IOException {
        create("--id", "whole");
        Files.createDirectories(store.resolve("torn"));
        Files.write(store.resolve("torn/part-000001"), new byte[3]);
        assertThat(backup("list").output())
                .contains("whole", "1 chunks, 5 B, 1 names, 1 keys")
                .containsPattern("torn +not finished, cannot be restored")
                .doesNotContainPattern("whole +not finished");
        JsonNode all = Json.parse("backups", backup("list", "-o", "json").output());
        assertThat(all).hasSize(2);
        assertThat(all.path(0).path("finished").asBoolean()).isTrue();
        assertThat(all.path(1).path("id").asText()).isEqualTo("torn");
        assertThat(all.path(1).path("finished").asBoolean()).isFalse();
        assertThat(backup("list", "--json").output().lines())
                .as("finished ones")
                .hasSize(1);
    }

    @Test
    void verify_withoutAnId_takesTheNewest() {
        create("--id", "b");
        create("--id", "a");
        assertThat(backup("verify").output()).contains("backup a is whole");
    }

    @Test
    void verify_flippedBit_failsAndNamesTheFile() throws IOException {
        create("--id", "first");
        Path part = store.resolve("first/part-000001");
        byte[] bytes = Files.readAllBytes(part);
        bytes[bytes.length / 2] ^= 1;
        Files.write(part, bytes);
        Run run = backup("verify");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output()).isEmpty();
        assertThat(run.error()).contains("part-000001");
    }

    @Test
    void verify_nothingThere_fails() {
        assertThat(backup("verify").code()).isEqualTo(1);
        assertThat(backup("verify", "other").error()).contains("other");
    }

    @Test
    void delete_backup_isGone() throws IOException {
        create("--id", "first");
        Files.createDirectories(store.resolve("torn"));
        Files.write(store.resolve("torn/part-000001"), new byte[3]);
        assertThat(backup("delete", "first").code()).isZero();
        assertThat(backup("delete", "torn").code()).isZero();
        assertThat(backup("list").output()).isEmpty();
        Run again = backup("delete", "first");
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.error()).contains("there is no backup first");
    }

    @Test
    void backup_withoutAVerb_saysWhatThereIs() {
        Run run = Run.of("backup");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.error()).contains("create, list, verify or delete");
    }
}
