package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.GranaryException;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.StorageFullException;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.client.admin.BackupCalls;
import dev.granary.client.admin.RestoredChunks;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HibernationMessages.RestorePeer;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RangeMessages.CreatorList.Creator;
import dev.granary.net.message.RangeMessages.ListCreators;
import dev.granary.net.message.RestoreMessages.BeginRestore;
import dev.granary.net.message.RestoreMessages.RestoreCreator;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The {@link BackupCalls} of a cluster whose storage peer keeps what is restored to it. */
class BackupCallsTest {

    private static final int TARGET = ScriptedCluster.STORAGE_NID;
    private static final int CREATOR = 0x4000;
    private static final MigrationReply BEGUN = new MigrationReply(CREATOR, 7, MigrationState.RUNNING, 0, "");

    private final ScriptedCluster cluster = new ScriptedCluster(3);

    /** What the super-peers and the storage peer were asked, in order. */
    private final List<Object> asked = new ArrayList<>();

    private final List<MigrationData> steps = new ArrayList<>();
    private final Map<Long, byte[]> restored = new TreeMap<>();
    private final ArrayDeque<ErrorReply> refusals = new ArrayDeque<>();
    private MigrationReply decision = new MigrationReply(CREATOR, 7, MigrationState.COMMITTED, 5, "");
    private boolean answersEnd = true;
    private final BackupCalls calls;

    BackupCallsTest() {
        cluster.superPeer = this::answerAsSuperPeer;
        cluster.storage = this::answerAsTarget;
        calls = AsyncClusterAdmin.of(cluster.client(ScriptedCluster.options())).backups();
    }

    private boolean answerAsSuperPeer(RpcRequest request) {
        if (request.type() == MessageType.BEGIN_RESTORE.code()) {
            asked.add(request.read(MessageType.BEGIN_RESTORE));
            request.reply(BEGUN);
        } else if (request.type() == MessageType.COMMIT_MIGRATION.code()) {
            asked.add(request.read(MessageType.COMMIT_MIGRATION));
            request.reply(decision);
        } else if (request.type() == MessageType.ABORT_MIGRATION.code()) {
            asked.add(request.read(MessageType.ABORT_MIGRATION));
            request.reply(new MigrationReply(CREATOR, 7, MigrationState.ABORTED, 0, ""));
        } else {
            return false;
        }
        return true;
    }

    private boolean answerAsTarget(RpcRequest request) {
        if (request.type() == MessageType.END_MIGRATION.code()) {
            asked.add(request.read(MessageType.END_MIGRATION));
            if (answersEnd) {
                request.reply(new Empty());
            }
            return true;
        }
        if (request.type() != MessageType.MIGRATION_DATA) {
            return false;
        }
        ByteBuf in = request.payload();
        steps.add(MigrationData.read(in));
        ErrorReply refusal = refusals.poll();
        if (refusal != null) {
            request.fail(refusal);
            return true;
        }
        keep(in);
        request.reply(new Empty());
        return true;
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
            byte[] value = new byte[sizes[i]];
            in.readBytes(value);
            restored.put(cids[i], value);
        }
        // Neither completion records nor lock tokens.
        assertThat(in.readIntLE()).isZero();
        assertThat(in.readLongLE()).isZero();
        assertThat(in.readIntLE()).isZero();
        assertThat(in.isReadable()).isFalse();
    }

    private static RestoredChunks chunks(int count, int sizeBytes) {
        long[] cids = new long[count];
        int[] sizes = new int[count];
        for (int i = 0; i < count; i++) {
            cids[i] = Cid.of(CREATOR, 10 + 2L * i);
            sizes[i] = sizeBytes;
        }
        byte[] payload = new byte[count * sizeBytes];
        new Random(3).nextBytes(payload);
        return new RestoredChunks(Cid.of(CREATOR, 1), Cid.of(CREATOR, 1 << 20), cids, sizes, payload);
    }

    private void assertRestored(RestoredChunks chunks, int sizeBytes) {
        assertThat(restored).hasSize(chunks.cids().length);
        for (int i = 0; i < chunks.cids().length; i++) {
            assertThat(restored.get(chunks.cids()[i]))
                    .isEqualTo(Arrays.copyOfRange(chunks.payload(), i * sizeBytes, (i + 1) * sizeBytes));
        }
    }

    private <T extends Record> List<T> asked(Class<T> type) {
        return asked.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static List<Boolean> seals(List<MigrationData> steps) {
        return steps.stream()
                .map(step -> (step.flags() & MigrationData.FLAG_SEAL) != 0)
                .toList();
    }

    private static void assertFails(
            ScriptedCluster in, CompletableFuture<?> future, Class<? extends Throwable> type, String why) {
        assertThatThrownBy(() -> in.await(future))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(type)
                .hasMessageContaining(why);
    }

    @Test
    void restore_manyChunks_allComeInStepsOfWhichTheLastSeals() {
        RestoredChunks chunks = chunks(10_000, 10);
        cluster.await(calls.restore(chunks, TARGET));

        assertRestored(chunks, 10);
        assertThat(steps).extracting(MigrationData::step).containsExactly(0, 1, 2);
        assertThat(seals(steps)).containsExactly(false, false, true);
        assertThat(steps).allSatisfy(step -> {
            assertThat(step.number()).isEqualTo(7);
            assertThat(step.startCid()).isEqualTo(chunks.startCid());
            assertThat(step.endCidInclusive()).isEqualTo(chunks.endCidInclusive());
            assertThat(step.targetEpoch()).as("the incarnation of the target").isEqualTo(1);
        });
        assertThat(asked).first().isEqualTo(new BeginRestore(chunks.startCid(), chunks.endCidInclusive(), TARGET));
        assertThat(asked).last().isEqualTo(new EndMigration(CREATOR, 7, true, 5));
    }

    @Test
    void restore_largeChunks_aStepHasNotManyOfThem() {
        RestoredChunks chunks = chunks(9, 100_000);
        cluster.await(calls.restore(chunks, TARGET));

        assertRestored(chunks, 100_000);
        assertThat(steps).hasSize(3);
    }

    @Test
    void restore_rangeWithoutChunks_isSealedAndCommitted() {
        cluster.await(calls.restore(chunks(0, 0), TARGET));

        assertThat(seals(steps)).containsExactly(true);
        assertThat(asked).last().isEqualTo(new EndMigration(CREATOR, 7, true, 5));
    }

    @Test
    void restore_targetTakesAStepLater_isSentAgainAsTheSameStep() {
        refusals.add(ErrorReply.retryLater(1_000_000, "its backups do not keep up"));
        RestoredChunks chunks = chunks(5000, 10);
        cluster.await(calls.restore(chunks, TARGET));

        assertThat(steps).extracting(MigrationData::step).containsExactly(0, 0, 1);
        assertRestored(chunks, 10);
    }

    @Test
    void restore_targetHasNoRoom_abortsAndSaysWhy() {
        refusals.add(ErrorReply.of(ErrorCode.OUT_OF_MEMORY, "all 64 MiB are used"));
        assertFails(cluster, calls.restore(chunks(5000, 10), TARGET), StorageFullException.class, "64 MiB");

        assertThat(asked)
                .extracting(each -> each.getClass().getSimpleName())
                .containsExactly("BeginRestore", "AbortMigration");
    }

    @Test
    void restore_arcDoesNotCommit_failsWithItsNote() {
        decision = new MigrationReply(CREATOR, 7, MigrationState.ABORTED, 0, "the target has lost its lease");
        assertFails(
                cluster, calls.restore(chunks(3, 10), TARGET), GranaryException.class, "the target has lost its lease");
        assertThat(asked(EndMigration.class)).isEmpty();
    }

    /** The target asks the arc by itself. */
    @Test
    void restore_targetDoesNotAnswerTheEnd_isRestoredAllTheSame() {
        answersEnd = false;
        cluster.await(calls.restore(chunks(3, 10), TARGET));

        assertThat(asked(EndMigration.class)).hasSize(1);
    }

    @Test
    void creators_threeArcs_eachPlaceOfTheRingIsAskedForOnceAndTheAnswersAreSorted() {
        List<ListCreators> arcs = new ArrayList<>();
        List<Creator> all =
                List.of(new Creator(0x9000, 1, 5, 0), new Creator(0x2000, 1, 5, 0), new Creator(0xF000, 1, 5, 3));
        cluster.superPeer = request -> {
            if (request.type() != MessageType.LIST_CREATORS.code()) {
                return false;
            }
            ListCreators list = request.read(MessageType.LIST_CREATORS);
            arcs.add(list);
            request.reply(new CreatorList(
                    all.stream().filter(each -> contains(list, each.nid())).toList()));
            return true;
        };
        List<Creator> creators = cluster.await(calls.creators());

        assertThat(creators).extracting(Creator::nid).containsExactly(0x2000, 0x9000, 0xF000);
        assertThat(arcs).hasSize(3);
        for (int nid = 0; nid <= Nid.MAX; nid++) {
            int place = nid;
            assertThat(arcs.stream().filter(arc -> contains(arc, place)).count())
                    .as(Nid.toHex(nid))
                    .isEqualTo(1);
        }
    }

    private static boolean contains(ListCreators arc, int nid) {
        return arc.fromExclusive() < arc.toInclusive()
                ? nid > arc.fromExclusive() && nid <= arc.toInclusive()
                : nid > arc.fromExclusive() || nid <= arc.toInclusive();
    }

    /** Answers restorePeer's question to the arc with an error, or with success for {@code null}. */
    private void arcAnswers(ErrorCode... codes) {
        ArrayDeque<ErrorCode> answers = new ArrayDeque<>(List.of(codes));
        cluster.superPeer = request -> {
            if (request.type() != MessageType.RESTORE_CREATOR.code()) {
                return false;
            }
            asked.add(request.read(MessageType.RESTORE_CREATOR));
            ErrorCode code = answers.poll();
            if (code == null) {
                request.reply(new Empty());
            } else {
                request.fail(code, "answer of the arc");
            }
            return true;
        };
    }

    private void peerAnswers(boolean answers) {
        cluster.storage = request -> {
            if (request.type() != MessageType.RESTORE_PEER.code()) {
                return false;
            }
            asked.add(request.read(MessageType.RESTORE_PEER));
            if (answers) {
                request.reply(new Empty());
            }
            return true;
        };
    }

    @Test
    void restorePeer_arcDoesNotKnowItYet_thePeerIsTold() {
        arcAnswers(ErrorCode.UNKNOWN_LEASE);
        peerAnswers(true);
        cluster.await(calls.restorePeer(TARGET, 500, 42));

        assertThat(asked).containsExactly(new RestoreCreator(TARGET, 0, 500, 42), new RestorePeer(500, 42));
    }

    /** A second order would begin a third incarnation. */
    @Test
    void restorePeer_itsAnswerIsLostButTheArcKnowsIt_isNotToldTwice() {
        arcAnswers(ErrorCode.UNKNOWN_LEASE);
        peerAnswers(false);
        cluster.await(calls.restorePeer(TARGET, 500, 42));

        assertThat(asked(RestorePeer.class)).hasSize(1);
        assertThat(asked(RestoreCreator.class)).hasSize(2);
    }

    @Test
    void restorePeer_arcRefuses_failsAndThePeerIsNotTold() {
        arcAnswers(ErrorCode.BAD_REQUEST);
        peerAnswers(true);
        assertFails(cluster, calls.restorePeer(TARGET, 500, 42), InvalidRequestException.class, "answer of the arc");
        assertThat(asked(RestorePeer.class)).isEmpty();
    }

    @Test
    void restoreCreator_noStoragePeer_onlyItsArcIsAsked() {
        arcAnswers();
        peerAnswers(true);
        cluster.await(calls.restoreCreator(0x2000, 500, 42));

        assertThat(asked).containsExactly(new RestoreCreator(0x2000, 0, 500, 42));
    }
}
