package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Scheduler;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.MigrationMessages.RunMigrationReply;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An {@code OutgoingMigration} to a target that keeps what it is sent: who has the chunks in the end, and with which
 * contents.
 */
class OutgoingMigrationTest {

    private static final int NID = AnsweringSuperPeer.STORAGE_NID;
    private static final int TARGET = 0x9000;
    private static final HostAddress TARGET_ADDRESS = new HostAddress("target", 7500);
    private static final long MILLI = 1_000_000;

    private final NodeFixture peer = new NodeFixture();

    /** What the target has. */
    private final Map<Long, String> arrived = new TreeMap<>();

    /** The steps that the target was sent, with all their bytes; repetitions too. */
    private final List<String> sent = new ArrayList<>();

    /** What the target was told of the end. */
    private final List<Boolean> ends = new ArrayList<>();

    /** Answers a step in place of the target, or keeps silent, and returns whether it does. */
    private BiPredicate<RpcRequest, MigrationData> instead = (request, header) -> false;

    private long answerNanos;
    private @Nullable Scheduler targetScheduler;
    private boolean sealed;

    @AfterEach
    void close() {
        peer.close();
        assertThat(peer.failures).isEmpty();
    }

    private RawClient started() {
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 5);
        identity.joinCluster(peer.superPeer.clusterId);
        identity.takeNid(TARGET);
        peer.world.node("target").restart(started -> {
            targetScheduler = started.environment().scheduler();
            var _ = started.transport().listen(TARGET_ADDRESS, new RpcServer(identity, this::answer));
        });
        peer.ready();
        return peer.client();
    }

    private void answer(RpcRequest request) {
        if (request.type() == MessageType.END_MIGRATION.code()) {
            ends.add(request.read(MessageType.END_MIGRATION).committed());
            request.reply(new Empty());
            return;
        }
        String bytes = ByteBufUtil.hexDump(request.payload());
        MigrationData header = MigrationData.read(request.payload());
        boolean asksToRead = (header.flags() & MigrationData.FLAG_READ) != 0;
        if (!asksToRead) {
            sent.add(bytes);
        }
        if (instead.test(request, header)) {
            return;
        }
        if (!asksToRead) {
            keep(request.payload());
            sealed |= (header.flags() & MigrationData.FLAG_SEAL) != 0;
        }
        scheduler().schedule(answerNanos, () -> request.reply(new Empty()));
    }

    private Scheduler scheduler() {
        return Objects.requireNonNull(targetScheduler);
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
            if (sizes[i] == MigrationData.NO_CHUNK) {
                arrived.remove(cids[i]);
            } else {
                arrived.put(cids[i], in.readString(sizes[i], UTF_8));
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private RunMigrationReply run(RawClient client, long[] cids) {
        RunMigration order = new RunMigration(
                NID, 1, cids[0], cids[cids.length - 1], peer.superPeer.epoch, TARGET, 1, TARGET_ADDRESS);
        return client.await(client.call(MessageType.RUN_MIGRATION, order));
    }

    private long[] leaving(RawClient client) {
        long[] cids = client.create(bytes("one"), bytes("two"), bytes("three"));
        run(client, cids);
        return cids;
    }

    private void assertStays(RawClient client, long[] cids, String why) {
        RunMigrationReply outcome = run(client, cids);
        assertThat(outcome.failed()).isTrue();
        assertThat(outcome.note()).contains(why);
        assertThat(client.put(new long[] {cids[0]}, bytes("ONE"))).containsExactly(ChunkStatus.OK);
        assertThat(new String(client.get(cids[1]).getFirst().payload(), UTF_8)).isEqualTo("two");
        peer.advance(200 * MILLI);
        assertThat(ends).as("what the target was told").containsExactly(false);
    }

    private boolean hasLeft(RawClient client, long cid) {
        return client.get(cid).getFirst().result() == -ChunkStatus.WRONG_OWNER;
    }

    @Test
    void move_chunksAreChangedMeanwhile_targetHasWhatWasAcknowledged() {
        long seed = 11;
        Random random = new Random(seed);
        RawClient client = started();
        // Each step takes its time, so that many changes fall into the move.
        answerNanos = 50 * MILLI;
        byte[][] values = new byte[300][];
        for (int i = 0; i < values.length; i++) {
            values[i] = bytes(("value " + i + " ").repeat(300));
        }
        long[] cids = client.create(values);
        Map<Long, String> model = new TreeMap<>();
        for (int i = 0; i < cids.length; i++) {
            model.put(cids[i], new String(values[i], UTF_8));
        }
        run(client, cids);

        int changed = 0;
        for (int status = ChunkStatus.OK; status != ChunkStatus.WRONG_OWNER; ) {
            long cid = cids[random.nextInt(cids.length)];
            boolean deletes = random.nextInt(3) == 0;
            String value = "change " + random.nextInt();
            status = deletes ? client.delete(cid)[0] : client.put(new long[] {cid}, bytes(value))[0];
            if (status == ChunkStatus.OK) {
                changed++;
                model.computeIfPresent(cid, (key, old) -> deletes ? null : value);
            }
        }

        assertThat(changed).as("changes during the move").isGreaterThan(5);
        assertThat(peer.sample("granary_storage_migrated_chunks_total", "direction", "out"))
                .isGreaterThanOrEqualTo(cids.length);
        assertThat(peer.sample("granary_storage_migrated_bytes_total", "direction", "out"))
                .isGreaterThan(values.length * 300.0);
        assertThat(sealed).isTrue();
        assertThat(arrived).as("seed %d", seed).isEqualTo(model);
        peer.advance(200 * MILLI);
        assertThat(ends).containsExactly(true);
        assertThat(run(client, cids).failed()).isFalse();
    }

    @Test
    void step_answersAreLost_isSentAgainWithTheSameBytes() {
        RawClient client = started();
        instead = (request, header) -> header.step() == 0 && sent.size() < 3;
        long[] cids = leaving(client);
        // The chunk changes between the attempts; the change belongs to a later step.
        peer.advanceUntil(() -> sent.size() == 1);
        client.put(new long[] {cids[0]}, bytes("ONE"));
        peer.advanceUntil(() -> !ends.isEmpty());

        assertThat(Collections.frequency(sent, sent.getFirst())).isEqualTo(3);
        assertThat(arrived).containsEntry(cids[0], "ONE").containsEntry(cids[2], "three");
        assertThat(hasLeft(client, cids[0])).isTrue();
    }

    @Test
    void step_targetRefusesForGood_isNotRepeatedAndTheChunksStay() {
        RawClient client = started();
        instead = (request, header) -> {
            request.fail(ErrorCode.OUT_OF_MEMORY, "no room for 3 chunks");
            return true;
        };
        long[] cids = leaving(client);
        peer.advanceUntil(() -> !ends.isEmpty());

        assertThat(sent).hasSize(1);
        assertThat(peer.sample("granary_storage_migrations_total", "outcome", "kept"))
                .isEqualTo(1);
        assertThat(peer.sample("granary_storage_migrations_running", "direction", "out"))
                .isZero();
        assertStays(client, cids, "no room for 3 chunks");
        assertThat(run(client, cids).note()).contains("9000");
    }

    @Test
    void step_targetIsSilent_givesUpAfterTenRepetitions() {
        RawClient client = started();
        instead = (request, header) -> true;
        long[] cids = leaving(client);
        peer.advanceUntil(() -> !ends.isEmpty());

        assertThat(sent).hasSize(11);
        assertStays(client, cids, "does not take the chunks");
    }

    @Test
    void commit_arcHasAborted_chunksStayAndChangesThatWaitedAreCarriedOut() {
        RawClient client = started();
        peer.superPeer.committing = false;
        long[] cids = leaving(client);
        peer.advanceUntil(() -> peer.superPeer.received.contains("commit-migration"));
        CompletableFuture<int[]> put = client.putLater(++client.sequence, new long[] {cids[2]}, bytes("THREE"));
        peer.advance(100 * MILLI);
        assertThat(put).isNotDone();
        peer.superPeer.decision = MigrationState.ABORTED;
        peer.superPeer.committing = true;

        assertThat(client.await(put)).containsExactly(ChunkStatus.OK);
        assertStays(client, cids, "it was aborted");
    }

    @Test
    void commit_arcHasNotDecided_isAskedForAgain() {
        RawClient client = started();
        peer.superPeer.decision = MigrationState.RUNNING;
        long[] cids = leaving(client);
        peer.advanceUntil(() -> Collections.frequency(peer.superPeer.received, "commit-migration") > 5);
        assertThat(hasLeft(client, cids[0])).isFalse();
        peer.superPeer.decision = MigrationState.COMMITTED;

        peer.advanceUntil(() -> hasLeft(client, cids[0]));
    }

    @Test
    void end_arcHasAbortedWhileChunksAreCopied_chunksStay() {
        RawClient client = started();
        instead = (request, header) -> true;
        long[] cids = leaving(client);
        client.await(client.call(MessageType.END_MIGRATION, new EndMigration(NID, 1, false, 0)));

        assertStays(client, cids, "it was aborted");
        assertThat(peer.superPeer.received).doesNotContain("commit-migration");
    }

    /** An old message may say so although the arc has committed: from then on only the arc's own answer counts. */
    @Test
    void end_abortIsToldAfterTheCommitWasAskedFor_onlyTheArcsAnswerCounts() {
        RawClient client = started();
        peer.superPeer.committing = false;
        long[] cids = leaving(client);
        peer.advanceUntil(() -> peer.superPeer.received.contains("commit-migration"));
        client.await(client.call(MessageType.END_MIGRATION, new EndMigration(NID, 1, false, 0)));
        CompletableFuture<int[]> put = client.putLater(++client.sequence, new long[] {cids[0]}, bytes("ONE"));
        peer.advance(300 * MILLI);
        assertThat(put).isNotDone();
        peer.superPeer.committing = true;

        assertThat(client.await(put)).containsExactly(ChunkStatus.WRONG_OWNER);
        assertThat(arrived).containsEntry(cids[0], "one");
    }

    /** Without a lease another peer may have recovered the chunks. */
    @Test
    void seal_leaseEndsMeanwhile_commitIsNotAskedFor() {
        RawClient client = started();
        boolean[] late = {true};
        instead = (request, header) -> {
            boolean refuses = late[0] && (header.flags() & MigrationData.FLAG_SEAL) != 0;
            if (refuses) {
                request.fail(ErrorCode.RETRY_LATER, "not synced yet");
            }
            return refuses;
        };
        long[] cids = leaving(client);
        peer.advance(200 * MILLI);
        peer.cutSuperPeer();
        peer.advance(2 * peer.superPeer.leaseNanos);
        late[0] = false;
        peer.advanceUntil(() -> !ends.isEmpty());

        assertThat(sealed).isTrue();
        assertThat(ends).containsExactly(false);
        assertThat(peer.superPeer.received).doesNotContain("commit-migration");
        RunMigrationReply outcome = run(client, cids);
        assertThat(outcome.failed()).isTrue();
        assertThat(outcome.note()).contains("lease");
    }
}
