package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.MigrationMessages.RunMigrationReply;
import dev.granary.net.message.MigrationMessages.Survey;
import dev.granary.net.message.MigrationMessages.SurveyReply;
import dev.granary.net.message.MigrationMessages.SurveyReply.Piece;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.migrate.GroupMoves;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A slot group moves as a whole, with more LIDs than other migrations have, of which few have a chunk: how a
 * {@code Surveyor} counts it, and how {@code ChunkPages} pass over what is not there.
 */
class SlotGroupMigrationTest {

    private static final int NID = AnsweringSuperPeer.STORAGE_NID;
    private static final int SOURCE = 0xB000;
    private static final int TARGET = 0x9000;
    private static final HostAddress TARGET_ADDRESS = new HostAddress("target", 7500);
    private static final int GROUP = SlotGroup.nid(21);
    private static final int LIDS = 1 << 20;
    private static final long FIRST = Cid.firstOf(GROUP);
    private static final long LAST = Cid.of(GROUP, LIDS);
    private static final int PAGE_LIDS = 512;
    private static final long MILLI = 1_000_000;

    private final NodeFixture peer = new NodeFixture();
    private final Map<Long, String> arrived = new TreeMap<>();
    private final List<Boolean> ends = new ArrayList<>();
    private final List<String> moves = new ArrayList<>();
    private int steps;

    @AfterEach
    void close() {
        peer.close();
        assertThat(peer.failures).isEmpty();
    }

    /** The owner of the group as a door knows it. */
    private int owner() {
        return peer.node().keyed().orElseThrow().owners().owner(21);
    }

    /** Notes what a door would be told. */
    private GroupMoves noting() {
        return new GroupMoves() {
            @Override
            public void begun(int group) {
                moves.add(group + " begins to leave");
            }

            @Override
            public void came(int group, long epoch) {
                moves.add(group + " has come with epoch " + epoch);
            }

            @Override
            public void ended(int group, int ownerNid, long epoch) {
                moves.add(group + (ownerNid == Nid.NONE ? " stays" : " has left to " + Nid.toHex(ownerNid)));
                assertThat(epoch > 0).isEqualTo(ownerNid != Nid.NONE);
            }
        };
    }

    private RawClient started() {
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 5);
        identity.joinCluster(peer.superPeer.clusterId);
        identity.takeNid(TARGET);
        peer.world.node("target").restart(started -> {
            var _ = started.transport().listen(TARGET_ADDRESS, new RpcServer(identity, this::answerAsTarget));
        });
        peer.superPeer.place();
        peer.moves = noting();
        peer.ready();
        peer.superPeer.zone = new Placement(NID, new int[0], 1, BackupZone.id(GROUP, 1), PlacementState.IN_SYNC);
        return peer.client();
    }

    private void answerAsTarget(RpcRequest request) {
        if (request.type() == MessageType.END_MIGRATION.code()) {
            ends.add(request.read(MessageType.END_MIGRATION).committed());
        } else {
            MigrationData header = MigrationData.read(request.payload());
            if ((header.flags() & MigrationData.FLAG_READ) == 0) {
                steps++;
                keep(request.payload());
            }
        }
        request.reply(new Empty());
    }

    private void keep(ByteBuf in) {
        long[] cids = new long[in.readIntLE()];
        int[] sizes = new int[cids.length];
        for (int i = 0; i < cids.length; i++) {
            cids[i] = in.readLongLE();
        }
        for (int i = 0; i < cids.length; i++) {
            sizes[i] = in.readIntLE();
        }
        for (int i = 0; i < cids.length; i++) {
            arrived.put(cids[i], in.readString(sizes[i], UTF_8));
        }
    }

    private CompletableFuture<Boolean> send(RawClient client, MigrationData header, long... cids) {
        return client.send(
                MessageType.MIGRATION_DATA,
                out -> {
                    header.writeTo(out);
                    out.writeIntLE(cids.length);
                    for (long cid : cids) {
                        out.writeLongLE(cid);
                    }
                    for (int i = 0; i < cids.length; i++) {
                        out.writeIntLE(1);
                    }
                    for (int i = 0; i < cids.length; i++) {
                        out.writeByte('a' + i);
                    }
                    out.writeIntLE(0).writeLongLE(0).writeIntLE(0);
                },
                in -> true);
    }

    private MigrationData header(long endCid, int step, int flags) {
        return new MigrationData(GROUP, 1, FIRST, endCid, SOURCE, peer.superPeer.epoch, step, flags);
    }

    private void take(RawClient client, int step, int flags, long... cids) {
        for (int attempt = 0; attempt < 10; attempt++) {
            CompletableFuture<Boolean> taken = send(client, header(LAST, step, flags), cids);
            peer.advanceUntil(taken::isDone);
            if (!taken.isCompletedExceptionally()) {
                return;
            }
            peer.advance(50 * MILLI);
        }
        throw new AssertionError("step " + step + " is not taken");
    }

    /** Lets the group come with these chunks: "a", "b" and so on. */
    private void come(RawClient client, long... cids) {
        take(client, 0, 0, cids);
        take(client, 1, MigrationData.FLAG_SEAL);
        client.await(client.call(MessageType.END_MIGRATION, new EndMigration(GROUP, 1, true, 5)));
    }

    private static List<Piece> piecesOf(RawClient client) {
        List<Piece> found = new ArrayList<>();
        long from = 0;
        do {
            SurveyReply reply = client.await(client.call(MessageType.SURVEY, new Survey(from, -1L, 1 << 16)));
            reply.pieces().stream()
                    .filter(piece -> Cid.nid(piece.startCid()) == GROUP)
                    .forEach(found::add);
            from = reply.nextCid();
        } while (from != 0);
        return found;
    }

    /** An order to move what is not there would be refused, and the drain would never end. */
    @Test
    void survey_peerHasCreatedNoChunk_hasNothingOfItsOwn() {
        RawClient client = started();
        SurveyReply reply = client.await(client.call(MessageType.SURVEY, new Survey(0, -1L, 1 << 16)));
        assertThat(reply.pieces()).isEmpty();
        assertThat(reply.nextCid()).isZero();
    }

    @Test
    void survey_groupWithManyLids_isOnePieceCountedFromSomeOfItsPages() {
        RawClient client = started();
        // Of 2,048 pages every eighth is looked at: the first and the ninth, not the second.
        come(client, FIRST, FIRST + PAGE_LIDS, FIRST + 8 * PAGE_LIDS);
        assertThat(piecesOf(client)).containsExactly(new Piece(FIRST, LAST, 16, 16));
    }

    @Test
    void move_groupWithFewChunks_takesFewStepsAndLeavesNothing() {
        RawClient client = started();
        come(client, FIRST, FIRST + 700_000, LAST);
        RunMigration order = new RunMigration(GROUP, 2, FIRST, LAST, peer.superPeer.epoch, TARGET, 1, TARGET_ADDRESS);
        assertThat(moves).containsExactly("21 has come with epoch 5");
        assertThat(owner()).as("clients are not sent back to the source").isEqualTo(NID);
        RunMigrationReply begun = client.await(client.call(MessageType.RUN_MIGRATION, order));
        assertThat(begun.failed()).isFalse();
        assertThat(moves).endsWith("21 begins to leave");

        peer.advanceUntil(() -> ends.contains(true));
        assertThat(owner())
                .as("clients are not sent to a target that may not know yet")
                .isEqualTo(NID);
        peer.advance(100 * MILLI);

        assertThat(arrived)
                .containsExactly(Map.entry(FIRST, "a"), Map.entry(FIRST + 700_000, "b"), Map.entry(LAST, "c"));
        assertThat(steps).isLessThan(30);
        for (long cid : new long[] {FIRST, FIRST + 700_000, LAST}) {
            assertThat(peer.memory().sizeOf(cid)).isEqualTo(ChunkMemory.ABSENT);
        }
        assertThat(piecesOf(client)).isEmpty();
        assertThat(client.await(client.call(MessageType.RUN_MIGRATION, order)).failed())
                .isFalse();
        // The order that came again is no other migration.
        peer.advanceUntil(() -> moves.size() == 3);
        assertThat(moves).containsExactly("21 has come with epoch 5", "21 begins to leave", "21 has left to 0x9000");
        assertThat(owner()).as("before a super-peer was asked").isEqualTo(TARGET);
    }

    @Test
    void move_targetDoesNotTakeTheGroup_isToldAsStaying() {
        RawClient client = started();
        come(client, FIRST);
        peer.world.network().cutBoth("target", "peer");
        RunMigration order = new RunMigration(GROUP, 2, FIRST, LAST, peer.superPeer.epoch, TARGET, 1, TARGET_ADDRESS);
        client.await(client.call(MessageType.RUN_MIGRATION, order));
        peer.advanceUntil(() -> moves.size() == 3);
        assertThat(moves).containsExactly("21 has come with epoch 5", "21 begins to leave", "21 stays");
    }

    @Test
    void move_moreLidsThanAGroupHas_isRefused() {
        RawClient client = started();
        long beyond = FIRST + SlotGroup.MAX_LIDS;
        assertThat(client.errorOf(send(client, header(beyond, 0, 0)))).isEqualTo(ErrorCode.BAD_REQUEST);
        RunMigration order = new RunMigration(GROUP, 2, FIRST, beyond, peer.superPeer.epoch, TARGET, 1, TARGET_ADDRESS);
        RunMigrationReply refused = client.await(client.call(MessageType.RUN_MIGRATION, order));
        assertThat(refused.failed()).isTrue();
        assertThat(refused.note()).contains("more than 16777216 LIDs");
    }
}
