package dev.granary.storage.data;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.C;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.NID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Clock;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.storage.lease.Leases;
import dev.granary.storage.replicate.LoneOwner;
import dev.granary.storage.replicate.OwnedZone;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Answers to changes of chunks whose zone has copies on real backups. */
class ChangeAnswersTest {

    private static final long CID = Cid.of(NID, 1);
    private static final MessageType<Empty, Empty> ASK =
            new MessageType<>(MessageType.PUT, "put", Empty.class, Empty.class);

    private final LoneOwner owner = new LoneOwner();
    private final Clock clock = new Clock() {
        @Override
        public long nanoTime() {
            return owner.nowNanos();
        }

        @Override
        public long wallMillis() {
            return 0;
        }
    };
    private final CollectorRegistry registry = new CollectorRegistry();
    private final ChangeAnswers answers =
            new ChangeAnswers(new Replies(clock, Leases.until(clock, Long.MAX_VALUE / 2), new ChunkMetrics(registry)));
    private final Scratch scratch = new Scratch(UnpooledByteBufAllocator.DEFAULT, new CreationsUnderWay.Turn());
    private final List<RpcRequest> arrived = new ArrayList<>();
    private final List<ByteBuf> buffers = new ArrayList<>();

    ChangeAnswersTest() {
        owner.requests.add(MessageType.PUT, arrived::add);
    }

    @AfterEach
    void close() {
        owner.close();
        assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    private CompletableFuture<Empty> ask() {
        CompletableFuture<Empty> reply = owner.ask(ASK, new Empty());
        assertThat(owner.world.runUntil(() -> !arrived.isEmpty(), 1_000 * MILLI))
                .isTrue();
        return reply;
    }

    private ByteBuf startReply() {
        ByteBuf out = arrived.getFirst().startReply(0);
        buffers.add(out);
        return out;
    }

    /** One chunk, which the last batch has changed, or which a change did not find. */
    private void prepare(OwnedZone zone, int status) {
        scratch.cids[0] = CID;
        scratch.results[0] = status;
        scratch.groups.group(owner.replication().zones(), scratch.cids, 1);
        scratch.reserveGroups();
        scratch.sequences[0] = zone.last();
    }

    /** Answers a put of one chunk. */
    private CompletableFuture<Empty> answer(OwnedZone zone, Durability durability, int status) {
        CompletableFuture<Empty> reply = ask();
        owner.run(() -> {
            prepare(zone, status);
            answers.answer(
                    owner.replication().zones(),
                    arrived.getFirst(),
                    Operation.PUT,
                    scratch,
                    durability,
                    startReply(),
                    clock.nanoTime());
        });
        owner.world.runFor(20 * MILLI);
        return reply;
    }

    private void standStill(int nid) {
        owner.backup(nid).machine().pause(200 * MILLI);
    }

    @Test
    void answer_replicated_waitsForAllMembers() {
        OwnedZone zone = owner.zone(B, C);
        standStill(C);
        owner.delete(zone, 1, false);
        CompletableFuture<Empty> reply = answer(zone, Durability.REPLICATED, ChunkStatus.OK);
        owner.world.runFor(100 * MILLI);
        assertThat(reply).isNotDone();
        assertThat(owner.replication().zones().held().bytes()).isPositive();
        owner.world.runFor(200 * MILLI);
        assertThat(reply).isCompleted();
        assertThat(zone.acked()).isEqualTo(1);
    }

    @Test
    void answer_replicatedAndAllHaveIt_isSentAtOnce() {
        OwnedZone zone = owner.zone(B, C);
        owner.delete(zone, 1, false);
        owner.world.runFor(50 * MILLI);
        assertThat(answer(zone, Durability.REPLICATED, ChunkStatus.OK)).isCompleted();
        assertThat(registry.getSampleValue(
                        "granary_storage_request_seconds_count", new String[] {"operation"}, new String[] {"put"}))
                .isEqualTo(1);
    }

    @Test
    void answer_async_waitsForNobody() {
        OwnedZone zone = owner.zone(B, C);
        standStill(B);
        standStill(C);
        owner.delete(zone, 1, false);
        assertThat(answer(zone, Durability.ASYNC, ChunkStatus.OK)).isCompleted();
        assertThat(zone.acked()).isZero();
    }

    /** SAFETY rule "reads". */
    @Test
    void answer_asyncThatTellsOfAnEarlierChange_waitsForThatOne() {
        OwnedZone zone = owner.zone(B, C);
        standStill(C);
        owner.delete(zone, 1, false);
        CompletableFuture<Empty> reply = answer(zone, Durability.ASYNC, ChunkStatus.NOT_FOUND);
        assertThat(reply).as("that the chunk is gone may be undone").isNotDone();
        owner.world.runFor(300 * MILLI);
        assertThat(reply).isCompleted();
    }

    @Test
    void answer_synced_waitsForTheDisks() {
        OwnedZone zone = owner.zone(B, C);
        owner.delete(zone, 1, true);
        CompletableFuture<Empty> reply = answer(zone, Durability.SYNCED, ChunkStatus.OK);
        owner.world.runFor(300 * MILLI);
        assertThat(reply).isCompleted();
        assertThat(zone.holds(1, true)).isTrue();
    }

    @Test
    void answer_zoneIsLostMeanwhile_outcomeIsUnknown() {
        OwnedZone zone = owner.zone(B, C);
        standStill(C);
        owner.delete(zone, 1, false);
        CompletableFuture<Empty> reply = answer(zone, Durability.REPLICATED, ChunkStatus.OK);
        owner.run(() -> owner.replication().stop());
        owner.world.runFor(20 * MILLI);
        assertThat(reply).isCompletedExceptionally();
        assertThat(reply.exceptionNow()).hasMessageContaining("lost zone 0x8000/1");
    }

    private @Nullable ErrorReply repeat(OwnedZone zone) {
        @Nullable ErrorReply[] obstacle = {null};
        owner.run(() -> {
            prepare(zone, ChunkStatus.OK);
            ByteBuf out = startReply();
            obstacle[0] = answers.answerOnceHeld(
                    owner.replication().zones(), arrived.getFirst(), Operation.PUT, scratch, out, clock.nanoTime());
            if (obstacle[0] != null) {
                out.release();
            }
        });
        owner.world.runFor(20 * MILLI);
        return obstacle[0];
    }

    @Test
    void answerOnceHeld_laterChangesAreOnTheirWay_waitsForAll() {
        OwnedZone zone = owner.zone(B, C);
        standStill(C);
        owner.delete(zone, 1, false);
        owner.delete(zone, 2, false);
        CompletableFuture<Empty> reply = ask();
        assertThat(repeat(zone)).isNull();
        assertThat(reply).isNotDone();
        owner.world.runFor(300 * MILLI);
        assertThat(reply).isCompleted();
        assertThat(zone.acked()).isEqualTo(2);
    }

    @Test
    void answerOnceHeld_tooFewBackups_saysSoInsteadOfWaiting() {
        owner.wantedCopies = 2;
        owner.run(() -> owner.replication().wantCopies(2));
        OwnedZone zone = owner.zone(B);
        owner.backup(B).kill();
        owner.delete(zone, 1, false);
        owner.world.runFor(1_000 * MILLI);
        CompletableFuture<Empty> reply = ask();
        ErrorReply obstacle = repeat(zone);
        assertThat(obstacle).isNotNull();
        assertThat(obstacle.message()).contains("has 0 of the 1 backups");
        assertThat(reply).as("the caller refuses it").isNotDone();
    }
}
