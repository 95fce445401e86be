package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.SystemMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The last step of a move with slow disks and slow super-peers: what is read meanwhile, and what must not be read. */
class MovingChunksTest {

    private static final int TARGET = 0x9000;
    private static final int SOURCE = 0xB000;
    private static final int CREATOR = 0x9000;
    private static final long MILLI = 1_000_000;

    /** Two of these do not fit into one step. */
    private static final int LARGE = 200_000;

    private static final HostAddress TARGET_ADDRESS = new HostAddress("target", 7500);

    private final NodeFixture peer = new NodeFixture();

    /** The flags of the steps that the target of the peer's migration was sent; END as -1. */
    private final List<Integer> told = new ArrayList<>();

    private boolean granting = true;
    private boolean syncing = true;

    /** Whether the target takes only the first step. */
    private boolean full;

    @AfterEach
    void close() {
        peer.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    // The peer as the source.

    private void startTarget() {
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 5);
        identity.joinCluster(peer.superPeer.clusterId);
        identity.takeNid(TARGET);
        peer.world.node("target").restart(started -> {
            var _ = started.transport().listen(TARGET_ADDRESS, new RpcServer(identity, this::takeStep));
        });
    }

    private void takeStep(RpcRequest request) {
        if (request.type() == MessageType.END_MIGRATION.code()) {
            told.add(-1);
            request.reply(new Empty());
            return;
        }
        MigrationData header = MigrationData.read(request.payload());
        int flags = header.flags();
        told.add(flags);
        boolean slow = !syncing && (flags & (MigrationData.FLAG_SEAL | MigrationData.FLAG_SYNC)) != 0;
        if (slow || (full && header.step() > 0) || ((flags & MigrationData.FLAG_READ) != 0 && !granting)) {
            request.fail(ErrorCode.RETRY_LATER, "not now");
        } else {
            request.reply(new Empty());
        }
    }

    private long[] beginToLeave(RawClient client) {
        startTarget();
        long[] cids = client.create(bytes("one"), bytes("two"), bytes("three"));
        client.await(client.call(MessageType.RUN_MIGRATION, order(cids)));
        return cids;
    }

    private RunMigration order(long[] cids) {
        return new RunMigration(
                AnsweringSuperPeer.STORAGE_NID,
                1,
                cids[0],
                cids[cids.length - 1],
                peer.superPeer.epoch,
                TARGET,
                1,
                TARGET_ADDRESS);
    }

    private void assertRead(RawClient client, long cid, String expected) {
        long begun = peer.world.nowNanos();
        assertThat(new String(client.get(cid).getFirst().payload(), UTF_8)).isEqualTo(expected);
        assertThat(peer.world.nowNanos() - begun).isLessThan(50 * MILLI);
    }

    @Test
    void get_commitIsNotAnsweredForSeconds_isAnsweredAtOnceAndChangesWait() {
        peer.ready();
        RawClient client = peer.client();
        peer.superPeer.committing = false;
        long[] cids = beginToLeave(client);
        peer.advanceUntil(() -> peer.superPeer.received.contains("commit-migration"));
        CompletableFuture<int[]> put = client.putLater(2, new long[] {cids[1]}, bytes("TWO"));

        for (int i = 0; i < 30; i++) {
            peer.advance(100 * MILLI);
            assertRead(client, cids[0], "one");
        }
        assertThat(put).isNotDone();
        assertThat(told).doesNotContain(-1);

        peer.superPeer.committing = true;
        assertThat(client.await(put)).containsOnly(ChunkStatus.WRONG_OWNER);
        peer.advanceUntil(() -> told.contains(-1));
        assertThat(client.get(cids[0]).getFirst().result()).isEqualTo(-ChunkStatus.WRONG_OWNER);
    }

    @Test
    void get_targetPromisesNothingAnyMore_waitsUntilItIsKnownWhoOwnsTheChunk() {
        peer.ready();
        RawClient client = peer.client();
        peer.superPeer.committing = false;
        long[] cids = beginToLeave(client);
        peer.advanceUntil(() -> peer.superPeer.received.contains("commit-migration"));
        granting = false;
        peer.advance(MigrationData.READ_GRANT_NANOS);

        CompletableFuture<List<RawClient.Got>> get = client.getLater(cids[0]);
        peer.advance(500 * MILLI);
        assertThat(get).as("the target may serve by now").isNotDone();

        granting = true;
        assertThat(new String(client.await(get).getFirst().payload(), UTF_8)).isEqualTo("one");
        peer.superPeer.committing = true;
        peer.advanceUntil(() -> told.contains(-1));
    }

    @Test
    void get_readInTimeAndShownAfterTheTargetsPromise_waits() {
        peer.ready();
        RawClient client = peer.client();
        peer.superPeer.committing = false;
        long[] cids = beginToLeave(client);
        peer.advanceUntil(() -> peer.superPeer.received.contains("commit-migration"));
        granting = false;
        peer.afterMemoryAccess = () -> {
            peer.afterMemoryAccess = () -> {};
            peer.standStill(MigrationData.READ_GRANT_NANOS);
        };

        CompletableFuture<List<RawClient.Got>> get = client.getLater(cids[0]);
        peer.advance(600 * MILLI);
        assertThat(get).isNotDone();
        peer.superPeer.committing = true;
        assertThat(client.await(get).getFirst().result()).isEqualTo(-ChunkStatus.WRONG_OWNER);
    }

    @Test
    void put_targetsDisksAreSlow_waitsForTheLittleRestOnly() {
        peer.ready();
        RawClient client = peer.client();
        syncing = false;
        long[] cids = beginToLeave(client);
        peer.advanceUntil(() -> told.contains(MigrationData.FLAG_SYNC));
        peer.advance(5_000 * MILLI);

        assertThat(told).doesNotContain(MigrationData.FLAG_SEAL);
        assertThat(client.await(client.putLater(2, new long[] {cids[1]}, bytes("TWO"))))
                .as("changes go on while everything that came is synced")
                .containsOnly(ChunkStatus.OK);
        syncing = true;
        peer.advanceUntil(() -> told.contains(-1));
        assertThat(told).contains(MigrationData.FLAG_SEAL);
    }

    /** LIDs of chunks that are elsewhere need placeholders, or they would be given twice. */
    @Test
    void leave_noRoomForPlaceholdersAtTheMoment_isDoneLater() {
        peer.ready();
        RawClient client = peer.client();
        OutOfChunkMemoryException full = passing();
        AtomicInteger refused = new AtomicInteger();
        peer.beforeInserts = () -> {
            if (refused.incrementAndGet() <= 5) {
                throw full;
            }
        };
        long[] cids = beginToLeave(client);

        peer.advanceUntil(() -> refused.get() > 5 && peer.memory().sizeOf(cids[2]) == 0);
        assertThat(peer.memory().sizeOf(cids[0])).isZero();
        assertThat(client.create(bytes("more"))).doesNotContain(cids);
    }

    @Test
    void leave_targetsBackupsDoNotKeepUp_waitsForRoomThere() {
        peer.ready();
        RawClient client = peer.client();
        startTarget();
        full = true;
        long[] cids = client.create(new byte[LARGE], new byte[LARGE], new byte[LARGE]);
        client.await(client.call(MessageType.RUN_MIGRATION, order(cids)));
        peer.advance(5_000 * MILLI);

        assertThat(told)
                .as("more than it takes to give up")
                .hasSizeGreaterThan(50)
                .containsOnly(0);
        full = false;
        peer.advanceUntil(() -> told.contains(-1));
        assertThat(told).contains(MigrationData.FLAG_SEAL);
    }

    // The peer as the target.

    private static MigrationData step(NodeFixture peer, int step, int flags) {
        long start = Cid.of(CREATOR, 8);
        return new MigrationData(CREATOR, 1, start, start + 7, SOURCE, peer.superPeer.epoch, step, flags);
    }

    /** Sends a step with one chunk, or without any if the value is empty. */
    private CompletableFuture<Boolean> send(RawClient client, MigrationData header, String value) {
        return client.send(
                MessageType.MIGRATION_DATA,
                out -> {
                    header.writeTo(out);
                    if (value.isEmpty()) {
                        out.writeIntLE(0);
                    } else {
                        out.writeIntLE(1).writeLongLE(header.startCid()).writeIntLE(value.length());
                        out.writeBytes(bytes(value));
                    }
                    out.writeIntLE(0).writeLongLE(0).writeIntLE(0);
                },
                in -> true);
    }

    private void take(RawClient client, MigrationData header, String value) {
        for (int attempt = 0; attempt < 10; attempt++) {
            CompletableFuture<Boolean> taken = send(client, header, value);
            peer.advanceUntil(taken::isDone);
            if (!taken.isCompletedExceptionally()) {
                return;
            }
            peer.advance(50 * MILLI);
        }
        throw new AssertionError("the step is not taken: " + header);
    }

    /** The thread that takes the steps also renews leases, so it leaves the rest for later. */
    @Test
    void take_memoryIsBeingPutTogether_isTakenLater() {
        peer.superPeer.place();
        peer.ready();
        peer.superPeer.zone =
                new Placement(AnsweringSuperPeer.STORAGE_NID, new int[0], 1, CREATOR << 15 | 1, PlacementState.IN_SYNC);
        RawClient client = peer.client();
        take(client, step(peer, 0, 0), "");
        refuseAnInsert();

        assertThat(client.errorOf(send(client, step(peer, 1, 0), "came"))).isEqualTo(ErrorCode.RETRY_LATER);
        take(client, step(peer, 1, 0), "came");
        take(client, step(peer, 2, MigrationData.FLAG_SEAL), "");
        client.await(client.call(MessageType.END_MIGRATION, new EndMigration(CREATOR, 1, true, 9)));
        assertRead(client, step(peer, 0, 0).startCid(), "came");
    }

    /** The first step makes a table for the chunks of their creator. */
    @Test
    void take_noRoomForTheTableAtTheMoment_isTakenLater() {
        peer.superPeer.place();
        peer.ready();
        peer.superPeer.zone =
                new Placement(AnsweringSuperPeer.STORAGE_NID, new int[0], 1, CREATOR << 15 | 1, PlacementState.IN_SYNC);
        RawClient client = peer.client();
        refuseAnInsert();

        assertThat(client.errorOf(send(client, step(peer, 0, 0), "came"))).isEqualTo(ErrorCode.RETRY_LATER);
        take(client, step(peer, 0, 0), "came");
        take(client, step(peer, 1, MigrationData.FLAG_SEAL), "");
        client.await(client.call(MessageType.END_MIGRATION, new EndMigration(CREATOR, 1, true, 9)));
        assertRead(client, step(peer, 0, 0).startCid(), "came");
    }

    private void refuseAnInsert() {
        OutOfChunkMemoryException full = passing();
        peer.beforeInserts = () -> {
            peer.beforeInserts = () -> {};
            throw full;
        };
    }

    /** Returns what a memory throws while it is defragmented: most of it is free, but in small pieces. */
    private static OutOfChunkMemoryException passing() {
        try (ChunkMemory memory = ChunkMemories.open(ChunkMemoryConfig.of(1, 4 << 20)
                .withLayout(MemoryLayout.CLASSIC)
                .withSystem(SystemMemoryConfig.defaults().withHugePages(false)))) {
            MemorySegment value = MemorySegment.ofArray(new byte[40]);
            long count = fill(memory, value);
            for (long i = 0; i < count; i++) {
                if (i % 4 != 0) {
                    memory.delete(Cid.of(CREATOR, i + 1));
                }
            }
            memory.limitReclaim(() -> 0);
            memory.insert(Cid.of(CREATOR, count + 1), MemorySegment.ofArray(new byte[LARGE * 2]), 0, LARGE * 2);
            throw new AssertionError("there is room");
        } catch (OutOfChunkMemoryException e) {
            assertThat(e.isPassing()).isTrue();
            return e;
        }
    }

    private static long fill(ChunkMemory memory, MemorySegment value) {
        long count = 0;
        try {
            while (memory.insert(Cid.of(CREATOR, count + 1), value, 0, (int) value.byteSize())) {
                count++;
            }
        } catch (OutOfChunkMemoryException e) {
            assertThat(e.isPassing()).isFalse();
        }
        return count;
    }

    private RawClient startAsTarget() {
        peer.superPeer.leaseNanos = 3_000 * MILLI;
        peer.superPeer.place();
        peer.ready();
        peer.superPeer.zone =
                new Placement(AnsweringSuperPeer.STORAGE_NID, new int[0], 1, CREATOR << 15 | 1, PlacementState.IN_SYNC);
        RawClient client = peer.client();
        take(client, step(peer, 0, 0), "came");
        take(client, step(peer, 1, MigrationData.FLAG_SEAL), "");
        return client;
    }

    @Test
    void take_sourceHasStoppedReading_servesAtOnce() {
        RawClient client = startAsTarget();
        take(client, step(peer, 1, MigrationData.FLAG_READ), "");
        client.await(client.call(MessageType.END_MIGRATION, new EndMigration(CREATOR, 1, true, 9)));

        assertRead(client, step(peer, 0, 0).startCid(), "came");
    }

    @Test
    void take_sourceMayBeReading_servesWhenThatIsOverAndPromisesNoMore() {
        RawClient client = startAsTarget();
        take(client, step(peer, 1, MigrationData.FLAG_READ), "");
        // Nothing comes any more, so the target asks the arc. As long as the source renews its reads, it does not ask.
        peer.advance(240 * MILLI);
        take(client, step(peer, 1, MigrationData.FLAG_READ), "");
        long granted = peer.world.nowNanos();
        peer.superPeer.migration = MigrationState.COMMITTED;
        CompletableFuture<List<RawClient.Got>> get =
                client.getLater(step(peer, 0, 0).startCid());

        assertThat(new String(client.await(get).getFirst().payload(), UTF_8)).isEqualTo("came");
        assertThat(peer.world.nowNanos() - granted).isGreaterThanOrEqualTo(MigrationData.READ_GRANT_NANOS);
        assertThat(client.errorOf(send(client, step(peer, 1, MigrationData.FLAG_READ), "")))
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void take_leaseMayEndBeforeThePromise_promisesNothing() {
        RawClient client = startAsTarget();
        peer.cutSuperPeer();
        peer.advance(2_900 * MILLI);

        assertThat(client.errorOf(send(client, step(peer, 1, MigrationData.FLAG_READ), "")))
                .isEqualTo(ErrorCode.RETRY_LATER);
    }

    @Test
    void take_nobodyGoesOnWithAMigrationThatTheArcDoesNotKnow_isForgotten() {
        peer.superPeer.place();
        peer.ready();
        peer.superPeer.zone =
                new Placement(AnsweringSuperPeer.STORAGE_NID, new int[0], 1, CREATOR << 15 | 1, PlacementState.IN_SYNC);
        RawClient client = peer.client();
        take(client, step(peer, 0, 0), "came");
        peer.advance(30_000 * MILLI);
        take(client, step(peer, 0, 0), "came");

        peer.advance(62_000 * MILLI);

        assertThat(client.errorOf(send(client, step(peer, 1, 0), ""))).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(peer.memory().sizeOf(step(peer, 0, 0).startCid())).isNegative();
    }
}
