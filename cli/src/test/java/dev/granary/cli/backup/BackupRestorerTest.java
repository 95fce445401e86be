package dev.granary.cli.backup;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.KeepingCluster;
import dev.granary.cli.KeepingKeys;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.NamedChunk;
import dev.granary.client.admin.BackedUpKey;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RestoreMessages.BeginRestore;
import dev.granary.net.message.RestoreMessages.EndRestore;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restores by {@link BackupRestorer} into a cluster that takes chunks as the real one does. */
class BackupRestorerTest {

    private static final int PEER = KeepingCluster.STORAGE_NID;
    private static final long MARK = 5000;

    private final KeepingCluster cluster = new KeepingCluster();

    /** The ranges that have come, by their first CID. */
    private final ConcurrentSkipListMap<Long, CidRange> there = new ConcurrentSkipListMap<>();

    private final Map<Long, BeginRestore> begun = new ConcurrentHashMap<>();
    private final Map<Long, Map<Long, byte[]>> staged = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /** How many more steps the storage peer refuses, because it has no room. */
    private final AtomicInteger refusals = new AtomicInteger();

    /** How many steps it was sent. */
    private final AtomicInteger steps = new AtomicInteger();

    /** The fingerprint of the backup that is in the cluster or comes into it. */
    private volatile long backup;

    private volatile boolean damaging;

    /** Keys of the backups that the test makes. */
    private final List<BackedUpKey> keys = new ArrayList<>();

    @TempDir
    private Path folder = Path.of("unused");

    @AfterEach
    void close() {
        cluster.close();
    }

    @BeforeEach
    void play() {
        cluster.answer(MessageType.HIBERNATE, asks -> new HibernateReply(true, 0, 0, ""));
        cluster.answer(
                MessageType.LIST_CREATORS,
                asks -> new CreatorList(List.of(new CreatorList.Creator(PEER, cluster.firstLid, MARK, backup))));
        cluster.answer(MessageType.CREATOR_RANGES, asks -> new RangeList(0, ranges(asks.fromCid())));
        cluster.answer(MessageType.RESTORE_CREATOR.code(), request -> {
            if (cluster.firstLid == MARK) {
                request.reply(new Empty());
            } else {
                request.fail(ErrorCode.UNKNOWN_LEASE, "it has not joined again");
            }
        });
        cluster.answer(MessageType.RESTORE_PEER, order -> {
            cluster.firstLid = order.lidMark();
            backup = order.backup();
            return new Empty();
        });
        cluster.answer(MessageType.BEGIN_RESTORE, order -> {
            long number = numbers.incrementAndGet();
            begun.put(number, order);
            return new MigrationReply(PEER, number, MigrationState.RUNNING, 0, "");
        });
        cluster.answer(MessageType.MIGRATION_DATA, this::take);
        cluster.answer(MessageType.COMMIT_MIGRATION, commit -> {
            BeginRestore order = Objects.requireNonNull(begun.get(commit.number()));
            cluster.chunks.putAll(Objects.requireNonNull(staged.get(commit.number())));
            there.put(
                    order.startCid(),
                    new CidRange(order.startCid(), order.endCidInclusive(), Placement.unreplicated(PEER, 3)));
            return new MigrationReply(PEER, commit.number(), MigrationState.COMMITTED, 3, "");
        });
        cluster.answer(
                MessageType.ABORT_MIGRATION,
                abort -> new MigrationReply(PEER, abort.number(), MigrationState.ABORTED, 0, ""));
        cluster.answer(MessageType.END_RESTORE, end -> new Empty());
    }

    private List<CidRange> ranges(long fromCid) {
        Map.Entry<Long, CidRange> known = there.floorEntry(fromCid);
        if (known != null && known.getValue().contains(fromCid)) {
            return List.of(known.getValue());
        }
        Placement waiting = new Placement(Nid.NONE, new int[0], 1, 0, PlacementState.RECOVERING);
        return backup == 0 ? List.of() : List.of(new CidRange(fromCid, Cid.of(PEER, MARK - 1), waiting));
    }

    private void take(RpcRequest request) {
        steps.incrementAndGet();
        if (refusals.getAndDecrement() > 0) {
            request.fail(ErrorCode.OUT_OF_MEMORY, "all memory is used");
            return;
        }
        ByteBuf in = request.payload();
        MigrationData header = MigrationData.read(in);
        Map<Long, byte[]> chunks = staged.computeIfAbsent(header.number(), number -> new TreeMap<>());
        long[] cids = new long[in.readIntLE()];
        int[] sizes = new int[cids.length];
        for (int i = 0; i < cids.length; i++) {
            cids[i] = in.readLongLE();
        }
        for (int i = 0; i < cids.length; i++) {
            sizes[i] = in.readIntLE();
        }
        for (int i = 0; i < cids.length; i++) {
            byte[] value = new byte[sizes[i]];
            in.readBytes(value);
            if (damaging) {
                value[0]++;
            }
            chunks.put(cids[i], value);
        }
        request.reply(new Empty());
    }

    /** Writes a backup of two parts with forty chunks and two names. */
    private BackupManifest backup(String id) throws IOException {
        FolderStore store = new FolderStore(folder);
        List<BackupManifest.Part> parts = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            PartWriter writer = new PartWriter();
            for (int block = 0; block < 2; block++) {
                writer.add(block(number * 1000 + block * 100));
            }
            if (number == 1 && !keys.isEmpty()) {
                keys.forEach(key -> writer.add(new KeyBlock(SlotGroup.ofKey(key.key()), List.of(key))));
            }
            writer.addNames(List.of(new NamedChunk("name-" + number, Cid.of(PEER, number * 1000L))));
            byte[] bytes = writer.finish();
            String name = "part-00000" + number;
            store.put(id + "/" + name, bytes, bytes.length);
            parts.add(new BackupManifest.Part(
                    name, bytes.length, BackupManifest.checksumOf(bytes, 0, bytes.length), writer.chunks()));
        }
        BackupManifest manifest = new BackupManifest(
                id,
                "other",
                10,
                11,
                40,
                400,
                2,
                keys.size(),
                keyBytes(),
                List.of(new BackupManifest.Creator(PEER, MARK)),
                parts);
        byte[] bytes = manifest.toBytes();
        store.put(id + "/" + BackupManifest.FILE, bytes, bytes.length);
        return manifest;
    }

    private long keyBytes() {
        return keys.stream().mapToLong(BackedUpKey::sizeBytes).sum();
    }

    /** Makes keys, as a backup of another cluster has them, be in the backups of this test. */
    private void haveKeys(String... expiries) {
        KeepingKeys other = new KeepingKeys();
        for (int i = 0; i < expiries.length; i++) {
            other.command("HSET", "key" + i, "field" + i, "value" + i);
            byte[] dump = other.command("DUMP", "key" + i).getBytes(ISO_8859_1);
            int start = 0;
            while (dump[start++] != '\n') {
                // The line with the size.
            }
            keys.add(new BackedUpKey(
                    ("key" + i).getBytes(UTF_8),
                    Arrays.copyOfRange(dump, start, dump.length - 2),
                    Long.parseLong(expiries[i])));
        }
    }

    private static ChunkBlock block(long firstLid) {
        long[] cids = new long[10];
        int[] sizes = new int[10];
        StringBuilder payload = new StringBuilder();
        for (int i = 0; i < 10; i++) {
            cids[i] = Cid.of(PEER, firstLid + 2L * i);
            sizes[i] = 10;
            payload.append(valueOf(cids[i]));
        }
        return new ChunkBlock(
                PEER,
                cids[0],
                Cid.of(PEER, firstLid + 99),
                cids,
                sizes,
                payload.toString().getBytes(UTF_8));
    }

    private static String valueOf(long cid) {
        return String.format("%010d", Cid.lid(cid));
    }

    private long restore(BackupManifest manifest, boolean verify) {
        try (GranaryClient client = GranaryClient.connect(ClientOptions.of(cluster.seed()))) {
            BackupCatalog catalog = new BackupCatalog(new FolderStore(folder));
            return new BackupRestorer(client, catalog, manifest, new BackupProgress(), verify).run();
        }
    }

    private void assertRefused(BackupManifest manifest, String why) {
        assertThatThrownBy(() -> restore(manifest, false))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining(why);
        assertThat(cluster.asked(BeginRestore.class)).isEmpty();
        assertThat(cluster.asked(Hibernate.class)).isEmpty();
    }

    private void assertAllIsThere() {
        assertThat(cluster.chunks).hasSize(40);
        cluster.chunks.forEach(
                (cid, value) -> assertThat(new String(value, UTF_8)).isEqualTo(valueOf(cid)));
        assertThat(cluster.names)
                .containsOnly(Map.entry("name-1", Cid.of(PEER, 1000)), Map.entry("name-2", Cid.of(PEER, 2000)));
        assertThat(cluster.asked).last().isEqualTo(new EndRestore(PEER));
    }

    @Test
    void run_emptyCluster_hasAllChunksAndNamesAndTakesChangesAgain() throws IOException {
        restore(backup("b-1"), true);

        assertAllIsThere();
        assertThat(cluster.firstLid)
                .as("LIDs of the backup are not given again")
                .isEqualTo(MARK);
        assertThat(cluster.asked(Hibernate.class)).extracting(Hibernate::step).endsWith(Step.WORK);
    }

    @Test
    void run_backupWithKeys_hasThemWithTheTimeAtWhichTheyExpire() throws IOException {
        haveKeys("0", "9999999999999", "0");
        assertThat(restore(backup("b-1"), true)).isZero();

        assertAllIsThere();
        assertThat(cluster.slotGroups.command("HGET", "key0", "field0")).isEqualTo("$6\r\nvalue0\r\n");
        assertThat(cluster.slotGroups.command("HGET", "key2", "field2")).isEqualTo("$6\r\nvalue2\r\n");
        assertThat(cluster.slotGroups.command("PEXPIRETIME", "key0")).isEqualTo(":-1\r\n");
        assertThat(cluster.slotGroups.command("PEXPIRETIME", "key1")).isEqualTo(":9999999999999\r\n");
    }

    @Test
    void run_keysThatHaveExpiredMeanwhile_doNotComeBack() throws IOException {
        haveKeys("0", "1700000000000");
        restore(backup("b-1"), true);
        assertThat(cluster.slotGroups.command("EXISTS", "key0")).isEqualTo(":1\r\n");
        assertThat(cluster.slotGroups.command("EXISTS", "key1")).isEqualTo(":0\r\n");
    }

    @Test
    void run_keyThatIsThere_staysAsItIs() throws IOException {
        haveKeys("0", "0");
        cluster.slotGroups.command("SET", "key1", "newer");
        assertThat(restore(backup("b-1"), true)).isEqualTo(1);
        assertThat(cluster.slotGroups.command("GET", "key1")).isEqualTo("$5\r\nnewer\r\n");
        assertThat(cluster.slotGroups.command("HGET", "key0", "field0")).isEqualTo("$6\r\nvalue0\r\n");
    }

    @Test
    void run_keyIsNotAsItWas_isFoundByTheVerification() throws IOException {
        haveKeys("0");
        BackedUpKey key = keys.getFirst();
        cluster.answer(MessageType.GROUP_CALL, request -> {
            if (request.payload().toString(UTF_8).contains("PEXPIRETIME")) {
                cluster.slotGroups.command("SET", "key0", "changed");
            }
            cluster.slotGroups.carryOut(request);
        });
        BackupManifest manifest = backup("b-1");
        assertThatThrownBy(() -> restore(manifest, true))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("key '" + new String(key.key(), UTF_8) + "'")
                .hasMessageContaining("is not in the cluster as it is in the backup");
    }

    @Test
    void run_keysCannotBeWritten_saysHowToGoOn() throws IOException {
        haveKeys("0");
        cluster.answer(MessageType.GROUP_CALL, request -> request.fail(ErrorCode.BAD_REQUEST, "it does not work"));
        BackupManifest manifest = backup("b-1");
        assertThatThrownBy(() -> restore(manifest, true))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("it does not work")
                .hasMessageContaining("run the restore again to continue it");
        assertThat(cluster.asked(EndRestore.class)).isEmpty();
    }

    @Test
    void run_stoppedInTheMiddle_goesOnWithWhatIsMissing() throws IOException {
        BackupManifest manifest = backup("b-1");
        refusals.set(1_000);
        assertThatThrownBy(() -> restore(manifest, false))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("run the restore again");
        refusals.set(0);
        ChunkBlock first = block(1000);
        there.put(
                first.startCid(),
                new CidRange(first.startCid(), first.endCidInclusive(), Placement.unreplicated(PEER, 3)));
        for (long cid : first.cids()) {
            cluster.chunks.put(cid, valueOf(cid).getBytes(UTF_8));
        }
        steps.set(0);
        restore(manifest, true);

        assertAllIsThere();
        assertThat(steps).as("blocks that were sent").hasValue(3);
    }

    @Test
    void run_storagePeerRefusesOnce_isNotSentAnythingMoreAndSaysThatThereIsNoRoom() throws IOException {
        refusals.set(1);
        BackupManifest manifest = backup("b-1");
        assertThatThrownBy(() -> restore(manifest, false)).hasMessageContaining("no storage peer has room");
        assertThat(cluster.asked(EndRestore.class)).isEmpty();
    }

    @Test
    void run_chunkIsNotAsItWas_isFoundByTheVerification() throws IOException {
        damaging = true;
        BackupManifest manifest = backup("b-1");
        assertThatThrownBy(() -> restore(manifest, true))
                .isInstanceOf(BackupException.class)
                .hasMessageContaining("is not in the cluster as it is in the backup");
    }

    /** A restore changes nothing that the cluster has. */
    @Test
    void run_clusterWithChunks_isRefused() throws IOException {
        cluster.put(Cid.of(PEER, 1), new byte[1]);
        assertRefused(backup("b-1"), "into an empty cluster only");
    }

    @Test
    void run_clusterWithNames_isRefused() throws IOException {
        cluster.names.put("mine", Cid.of(PEER, 1));
        assertRefused(backup("b-1"), "the cluster has names");
    }

    @Test
    void run_anotherBackupIsThere_isRefused() throws IOException {
        backup = 12345;
        assertRefused(backup("b-1"), "another backup");
    }

    @Test
    void run_tooLittleMemory_isRefused() throws IOException {
        cluster.capacityBytes = 439;
        assertRefused(backup("b-1"), "add storage peers");
    }

    @Test
    void run_noStoragePeers_isRefused() throws IOException {
        cluster.hasStorage = false;
        assertRefused(backup("b-1"), "no storage peers");
    }

    @Test
    void run_storagePeerIsDraining_isRefused() throws IOException {
        cluster.drain = PeerInfo.Drain.RUNNING;
        assertRefused(backup("b-1"), "storage-0");
    }

    @Test
    void run_partIsDamaged_isRefusedBeforeAnythingIsChanged() throws IOException {
        BackupManifest manifest = backup("b-1");
        Path part = folder.resolve("b-1/part-000002");
        byte[] bytes = Files.readAllBytes(part);
        bytes[bytes.length / 2] ^= 1;
        Files.write(part, bytes);
        assertRefused(manifest, "part-000002");
    }
}
