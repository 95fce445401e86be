package dev.granary.cli.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.KeepingCluster;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.NamedChunk;
import dev.granary.client.admin.BackedUpKey;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RangeMessages.CreatorRanges;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups that {@link BackupMaker} makes of a cluster in which chunks and names are kept, into a folder. */
class BackupMakerTest {

    private static final int PEER = KeepingCluster.STORAGE_NID;
    private static final int GONE = 0x4000;

    private final KeepingCluster cluster = new KeepingCluster();
    private final List<CidRange> ranges = new ArrayList<>();
    private final List<CreatorList.Creator> creators = new ArrayList<>();

    /** The keys of the backup that was looked at last. */
    private final Map<String, BackedUpKey> keys = new TreeMap<>();

    @TempDir
    private Path folder = Path.of("unused");

    @BeforeEach
    void tellRanges() {
        cluster.answer(MessageType.LIST_CREATORS, asks -> new CreatorList(creators));
        cluster.answer(MessageType.CREATOR_RANGES, this::page);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Gives one range at a time. */
    private RangeList page(CreatorRanges asks) {
        List<CidRange> rest = ranges.stream()
                .filter(range -> Cid.nid(range.startCid()) == asks.nid())
                .filter(range -> Cid.compare(range.startCid(), asks.fromCid()) >= 0)
                .toList();
        return new RangeList(rest.size() > 1 ? rest.get(1).startCid() : 0, rest.isEmpty() ? rest : rest.subList(0, 1));
    }

    private void creator(int nid, long firstLid, long lidLimit) {
        creators.add(new CreatorList.Creator(nid, firstLid, lidLimit, 0));
    }

    private void range(int creator, long firstLid, long lastLid, Placement placement) {
        ranges.add(new CidRange(Cid.of(creator, firstLid), Cid.of(creator, lastLid), placement));
    }

    private static Placement owned(int zone, PlacementState state) {
        return new Placement(PEER, new int[0], 1, zone, state);
    }

    private BackupManifest make(String id) {
        try (GranaryClient client = GranaryClient.connect(ClientOptions.of(cluster.seed()))) {
            return new BackupMaker(client, new FolderStore(folder), id, new BackupProgress()).run();
        }
    }

    /** What is in a backup, which is verified first. */
    private Map<Long, String> chunks(BackupManifest manifest, List<NamedChunk> names) {
        BackupCatalog catalog = new BackupCatalog(new FolderStore(folder));
        catalog.verify(manifest);
        Map<Long, String> found = new TreeMap<>();
        for (BackupManifest.Part part : manifest.parts()) {
            new PartReader(part.name(), catalog.part(manifest, part)).read(new PartReader.Visitor() {
                @Override
                public void chunks(ChunkBlock block) {
                    int at = 0;
                    for (int i = 0; i < block.cids().length; i++) {
                        assertThat(found.put(block.cids()[i], new String(block.payload(), at, block.sizes()[i], UTF_8)))
                                .as("each chunk once")
                                .isNull();
                        at += block.sizes()[i];
                    }
                }

                @Override
                public void names(List<NamedChunk> more) {
                    names.addAll(more);
                }

                @Override
                public void keys(KeyBlock block) {
                    block.keys().forEach(key -> keys.put(new String(key.key(), UTF_8), key));
                }
            });
        }
        return found;
    }

    private Map<Long, String> chunks(BackupManifest manifest) {
        return chunks(manifest, new ArrayList<>());
    }

    private void put(int creator, long lid, String value) {
        cluster.put(Cid.of(creator, lid), value.getBytes(UTF_8));
    }

    @Test
    void run_chunksOfSeveralCreatorsAndNames_allAreInTheBackup() {
        creator(PEER, 1, 3001);
        creator(GONE, 1, 21);
        range(PEER, 1, Cid.MAX_LID, owned(0, PlacementState.IN_SYNC));
        range(GONE, 1, 10, owned(GONE << 15 | 1, PlacementState.IN_SYNC));
        range(GONE, 11, 20, owned(GONE << 15 | 2, PlacementState.DEGRADED));
        for (int lid = 1; lid <= 3000; lid += 3) {
            put(PEER, lid, "value " + lid);
        }
        put(GONE, 10, "");
        put(GONE, 20, "last");
        for (int i = 0; i < 5000; i++) {
            cluster.names.put("name-" + String.format("%04d", i), Cid.of(PEER, 1));
        }

        List<NamedChunk> names = new ArrayList<>();
        BackupManifest manifest = make("b-1");
        Map<Long, String> chunks = chunks(manifest, names);

        assertThat(chunks).hasSize(1002).hasSize((int) manifest.chunks());
        assertThat(chunks).containsEntry(Cid.of(PEER, 2998), "value 2998").containsEntry(Cid.of(GONE, 10), "");
        assertThat(names).hasSize(5000).doesNotHaveDuplicates();
        assertThat(manifest.names()).isEqualTo(5000);
        assertThat(manifest.creators())
                .containsExactly(new BackupManifest.Creator(GONE, 21), new BackupManifest.Creator(PEER, 3001));
        assertThat(manifest.payloadBytes())
                .isEqualTo(chunks.values().stream().mapToLong(String::length).sum());
    }

    @Test
    void run_keysOfSeveralGroups_areInTheBackupWithTheTimeAtWhichTheyExpire() {
        creator(PEER, 1, 10);
        range(PEER, 1, Cid.MAX_LID, owned(0, PlacementState.IN_SYNC));
        for (int i = 0; i < 3000; i++) {
            cluster.slotGroups.command("SET", "key" + i, "value" + i);
            cluster.slotGroups.command("SET", "{tag}" + i, "x".repeat(i));
        }
        cluster.slotGroups.command("HSET", "hash", "field", "value");
        cluster.slotGroups.command("SET", "expires", "x", "PXAT", "9999999999999");
        cluster.slotGroups.command("SET", "gone", "x", "PXAT", "1");

        BackupManifest manifest = make("b-1");
        assertThat(chunks(manifest)).isEmpty();
        assertThat(keys)
                .hasSize(6002)
                .containsKeys("key2999", "{tag}2999", "hash")
                .doesNotContainKey("gone");
        assertThat(manifest.keys()).isEqualTo(6002);
        assertThat(manifest.keyBytes())
                .isEqualTo(
                        keys.values().stream().mapToLong(BackedUpKey::sizeBytes).sum());
        assertThat(keys)
                .hasEntrySatisfying(
                        "expires", key -> assertThat(key.expiresAtMillis()).isEqualTo(9_999_999_999_999L))
                .hasEntrySatisfying(
                        "key1", key -> assertThat(key.expiresAtMillis()).isZero());
    }

    /** One of them alone is more than a call has otherwise. */
    @Test
    void run_largeValues_areInTheBackupToo() {
        creator(PEER, 1, 10);
        range(PEER, 1, Cid.MAX_LID, owned(0, PlacementState.IN_SYNC));
        for (int i = 0; i < 5; i++) {
            cluster.slotGroups.command("SET", "{tag}" + i, "x".repeat(1_500_000));
            cluster.slotGroups.command("APPEND", "{tag}" + i, Long.toString(System.nanoTime()));
        }
        chunks(make("b-1"));
        assertThat(keys).hasSize(5);
    }

    @Test
    void run_keysCannotBeRead_failsAndLeavesNoBackup() {
        creator(PEER, 1, 10);
        range(PEER, 1, Cid.MAX_LID, owned(0, PlacementState.IN_SYNC));
        cluster.slotGroups.command("SET", "key", "x");
        cluster.answer(
                MessageType.GROUP_CALL, request -> request.fail(ErrorCode.BAD_REQUEST, "this cannot be carried out"));
        assertThatThrownBy(() -> make("b-1"))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("this cannot be carried out")
                .hasMessageContaining("the backup is not finished");
        assertThat(new BackupCatalog(new FolderStore(folder)).isFinished("b-1")).isFalse();
    }

    @Test
    void run_largeChunks_areInTheBackupToo() {
        creator(PEER, 1, 50);
        range(PEER, 1, Cid.MAX_LID, owned(0, PlacementState.IN_SYNC));
        for (int lid = 1; lid < 50; lid++) {
            put(PEER, lid, "x".repeat(300_000 + lid));
        }
        Map<Long, String> chunks = chunks(make("b-1"));
        assertThat(chunks).hasSize(49);
        chunks.forEach((cid, value) -> assertThat(value).hasSize((int) (300_000 + Cid.lid(cid))));
    }

    /** The cluster has given up what it says is lost; other values under these CIDs must not come back. */
    @Test
    void run_lostChunksAndThoseOfEarlierIncarnations_areLeftOut() {
        creator(PEER, 100, 200);
        range(PEER, 1, 50, new Placement(Nid.NONE, new int[0], 1, 0, PlacementState.LOST));
        range(PEER, 51, Cid.MAX_LID, owned(0, PlacementState.IN_SYNC));
        for (long lid : new long[] {1, 50, 51, 99, 100, 199}) {
            put(PEER, lid, "v" + lid);
        }
        assertThat(chunks(make("b-1"))).containsOnlyKeys(Cid.of(PEER, 100), Cid.of(PEER, 199));
    }

    /** Chunks with these LIDs were created after the backup began; the restored cluster may give their CIDs again. */
    @Test
    void run_chunkBehindTheMark_isLeftOut() {
        creator(PEER, 1, 10);
        range(PEER, 1, Cid.MAX_LID, owned(0, PlacementState.IN_SYNC));
        put(PEER, 9, "in");
        put(PEER, 10, "out");
        assertThat(chunks(make("b-1"))).containsOnlyKeys(Cid.of(PEER, 9));
    }

    @Test
    void run_emptyCluster_isAFinishedBackupOfNothing() {
        creator(PEER, 1, 1);
        range(PEER, 1, Cid.MAX_LID, owned(0, PlacementState.IN_SYNC));
        BackupManifest manifest = make("b-1");
        assertThat(manifest.chunks()).isZero();
        assertThat(manifest.parts()).isEmpty();
        assertThat(new BackupCatalog(new FolderStore(folder)).isFinished("b-1")).isTrue();
    }

    @Test
    void run_aRestoreIsUnderWay_isRefusedAndLeavesNoBackup() {
        creator(PEER, 1, 10);
        range(PEER, 1, 9, new Placement(Nid.NONE, new int[0], 1, 0, PlacementState.RECOVERING));
        assertThatThrownBy(() -> make("b-1"))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("finish the restore first");
        assertThat(new BackupCatalog(new FolderStore(folder)).isFinished("b-1")).isFalse();
    }

    @Test
    void run_finishedBackupOfThatName_staysAsItIs() {
        creator(PEER, 1, 10);
        range(PEER, 1, Cid.MAX_LID, owned(0, PlacementState.IN_SYNC));
        put(PEER, 1, "first");
        BackupManifest first = make("b-1");
        put(PEER, 1, "second");
        assertThatThrownBy(() -> make("b-1"))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("there is a backup b-1");
        assertThat(chunks(first)).containsValue("first");
    }

    @Test
    void run_unfinishedBackupOfThatName_isReplaced() throws IOException {
        creator(PEER, 1, 10);
        range(PEER, 1, Cid.MAX_LID, owned(0, PlacementState.IN_SYNC));
        put(PEER, 1, "value");
        Files.createDirectories(folder.resolve("b-1"));
        Files.write(folder.resolve("b-1/part-000007"), new byte[5]);
        BackupManifest manifest = make("b-1");
        assertThat(chunks(manifest)).hasSize(1);
        assertThat(folder.resolve("b-1/part-000007")).doesNotExist();
    }

    @Test
    void new_idThatIsNoName_isRefused() {
        for (String id : new String[] {"", "../b", "a/b"}) {
            assertThatThrownBy(() -> make(id)).as(id).isInstanceOf(BackupException.class);
        }
    }
}
