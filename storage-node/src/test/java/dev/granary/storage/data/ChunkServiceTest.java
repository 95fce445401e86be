package dev.granary.storage.data;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Cid;
import dev.granary.storage.replicate.ReplicationMetrics;
import io.prometheus.client.CollectorRegistry;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChunkServiceTest {

    private static final byte[] EIGHT_BYTES = new byte[8];

    private final LoneChunks chunks = new LoneChunks();
    private final ChunkService service = new ChunkService(
            chunks.clock,
            chunks.lease,
            chunks.lids,
            chunks.metrics,
            new ReplicationMetrics(new CollectorRegistry()),
            Runnable::run,
            chunks.owner.replication().allocator(),
            Durability.REPLICATED,
            new UnsentAnswers(() -> 0, 1 << 20, 0),
            1 << 20,
            1 << 20);

    @BeforeEach
    void answer() {
        service.addTo(chunks.owner.requests);
        chunks.owner.zone(B);
    }

    @AfterEach
    void close() {
        chunks.close();
    }

    private void serve() {
        service.serve(
                chunks.memory, chunks.ownership, chunks.owner.replication().zones(), 1);
    }

    private long createOne(long sequence) {
        return chunks.await(chunks.create(sequence, EIGHT_BYTES))[0];
    }

    @Test
    void requests_beforeItServes_areRefusedAsWithoutALease() {
        assertThat(chunks.refusal(chunks.get(Cid.of(LoneChunks.NID, 1))).code()).isEqualTo(ErrorCode.NO_LEASE);
        assertThat(service.statistics()).isEmpty();
        serve();
        assertThat(chunks.await(chunks.get(Cid.of(LoneChunks.NID, 1)))).containsExactly(-ChunkStatus.NOT_FOUND);
        assertThat(service.statistics()).isPresent();
    }

    @Test
    void requests_leaseIsOver_areRefusedAndChangeNothing() {
        serve();
        long cid = createOne(1);
        chunks.owner.world.runFor(LoneChunks.LEASE_NANOS);
        assertThat(chunks.refusal(chunks.get(cid)).code()).isEqualTo(ErrorCode.NO_LEASE);
        assertThat(chunks.refusal(chunks.delete(2, cid)).code()).isEqualTo(ErrorCode.NO_LEASE);
        assertThat(chunks.memory.sizeOf(cid)).isEqualTo(8);
    }

    @Test
    void refuse_changes_getsAreStillAnswered() {
        serve();
        long cid = createOne(1);
        service.refuse(ChunkService.Refused.CHANGES);
        assertThat(chunks.refusal(chunks.delete(2, cid)).code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(chunks.await(chunks.get(cid))).containsExactly(8);
        service.refuse(ChunkService.Refused.EVERYTHING);
        assertThat(chunks.refusal(chunks.get(cid)).message()).contains("put to sleep");
        service.refuse(ChunkService.Refused.NOTHING);
        assertThat(chunks.await(chunks.delete(3, cid))).containsExactly(ChunkStatus.OK);
    }

    @Test
    void close_thenRequests_areRefusedAndTheMemoryIsUsedNoMore() {
        serve();
        long cid = createOne(1);
        CompletableFuture<Void> left = service.close();
        assertThat(left).isCompleted();
        assertThat(chunks.refusal(chunks.get(cid)).code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
        assertThat(service.statistics()).isEmpty();
        assertThat(service.turnOver()).isCompleted();
    }

    @Test
    void turnOver_nothingIsUnderWay_completesAndRequestsGoOn() {
        serve();
        assertThat(service.turnOver()).isCompleted();
        long cid = createOne(1);
        assertThat(chunks.await(chunks.get(cid))).containsExactly(8);
    }

    @Test
    void setDraining_createsAreRefusedAndDeletesAreNot() {
        serve();
        long cid = createOne(1);
        service.setDraining(true);
        assertThat(service.isDraining()).isTrue();
        assertThat(chunks.refusal(chunks.create(2, EIGHT_BYTES)).code()).isEqualTo(ErrorCode.DRAINING);
        assertThat(chunks.await(chunks.delete(3, cid))).containsExactly(ChunkStatus.OK);
    }

    @Test
    void get_chunkIsMoving_waitsUntilItIsWoken() {
        serve();
        long cid = createOne(1);
        Transition moving = new Transition(cid, cid, true, Transition.Phase.ALL_WAIT);
        chunks.ownership.begin(moving);
        CompletableFuture<int[]> get = chunks.get(cid);
        chunks.owner.world.runFor(100 * MILLI);
        assertThat(get).isNotDone();
        assertThat(service.parkedBytes()).isPositive();
        chunks.ownership.end(moving);
        chunks.owner.run(service::wake);
        assertThat(chunks.await(get)).containsExactly(8);
        assertThat(service.parkedBytes()).isZero();
    }

    @Test
    void handle_malformedRequest_isAnErrorAndTheNextOneIsAnswered() {
        serve();
        CompletableFuture<Integer> flags =
                chunks.send(MessageType.GET, out -> out.writeIntLE(7).writeIntLE(0), in -> 0);
        assertThat(chunks.refusal(flags).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(chunks.counted(Operation.GET, Outcome.ERROR)).isEqualTo(1);
        assertThat(chunks.await(chunks.get(createOne(1)))).containsExactly(8);
    }

    @Test
    void takeLoad_nothingWasUsed_isZero() {
        serve();
        assertThat(service.takeLoad(LoneChunks.NID, 1_000 * MILLI).chunksPerSecond())
                .isZero();
        assertThat(service.greatestToken()).isZero();
        createOne(1);
        assertThat(service.completedBytes()).isPositive();
    }
}
