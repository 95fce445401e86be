package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.ChunkOutcome;
import dev.granary.client.ClientOptions;
import dev.granary.client.DeadlineExceededException;
import dev.granary.client.Durability;
import dev.granary.client.internal.ScriptedCluster.Change;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How changes of many chunks are cut into requests, and the header of each request. */
class ChangeBatchTest {

    private static final int CHUNKS = 4;
    private static final int BYTES = 1024;

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final BatchContext context = cluster.client(options()).context();

    private static ClientOptions options() {
        return ScriptedCluster.options().toBuilder()
                .requestChunks(CHUNKS)
                .requestBytes(BYTES)
                .build();
    }

    private static long[] cids(int count) {
        return LongStream.rangeClosed(1, count)
                .map(lid -> Cid.of(ScriptedCluster.STORAGE_NID, lid))
                .toArray();
    }

    private ChunkOutcome[] put(BatchContext of, int... sizes) {
        List<byte[]> values = new ArrayList<>();
        for (int size : sizes) {
            values.add(new byte[size]);
        }
        return run(of, cids(sizes.length), ChunkSource.of(values));
    }

    private ChunkOutcome[] delete(int count) {
        return run(context, cids(count), null);
    }

    private ChunkOutcome[] run(BatchContext of, long[] cids, @Nullable ChunkSource source) {
        long deadline = of.retry().deadlineAfter(TimeUnit.SECONDS.toNanos(5));
        return cluster.await(new ChangeBatch(of, cids, source, deadline).run());
    }

    private List<Integer> counts() {
        return cluster.changes.stream()
                .map(change -> change.header().count())
                .sorted()
                .toList();
    }

    @Test
    void run_nothing_asksNobody() {
        assertThat(delete(0)).isEmpty();
        assertThat(cluster.changes).isEmpty();
    }

    @Test
    void run_moreChunksThanARequestHas_areCutAndAllAnswered() {
        assertThat(delete(2 * CHUNKS + 1)).hasSize(2 * CHUNKS + 1).containsOnly(ChunkOutcome.OK);
        assertThat(counts()).containsExactly(1, CHUNKS, CHUNKS);
        assertThat(cluster.changes).extracting(Change::type).containsOnly(MessageType.DELETE);
        assertThat(cluster.changes)
                .extracting(change -> change.header().sequence())
                .as("each is a request of its own")
                .doesNotHaveDuplicates();
    }

    @Test
    void run_moreBytesThanARequestHas_areCutBeforeTheChunkThatIsTooMuch() {
        put(context, 624, 400, 1, 1);
        assertThat(counts()).containsExactly(2, 2);
        assertThat(cluster.changes).extracting(Change::type).containsOnly(MessageType.PUT);
    }

    @Test
    void run_chunkLargerThanARequest_goesAlone() {
        put(context, 10, 5_000, 5_000, 10);
        assertThat(counts()).containsExactly(1, 1, 1, 1);
    }

    @Test
    void run_requestIsRefusedForNow_isSentAgainWithTheSameId() {
        cluster.errors.add(ErrorReply.retryLater(1_000_000, "busy"));
        assertThat(delete(CHUNKS)).containsOnly(ChunkOutcome.OK);
        assertThat(counts()).containsExactly(CHUNKS, CHUNKS);
        assertThat(cluster.changes)
                .extracting(change ->
                        change.header().clientId() + "/" + change.header().sequence())
                .containsOnly(idOf(cluster.changes.getFirst()));
    }

    private static String idOf(Change change) {
        return change.header().clientId() + "/" + change.header().sequence();
    }

    @Test
    void run_nextBatch_acknowledgesAllOfTheOneBefore() {
        delete(2 * CHUNKS);
        delete(1);
        assertThat(cluster.changes.getLast().header().sequence()).isEqualTo(3);
        assertThat(cluster.changes.getLast().header().ackedSequence()).isEqualTo(2);
    }

    @Test
    void run_deadlinePasses_failsAndTheNextBatchAcknowledgesWhatIsNotSentAgain() {
        for (int i = 0; i < 10_000; i++) {
            cluster.errors.add(ErrorReply.retryLater(10_000_000, "busy"));
        }
        assertThatThrownBy(() -> delete(1)).cause().isInstanceOf(DeadlineExceededException.class);
        cluster.errors.clear();
        assertThat(delete(1)).containsExactly(ChunkOutcome.OK);
        assertThat(cluster.changes.getLast().header().ackedSequence())
                .isEqualTo(cluster.changes.getFirst().header().sequence());
    }

    @Test
    void withDurability_anotherLevel_isInTheFlagsAndRequestsAreCountedTogether() {
        put(context, 1);
        put(context.withDurability(Durability.SYNCED), 1);
        put(context.withDurability(Durability.ASYNC), 1);
        List<Integer> flags =
                cluster.changes.stream().map(change -> change.header().flags()).toList();
        assertThat(flags)
                .containsExactly(
                        0,
                        dev.granary.net.message.Durability.SYNCED.flags(),
                        dev.granary.net.message.Durability.ASYNC.flags());
        assertThat(flags).doesNotHaveDuplicates();
        assertThat(cluster.changes)
                .extracting(change -> change.header().sequence())
                .containsExactly(1L, 2L, 3L);
        assertThat(cluster.changes)
                .extracting(change -> change.header().clientId())
                .containsOnly(cluster.changes.getFirst().header().clientId());
    }

    @Test
    void session_ofAnotherPeer_hasAnotherIdAndTheSameOneAlways() {
        assertThat(context.session(2).id())
                .isNotEqualTo(context.session(4).id())
                .isNotZero();
        assertThat(context.session(2)).isSameAs(context.session(2));
    }
}
