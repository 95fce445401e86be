package dev.granary.storage.data;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.overlay.Cid;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.ReplicationMetrics;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChangeRequestsTest {

    private static final byte[] EIGHT_BYTES = new byte[8];

    private final LoneChunks chunks = new LoneChunks();
    private final Replies replies = new Replies(chunks.clock, chunks.lease, chunks.metrics);
    private final ReplicationMetrics replicationMetrics = new ReplicationMetrics(new CollectorRegistry());
    private final ChunkService service = new ChunkService(
            chunks.clock,
            chunks.lease,
            chunks.lids,
            chunks.metrics,
            replicationMetrics,
            Runnable::run,
            chunks.owner.replication().allocator(),
            Durability.REPLICATED,
            new UnsentAnswers(() -> 0, 1 << 20, 0),
            1 << 20,
            1 << 20);
    private final CompletedRequests completed = new CompletedRequests(chunks.clock, 100, 1 << 20);
    private final ChangeRequests changes = new ChangeRequests(
            replies,
            chunks.lids,
            new Parking(service, replies, Runnable::run, 1 << 20),
            completed,
            new LoadSketch(),
            replicationMetrics,
            Durability.REPLICATED);
    private final Scratch scratch = new Scratch(UnpooledByteBufAllocator.DEFAULT, new CreationsUnderWay.Turn());
    private final OwnedZone zone = chunks.owner.zone(B);
    private final ServedChunks served = chunks.served();

    ChangeRequestsTest() {
        for (Operation operation : new Operation[] {Operation.CREATE, Operation.DELETE}) {
            chunks.owner.requests.add(
                    operation.messageType, request -> changes.change(request, operation, served, scratch));
        }
    }

    @AfterEach
    void close() {
        chunks.close();
    }

    @Test
    void change_createThatIsRepeated_hasTheSameAnswerAndMakesNothing() {
        long[] first = chunks.await(chunks.create(1, EIGHT_BYTES, EIGHT_BYTES));
        assertThat(zone.acked()).as("acknowledged once the backup has it").isEqualTo(1);
        assertThat(chunks.await(chunks.create(1, EIGHT_BYTES, EIGHT_BYTES))).isEqualTo(first);
        assertThat(chunks.memory.statistics().chunks()).isEqualTo(2);
        assertThat(chunks.refusal(chunks.create(1, EIGHT_BYTES)).code())
                .as("another create has this request id")
                .isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(completed.bytes()).isPositive();
    }

    @Test
    void change_deleteThatIsRepeated_tellsWhatTheFirstOneDid() {
        long[] cids = chunks.await(chunks.create(1, EIGHT_BYTES));
        long absent = Cid.of(LoneChunks.NID, 90);
        int[] expected = {ChunkStatus.OK, ChunkStatus.NOT_FOUND};
        assertThat(chunks.await(chunks.delete(2, cids[0], absent))).isEqualTo(expected);
        assertThat(chunks.await(chunks.delete(2, cids[0], absent))).isEqualTo(expected);
        assertThat(chunks.counted(Operation.DELETE, Outcome.OK)).isEqualTo(1);
        assertThat(zone.last()).isEqualTo(2);
    }

    @Test
    void change_backupHasNotAnswered_isAnsweredWhenItHas() {
        chunks.owner.backup(B).machine().pause(200 * MILLI);
        CompletableFuture<long[]> create = chunks.create(1, EIGHT_BYTES);
        chunks.owner.world.runFor(100 * MILLI);
        assertThat(create).isNotDone();
        assertThat(chunks.memory.statistics().chunks()).as("it is carried out").isEqualTo(1);
        assertThat(chunks.await(create)).hasSize(1);
    }

    @Test
    void change_tooFewBackups_isRefusedAndNothingChanges() {
        long[] cids = chunks.await(chunks.create(1, EIGHT_BYTES));
        chunks.owner.wantedCopies = 2;
        chunks.owner.run(() -> chunks.owner.replication().wantCopies(2));
        chunks.owner.backup(B).kill();
        chunks.owner.delete(zone, 50, false);
        chunks.owner.world.runFor(1_000 * MILLI);
        assertThat(chunks.refusal(chunks.delete(2, cids)).message()).contains("has 0 of the 1 backups");
        assertThat(chunks.refusal(chunks.create(3, EIGHT_BYTES)).code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(chunks.memory.statistics().chunks()).isEqualTo(1);
        assertThat(zone.last()).isEqualTo(2);
    }

    @Test
    void change_noLidsAreLeft_moreAreAskedFor() {
        byte[][] payloads = new byte[100][0];
        assertThat(chunks.refusal(chunks.create(1, payloads)).code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(chunks.exhausted).containsExactly(100);
        chunks.usedUp = "all zones are used up";
        assertThat(chunks.refusal(chunks.create(2, payloads)).message()).isEqualTo("all zones are used up");
        assertThat(chunks.memory.statistics().chunks()).isZero();
        assertThat(chunks.await(chunks.create(3, EIGHT_BYTES))).hasSize(1);
    }

    @Test
    void setDraining_createIsRefusedAndMayBeRepeatedLater() {
        changes.setDraining(true);
        assertThat(changes.isDraining()).isTrue();
        assertThat(chunks.refusal(chunks.create(1, EIGHT_BYTES)).code()).isEqualTo(ErrorCode.DRAINING);
        changes.setDraining(false);
        assertThat(chunks.await(chunks.create(1, EIGHT_BYTES))).hasSize(1);
    }

    @Test
    void change_createForAFormerIncarnation_isRefused() {
        CompletableFuture<Integer> former = chunks.send(
                MessageType.CREATE,
                out -> {
                    new MutationHeader(LoneChunks.CLIENT, 1, 0, ChunkLayouts.FLAG_EPOCH, 1).writeTo(out);
                    out.writeLongLE(7).writeIntLE(0);
                },
                in -> 0);
        assertThat(chunks.refusal(former).code()).isEqualTo(ErrorCode.INCARNATION_ENDED);
        assertThat(chunks.memory.statistics().chunks()).isZero();
    }

    @Test
    void change_notAsManyChunksAsItSays_isRefused() {
        CompletableFuture<Integer> wrong = chunks.send(
                MessageType.DELETE,
                out -> {
                    new MutationHeader(LoneChunks.CLIENT, 1, 0, 0, 2).writeTo(out);
                    out.writeLongLE(1);
                },
                in -> 0);
        assertThat(chunks.refusal(wrong).code()).isEqualTo(ErrorCode.BAD_REQUEST);
    }
}
