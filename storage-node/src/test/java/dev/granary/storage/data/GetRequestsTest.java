package dev.granary.storage.data;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Cid;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.ReplicationMetrics;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GetRequestsTest {

    private static final long MAX_UNSENT_BYTES = 1_000;

    private final LoneChunks chunks = new LoneChunks();
    private final AtomicLong unsentBytes = new AtomicLong();
    private final UnsentAnswers unsent = new UnsentAnswers(unsentBytes::get, MAX_UNSENT_BYTES, chunks.clock.nanoTime());
    private final Replies replies = new Replies(chunks.clock, chunks.lease, chunks.metrics);
    private final ChunkService service = new ChunkService(
            chunks.clock,
            chunks.lease,
            chunks.lids,
            chunks.metrics,
            new ReplicationMetrics(new CollectorRegistry()),
            Runnable::run,
            chunks.owner.replication().allocator(),
            Durability.REPLICATED,
            unsent,
            1 << 20,
            1 << 20);
    private final CreationsUnderWay creations = new CreationsUnderWay();
    private final Scratch scratch = new Scratch(UnpooledByteBufAllocator.DEFAULT, creations.join());
    private final CreationsUnderWay.Turn creating = creations.join();
    private final GetRequests gets = new GetRequests(
            replies, new Parking(service, replies, Runnable::run, 1 << 20), new LoadSketch(), creations, unsent);
    private final OwnedZone zone = chunks.owner.zone(B);
    private final ServedChunks served = chunks.served();

    GetRequestsTest() {
        chunks.owner.requests.add(MessageType.GET, request -> gets.get(request, served, scratch));
    }

    @AfterEach
    void close() {
        chunks.close();
    }

    private long create(int sizeBytes) {
        return chunks.memory.create(MemorySegment.ofArray(new byte[sizeBytes]), 0, sizeBytes);
    }

    @Test
    void get_someChunksAreThere_eachHasItsResult() {
        long one = create(5);
        long two = create(7);
        assertThat(chunks.await(chunks.get(two, Cid.of(LoneChunks.NID, 90), one)))
                .containsExactly(7, -ChunkStatus.NOT_FOUND, 5);
        assertThat(chunks.counted(Operation.GET, Outcome.OK)).isEqualTo(2);
        assertThat(chunks.counted(Operation.GET, Outcome.NOT_FOUND)).isEqualTo(1);
    }

    /** SAFETY rule "reads": what is shown would otherwise be undone if this peer died now. */
    @Test
    void get_backupDoesNotHaveTheChangeYet_waitsForIt() {
        long one = create(5);
        long two = create(7);
        chunks.owner.backup(B).machine().pause(200 * MILLI);
        chunks.memory.delete(two);
        chunks.owner.delete(zone, Cid.lid(two), false);
        CompletableFuture<int[]> changed = chunks.get(one, two);
        CompletableFuture<int[]> other = chunks.get(one);
        chunks.owner.world.runFor(100 * MILLI);
        assertThat(other).as("of a chunk that has not changed").isCompleted();
        assertThat(changed).isNotDone();
        assertThat(chunks.await(changed)).containsExactly(5, -ChunkStatus.NOT_FOUND);
        assertThat(zone.acked()).isEqualTo(1);
    }

    @Test
    void get_changeIsToBeSynced_waitsForTheDisk() {
        long one = create(5);
        chunks.owner.delete(zone, Cid.lid(one), true);
        chunks.await(chunks.get(one));
        assertThat(zone.holds(1, true)).isTrue();
    }

    @Test
    void get_backupIsSilentForLong_comesLaterInsteadOfShowingIt() {
        long one = create(5);
        chunks.owner.backup(B).kill();
        chunks.owner.delete(zone, Cid.lid(one), false);
        assertThat(chunks.refusal(chunks.get(one)).code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(zone.acked()).isZero();
    }

    @Test
    void get_aCreateIsUnderWay_waitsForItsEnd() {
        long one = create(5);
        chunks.owner.run(creating::begin);
        CompletableFuture<int[]> get = chunks.get(one);
        chunks.owner.world.runFor(50 * MILLI);
        assertThat(get).isNotDone();
        chunks.owner.run(creating::end);
        assertThat(chunks.await(get)).containsExactly(5);
    }

    @Test
    void get_tooMuchIsUnsent_isRefusedBeforeItReads() {
        long one = create(5);
        unsentBytes.set(MAX_UNSENT_BYTES + 1);
        assertThat(chunks.refusal(chunks.get(one)).message()).contains("too many answers");
        assertThat(chunks.counted(Operation.GET, Outcome.REFUSED)).isEqualTo(1);
        assertThat(chunks.counted(Operation.GET, Outcome.OK)).isZero();
    }

    @Test
    void get_notAsManyChunksAsItSays_isRefused() {
        CompletableFuture<Integer> wrong = chunks.send(
                MessageType.GET, out -> out.writeIntLE(0).writeIntLE(2).writeLongLE(1), in -> 0);
        assertThat(chunks.refusal(wrong).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        CompletableFuture<Integer> flags = chunks.send(
                MessageType.GET, out -> out.writeIntLE(1).writeIntLE(1).writeLongLE(1), in -> 0);
        assertThat(chunks.refusal(flags).code()).isEqualTo(ErrorCode.BAD_REQUEST);
    }

    @Test
    void get_leaseEndsMeanwhile_nothingIsShown() {
        long one = create(5);
        chunks.owner.world.runFor(LoneChunks.LEASE_NANOS);
        assertThat(chunks.refusal(chunks.get(one)).code()).isEqualTo(ErrorCode.NO_LEASE);
    }
}
