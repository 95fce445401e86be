package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Clock;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.storage.backup.BackupPeer;
import dev.granary.storage.backup.Owner;
import dev.granary.storage.lease.Lease;
import dev.granary.storage.lease.Leases;
import dev.granary.storage.replicate.Zones;
import dev.granary.testkit.Simulation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RepliesTest {

    private static final int NID = 0x8000;
    private static final int OTHER = 0x4000;
    private static final long LEASE_END_NANOS = 1_000;
    private static final long RETRY_NANOS = 50_000_000;
    private static final MessageType<Empty, Empty> ASK =
            new MessageType<>(MessageType.GET, "get", Empty.class, Empty.class);

    private final AtomicLong now = new AtomicLong();
    private final Clock clock = new Clock() {
        @Override
        public long nanoTime() {
            return now.get();
        }

        @Override
        public long wallMillis() {
            return 0;
        }
    };
    private final Lease lease = Leases.until(clock, LEASE_END_NANOS);
    private final CollectorRegistry registry = new CollectorRegistry();
    private final Replies replies = new Replies(clock, lease, new ChunkMetrics(registry));

    private final Simulation world = new Simulation(20_261_121);
    private final List<ByteBuf> buffers = new ArrayList<>();
    private BiConsumer<RpcRequest, ByteBuf> answering = (request, out) -> {};
    private final BackupPeer peer = new BackupPeer(world, "peer", NID)
            .with(requests -> requests.add(MessageType.GET, request -> {
                ByteBuf out = request.startReply(0);
                buffers.add(out);
                answering.accept(request, out);
            }))
            .start();
    private final Owner client = new Owner(world);

    @AfterEach
    void buffersAreReleased() {
        assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    /** What a client gets for a request: why it is refused, null when it is not. */
    private @Nullable ErrorReply answer(BiConsumer<RpcRequest, ByteBuf> how) {
        answering = how;
        try {
            client.call(peer, ASK, new Empty());
            return null;
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOf(RemoteErrorException.class);
            return ((RemoteErrorException) e.getCause()).reply();
        }
    }

    private void endLease() {
        now.set(LEASE_END_NANOS);
        assertThat(replies.hasLease()).isFalse();
        assertThat(replies.now()).isEqualTo(LEASE_END_NANOS);
    }

    private static ErrorReply noLease() {
        return new ErrorReply(
                ErrorCode.NO_LEASE, RETRY_NANOS, 0, null, "this storage peer holds no lease and serves nothing");
    }

    private void assertCounts(Operation operation, int ok, int notFound, int refused, int error) {
        assertThat(List.of(Outcome.values()))
                .extracting(outcome -> counted(operation, outcome))
                .containsExactly(ok, notFound, refused, error);
    }

    private int counted(Operation operation, Outcome outcome) {
        return registry.getSampleValue(
                        "granary_storage_operations_total",
                        new String[] {"operation", "outcome"},
                        new String[] {operation.label, outcome.label})
                .intValue();
    }

    @Test
    void read_leaseHolds_isAnsweredAndItsResultsCounted() {
        int[] results = {5, 0, -ChunkStatus.NOT_FOUND, -ChunkStatus.LOST, -ChunkStatus.WRONG_OWNER, 7};
        now.set(LEASE_END_NANOS - 1);
        assertThat(answer((request, out) -> replies.read(request, out, 5, results)))
                .isNull();
        assertCounts(Operation.GET, 2, 2, 1, 0);
    }

    @Test
    void read_leaseEndedMeanwhile_isRefusedAndNothingIsShown() {
        endLease();
        assertThat(answer((request, out) -> replies.read(request, out, 2, new int[] {5, 0})))
                .isEqualTo(noLease());
        assertCounts(Operation.GET, 0, 0, 2, 0);
    }

    @Test
    void readHeld_nothingIsWrong_isAnswered() {
        assertThat(answer((request, out) -> replies.readHeld(request, out, 3, null)))
                .isNull();
        assertCounts(Operation.GET, 0, 0, 0, 0);
    }

    @Test
    void readHeld_mustNotBeShown_saysWhenToTryAgain() {
        ErrorReply later = ErrorReply.retryLater(7, "backups do not answer");
        assertThat(answer((request, out) -> replies.readHeld(request, out, 3, later)))
                .isEqualTo(later);
        ErrorReply lost = ErrorReply.of(ErrorCode.UNKNOWN_OUTCOME, "the zone was lost");
        assertThat(answer((request, out) -> replies.readHeld(request, out, 3, lost)))
                .as("a read changes nothing, so its outcome is not unknown")
                .isEqualTo(noLease());
        endLease();
        assertThat(answer((request, out) -> replies.readHeld(request, out, 3, null)))
                .isEqualTo(noLease());
        assertCounts(Operation.GET, 0, 0, 9, 0);
    }

    @Test
    void changed_leaseHolds_isAnswered() {
        assertThat(answer((request, out) -> replies.changed(request, Operation.PUT, out, null)))
                .isNull();
    }

    @Test
    void changed_leaseEndedOrBackupsAreGone_outcomeIsUnknown() {
        ErrorReply refusal = ErrorReply.retryLater(7, "backups do not answer");
        assertThat(answer((request, out) -> replies.changed(request, Operation.PUT, out, refusal)))
                .isEqualTo(new ErrorReply(ErrorCode.UNKNOWN_OUTCOME, RETRY_NANOS, 0, null, "backups do not answer"));
        endLease();
        assertThat(answer((request, out) -> replies.changed(request, Operation.DELETE, out, null)))
                .isEqualTo(new ErrorReply(
                        ErrorCode.UNKNOWN_OUTCOME,
                        RETRY_NANOS,
                        0,
                        null,
                        "the lease of this storage peer ended while it carried out the delete"));
    }

    @Test
    void refuse_andFailed_areCounted() {
        ErrorReply reason = ErrorReply.of(ErrorCode.OUT_OF_MEMORY, "no room");
        assertThat(answer((request, out) -> {
                    out.release();
                    replies.refuse(request, Operation.CREATE, 4, reason);
                }))
                .isEqualTo(reason);
        replies.failed(Operation.CREATE);
        assertCounts(Operation.CREATE, 0, 0, 4, 1);
    }

    @Test
    void countStatuses_ofAChange_areCountedByTheirOutcome() {
        int[] statuses = {
            ChunkStatus.OK, ChunkStatus.NOT_FOUND, ChunkStatus.WRONG_OWNER, ChunkStatus.LOST, ChunkStatus.OK
        };
        replies.countStatuses(Operation.PUT, 4, statuses);
        assertCounts(Operation.PUT, 1, 2, 1, 0);
        assertCounts(Operation.DELETE, 0, 0, 0, 0);
    }

    @Test
    void time_ofARequest_isFromItsBeginUntilNow() {
        now.set(3_000_000_000L);
        replies.time(Operation.GET, 1_000_000_000L);
        assertThat(registry.getSampleValue(
                        "granary_storage_request_seconds_sum", new String[] {"operation"}, new String[] {"get"}))
                .isEqualTo(2.0);
    }

    @Test
    void tellMoved_someChunksAreOthers_theirRangesFollow() {
        ChunkMemory memory =
                ChunkMemories.open(ChunkMemoryConfig.of(NID, 1 << 20).withHugePages(false));
        Ownership ownership = new Ownership(NID, 1);
        CidRange moved = new CidRange(Cid.of(NID, 10), Cid.of(NID, 19), Placement.unreplicated(OTHER, 2));
        ownership.learn(moved);
        ServedChunks chunks = new ServedChunks(memory, ownership, new LockTokens(), Zones.of(List.of()), 1);
        Scratch scratch = new Scratch(UnpooledByteBufAllocator.DEFAULT, new CreationsUnderWay.Turn());
        scratch.cids[0] = Cid.of(NID, 1);
        scratch.cids[1] = Cid.of(NID, 12);
        scratch.results[0] = ChunkStatus.OK;
        scratch.results[1] = ChunkStatus.WRONG_OWNER;
        ByteBuf out = Unpooled.buffer();

        Replies.tellMoved(chunks, scratch, 1, ChunkStatus.WRONG_OWNER, out);
        assertThat(out.isReadable()).as("the second one is not of this request").isFalse();
        Replies.tellMoved(chunks, scratch, 2, ChunkStatus.WRONG_OWNER, out);
        assertThat(MovedRanges.read(out)).containsExactly(moved);

        assertThat(memory.verify().violations()).isEmpty();
        memory.close();
    }
}
