package dev.granary.superpeer.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.CloseLease;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.AwaitOwner;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.node.SuperPeerMemory;
import dev.granary.superpeer.ring.LoneRing;
import dev.granary.superpeer.state.ring.RingOperation.Kind;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LookupsTest {

    private static final int A = 0xC000;
    private static final long CHUNK = Cid.of(A, 5);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final HostAddress ADDRESS = new HostAddress("p", 7500);

    private final LoneRing ring = new LoneRing(1);
    private final Lookups lookups = ring.arcs.lookups();

    @BeforeEach
    void answer() {
        ring.lone.answer(MessageType.LOOKUP, lookups::lookup);
        ring.lone.answer(MessageType.AWAIT_OWNER, lookups::awaitOwner);
        ring.lone.answer(
                MessageType.OPEN_LEASE,
                (request, open) -> ring.arcs.atLeader(
                        request, open.nid(), arc -> arc.peers().openLease(request, open)));
    }

    @BeforeEach
    void answerCloses() {
        ring.lone.answer(
                MessageType.CLOSE_LEASE,
                (request, close) -> ring.arcs.atLeader(
                        request, close.nid(), arc -> arc.peers().closeLease(request, close)));
    }

    @AfterEach
    void nothingFailed() {
        ring.lone.run(lookups::stop);
        assertThat(ring.lone.node().memory().ownerWaiters().bytes())
                .as("nobody waits")
                .isZero();
        assertThat(ring.lone.failures).isEmpty();
    }

    private void open(int nid, long incarnation) {
        ring.lone.reply(
                MessageType.OPEN_LEASE,
                new OpenLease(nid, new UUID(1, nid), incarnation, "p", ADDRESS, ADDRESS, 4096, "", "", 0, null));
    }

    private LookupReply found(long cid) {
        return ring.lone.reply(MessageType.LOOKUP, new Lookup(cid));
    }

    private CompletableFuture<LookupReply> await(long seenEpoch, long waitNanos) {
        return ring.lone.ask(MessageType.AWAIT_OWNER, new AwaitOwner(CHUNK, seenEpoch, waitNanos));
    }

    private int waiting() {
        return (int) (ring.lone.node().memory().ownerWaiters().bytes() / SuperPeerMemory.WAITER_BYTES);
    }

    private double counted(String outcome) {
        return ring.lone
                .node()
                .metrics()
                .registry()
                .getSampleValue("granary_superpeer_lookups_total", new String[] {"outcome"}, new String[] {outcome});
    }

    @Test
    void lookup_chunkOfAKnownCreator_hasItsRangeAndItsAddress() {
        ring.begin();
        open(A, 1);
        LookupReply reply = found(CHUNK);
        assertThat(reply.range().contains(CHUNK)).isTrue();
        assertThat(reply.range().placement().owner()).isEqualTo(A);
        assertThat(reply.ownerAddress()).isEqualTo(ADDRESS);
        assertThat(reply.ringEpoch()).isEqualTo(ring.view().epoch());
        assertThat(counted("found")).isEqualTo(1);
    }

    @Test
    void lookup_nobodyEverHadTheChunk_isNotFound() {
        ring.begin();
        open(A, 1);
        for (long cid : new long[] {Cid.of(0x4000, 1), Cid.of(LoneNode.NID, 1), Cid.of(0, 1)}) {
            assertThat(ring.lone.refusal(MessageType.LOOKUP, new Lookup(cid)).code())
                    .as(Cid.toHex(cid))
                    .isEqualTo(ErrorCode.NOT_FOUND);
        }
        assertThat(counted("not_found")).isEqualTo(3);
    }

    @Test
    void lookup_noRing_isRefused() {
        assertThat(ring.lone.refusal(MessageType.LOOKUP, new Lookup(CHUNK)).code())
                .isEqualTo(ErrorCode.RING_INCOMPLETE);
    }

    @Test
    void lookup_arcOfAnother_isReferredToIt() {
        ring.begin();
        ring.finish(ring.begin(Kind.PROMOTE, ring.admit("s1", new Answers())));
        assertThat(ring.lone
                        .refusal(MessageType.LOOKUP, new Lookup(Cid.of(0x4000, 1)))
                        .redirect())
                .isEqualTo(LoneNode.address("s1"));
        assertThat(counted("redirected")).isEqualTo(1);
    }

    @Test
    void awaitOwner_noNews_waitsNoLongerThanAsked() {
        ring.begin();
        open(A, 1);
        LookupReply now = found(CHUNK);
        CompletableFuture<LookupReply> reply = await(now.range().placement().epoch(), 300 * MILLI);
        ring.lone.runFor(290 * MILLI);
        assertThat(reply).isNotDone();
        assertThat(waiting()).isEqualTo(1);
        ring.lone.runFor(50 * MILLI);
        assertThat(reply).isCompletedWithValue(now);
        assertThat(waiting()).isZero();
    }

    @Test
    void awaitOwner_asksForMinutes_isAnsweredAfterASecond() {
        ring.begin();
        open(A, 1);
        CompletableFuture<LookupReply> reply =
                await(found(CHUNK).range().placement().epoch(), TimeUnit.MINUTES.toNanos(5));
        ring.lone.runFor(990 * MILLI);
        assertThat(reply).isNotDone();
        ring.lone.runFor(50 * MILLI);
        assertThat(reply).isCompleted();
    }

    @Test
    void awaitOwner_nextIncarnationOpens_isToldAtOnce() {
        ring.begin();
        open(A, 1);
        long seen = found(CHUNK).range().placement().epoch();
        CompletableFuture<LookupReply> reply = await(seen, 1_000 * MILLI);
        ring.lone.runFor(100 * MILLI);
        assertThat(reply).isNotDone();
        ring.lone.reply(MessageType.CLOSE_LEASE, new CloseLease(A, 1));
        open(A, 2);
        ring.lone.runFor(20 * MILLI);
        assertThat(reply).as("its range has changed").isCompleted();
        assertThat(waiting()).isZero();
    }

    @Test
    void awaitOwner_chunkOfNobodyOrAnEarlierOwner_doesNotWait() {
        ring.begin();
        assertThat(ring.lone
                        .refusal(MessageType.AWAIT_OWNER, new AwaitOwner(CHUNK, 0, 1_000 * MILLI))
                        .code())
                .isEqualTo(ErrorCode.NOT_FOUND);
        open(A, 1);
        CompletableFuture<LookupReply> reply =
                await(found(CHUNK).range().placement().epoch() - 1, 1_000 * MILLI);
        ring.lone.runFor(20 * MILLI);
        assertThat(reply).isCompleted();
    }

    @Test
    void awaitOwner_negativeWait_isRefused() {
        ring.begin();
        open(A, 1);
        assertThat(ring.lone
                        .refusal(MessageType.AWAIT_OWNER, new AwaitOwner(CHUNK, 1, -1))
                        .message())
                .contains("a wait of -1 ns is negative");
    }

    @Test
    void giveBackGone_callersAreThere_keepTheirPlaces() {
        ring.begin();
        open(A, 1);
        CompletableFuture<LookupReply> reply =
                await(found(CHUNK).range().placement().epoch(), 1_000 * MILLI);
        ring.lone.runFor(100 * MILLI);
        ring.lone.run(lookups::giveBackGone);
        assertThat(waiting()).isEqualTo(1);
        ring.lone.simulation.node("client").kill();
        ring.lone.runFor(100 * MILLI);
        ring.lone.run(lookups::giveBackGone);
        assertThat(waiting()).isZero();
        ring.lone.runFor(2_000 * MILLI);
        assertThat(reply).as("nobody is there to take it").isNotCompletedExceptionally();
    }

    @Test
    void stop_someWait_areToldToAskAnother() {
        ring.begin();
        open(A, 1);
        long seen = found(CHUNK).range().placement().epoch();
        List<CompletableFuture<LookupReply>> replies = List.of(await(seen, 900 * MILLI), await(seen, 900 * MILLI));
        ring.lone.runFor(100 * MILLI);
        assertThat(waiting()).isEqualTo(2);
        ring.lone.run(lookups::stop);
        ring.lone.runFor(20 * MILLI);
        assertThat(replies)
                .allSatisfy(
                        reply -> assertThat(SimulatedRing.errorOf(reply).code()).isEqualTo(ErrorCode.SHUTTING_DOWN));
        assertThat(waiting()).isZero();
    }
}
