package dev.granary.superpeer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.AwaitOwner;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.overlay.Cid;
import dev.granary.superpeer.node.SuperPeerConfig;
import dev.granary.superpeer.node.SuperPeerMemory;
import dev.granary.superpeer.node.Turns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Three real super-peers and three scripted storage peers: whoever waits for the next owner of a chunk is told when
 * there is one.
 */
class AwaitOwnerTest {

    private static final long MILLI = 1_000_000L;
    private static final int PEERS = 3;

    private final SimulatedRing ring = new SimulatedRing();
    private final Map<Integer, ScriptedPeer> peers = new TreeMap<>();
    private final ScriptedPeer[] byNumber = new ScriptedPeer[PEERS];

    @BeforeEach
    void begin() {
        for (int i = 0; i < 3; i++) {
            SuperPeerConfig config = i == 0 ? SimulatedRing.founder("s0", 3) : SimulatedRing.config("s" + i);
            ring.start(SimulatedRing.withBackups(config, 2));
        }
        for (int i = 0; i < 3; i++) {
            ring.awaitReady("s" + i);
        }
        for (int i = 0; i < PEERS; i++) {
            byNumber[i] = new ScriptedPeer(ring, i, peers);
            byNumber[i].start();
        }
        await(() -> Arrays.stream(byNumber).allMatch(ScriptedPeer::holdsLease));
        await(() -> lookup(byNumber[1]).range().placement().backupCount() == 2);
    }

    private void await(BooleanSupplier condition) {
        for (int i = 0; i < 1000 && !condition.getAsBoolean(); i++) {
            ring.runFor(20 * MILLI);
        }
        assertThat(condition.getAsBoolean()).as("%s", ring).isTrue();
    }

    private static long cidOf(ScriptedPeer peer) {
        return Cid.of(peer.nid(), 1);
    }

    private LookupReply lookup(ScriptedPeer peer) {
        return ring.call("s0", MessageType.LOOKUP, new Lookup(cidOf(peer)));
    }

    private CompletableFuture<LookupReply> awaitOwner(ScriptedPeer peer, long seenEpoch, long waitNanos) {
        return ring.begin("s0", MessageType.AWAIT_OWNER, new AwaitOwner(cidOf(peer), seenEpoch, waitNanos));
    }

    @Test
    void awaitOwner_sameOwner_answeredWhenTheWaitIsOver() {
        LookupReply now = lookup(byNumber[1]);
        CompletableFuture<LookupReply> reply =
                awaitOwner(byNumber[1], now.range().placement().epoch(), 500 * MILLI);
        ring.runFor(450 * MILLI);
        assertThat(reply).isNotDone();
        ring.runFor(100 * MILLI);
        assertThat(reply).isCompletedWithValue(now);
    }

    @Test
    void awaitOwner_ownerSeenWasAnEarlierOne_answeredAtOnce() {
        LookupReply now = lookup(byNumber[1]);
        CompletableFuture<LookupReply> reply =
                awaitOwner(byNumber[1], now.range().placement().epoch() - 1, 500 * MILLI);
        ring.runFor(50 * MILLI);
        assertThat(reply).isCompletedWithValue(now);
    }

    @Test
    void awaitOwner_ownerEnds_answeredAsSoonAsTheNextOneServes() {
        ScriptedPeer victim = byNumber[1];
        long seen = lookup(victim).range().placement().epoch();
        peers.values().forEach(peer -> peer.finishes = false);
        victim.kill();
        await(() -> peers.values().stream().anyMatch(peer -> !peer.orders.isEmpty()));
        CompletableFuture<LookupReply> reply = awaitOwner(victim, seen, 1000 * MILLI);
        ring.runFor(200 * MILLI);
        assertThat(reply).as("while it is recovered").isNotDone();

        peers.values().forEach(peer -> peer.finishes = true);
        int heldMillis = untilAnswered(reply);
        while (!reply.join().range().placement().isServed()) {
            reply = awaitOwner(victim, seen, 1000 * MILLI);
            heldMillis = untilAnswered(reply);
        }

        int owner = reply.join().range().placement().owner();
        assertThat(owner).isNotEqualTo(victim.nid());
        assertThat(heldMillis).as("before the wait was over").isLessThan(1000);
        ring.runFor(5 * MILLI);
        assertThat(Objects.requireNonNull(peers.get(owner)).owned)
                .as("the waiter is told when the owner itself is")
                .containsKey(reply.join().range().placement().zone());
    }

    private int untilAnswered(CompletableFuture<?> reply) {
        int millis = 0;
        while (!reply.isDone()) {
            ring.runFor(MILLI);
            millis++;
        }
        return millis;
    }

    @Test
    void awaitOwner_chunkOfNobody_notFound() {
        AwaitOwner question = new AwaitOwner(Cid.of(0x0300, 5), 0, MILLI);
        List<ErrorCode> codes = Stream.of("s0", "s1", "s2")
                .map(name ->
                        ring.refusal(name, MessageType.AWAIT_OWNER, question).code())
                .toList();
        assertThat(codes).as("only the leader says it").containsOnlyOnce(ErrorCode.NOT_FOUND);
        assertThat(codes).containsOnly(ErrorCode.NOT_FOUND, ErrorCode.REDIRECT);
    }

    @Test
    void awaitOwner_moreThanCanWait_areToldToComeLaterOneAfterTheOther() {
        ScriptedPeer peer = byNumber[1];
        long seen = lookup(peer).range().placement().epoch();
        int over = 100;
        List<CompletableFuture<LookupReply>> replies = new ArrayList<>();
        for (int i = 0; i < SuperPeerMemory.MAX_OWNER_WAITERS + over; i++) {
            replies.add(awaitOwner(peer, seen, 1000 * MILLI));
        }
        ring.runFor(300 * MILLI);

        List<Long> pauses = replies.stream()
                .filter(CompletableFuture::isDone)
                .map(SimulatedRing::errorOf)
                .map(ErrorReply::retryAfterNanos)
                .toList();
        assertThat(pauses).hasSize(over).doesNotHaveDuplicates();
        assertThat(Collections.max(pauses) - Collections.min(pauses))
                .isGreaterThanOrEqualTo((over - 1) * Turns.TURN_NANOS / 2);
        ring.runFor(1000 * MILLI);
        assertThat(replies).allMatch(CompletableFuture::isDone);
        assertThat(replies.stream().filter(CompletableFuture::isCompletedExceptionally))
                .hasSize(over);
    }

    @Test
    void awaitOwner_callerIsGone_itsRoomIsGivenBack() {
        ScriptedPeer peer = byNumber[1];
        AwaitOwner question =
                new AwaitOwner(cidOf(peer), lookup(peer).range().placement().epoch(), 1000 * MILLI);
        OtherClient other = new OtherClient(ring, "other");
        for (int i = 0; i < 10; i++) {
            other.tell("s0", MessageType.AWAIT_OWNER, question);
        }
        ring.runFor(300 * MILLI);
        assertThat(ring.usedBytes("s0", SuperPeerMemory.OWNER_WAITERS)).isEqualTo(10 * SuperPeerMemory.WAITER_BYTES);

        other.kill();
        ring.runFor(300 * MILLI);

        assertThat(ring.usedBytes("s0", SuperPeerMemory.OWNER_WAITERS)).isZero();
    }

    @Test
    void awaitOwner_waitIsOver_roomIsGivenBack() {
        ScriptedPeer peer = byNumber[1];
        long seen = lookup(peer).range().placement().epoch();
        CompletableFuture<LookupReply> reply = awaitOwner(peer, seen, 200 * MILLI);
        ring.runFor(100 * MILLI);
        assertThat(ring.usedBytes("s0", SuperPeerMemory.OWNER_WAITERS)).isEqualTo(SuperPeerMemory.WAITER_BYTES);
        ring.runFor(200 * MILLI);
        assertThat(reply).isDone();
        assertThat(ring.usedBytes("s0", SuperPeerMemory.OWNER_WAITERS)).isZero();
    }

    @Test
    void awaitOwner_negativeWait_refused() {
        AwaitOwner question = new AwaitOwner(cidOf(byNumber[0]), 0, -1);
        assertThat(ring.refusal("s0", MessageType.AWAIT_OWNER, question).code()).isEqualTo(ErrorCode.BAD_REQUEST);
    }

    @Test
    void stop_somebodyWaits_isToldToAskElsewhere() {
        long seen = lookup(byNumber[1]).range().placement().epoch();
        CompletableFuture<LookupReply> reply = awaitOwner(byNumber[1], seen, 1000 * MILLI);
        ring.runFor(100 * MILLI);
        var _ = ring.superPeer("s0").stop();
        ring.runFor(100 * MILLI);
        assertThat(reply).isCompletedExceptionally();
        assertThat(SimulatedRing.errorOf(reply).code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    }
}
