package dev.granary.storage.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Cid;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class LidReserverTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long RETRY = 100 * MILLI;

    private final Simulation simulation = new Simulation(1);
    private final List<SimulatedNode.World> worlds = new ArrayList<>();
    private final List<Long> asked = new ArrayList<>();
    private final List<Long> told = new ArrayList<>();
    private final ArrayDeque<CompletableFuture<Long>> unanswered = new ArrayDeque<>();

    /** The super-peer's answer to a wanted LID high-water mark; never completed while it is silent. */
    private Function<Long, CompletableFuture<Long>> superPeer = CompletableFuture::completedFuture;

    private final LidReserver lids = reserver();

    private LidReserver reserver() {
        simulation.node("p").start(worlds::add);
        runFor(MILLI);
        var environment = worlds.getFirst().environment();
        return new LidReserver(
                environment.clock(),
                environment.scheduler(),
                wanted -> {
                    asked.add(wanted);
                    return superPeer.apply(wanted);
                },
                told::add);
    }

    private CompletableFuture<Long> silence() {
        CompletableFuture<Long> reply = new CompletableFuture<>();
        unanswered.add(reply);
        return reply;
    }

    private void answer(Runnable how) {
        worlds.getFirst().environment().scheduler().execute(how);
        runFor(MILLI);
    }

    private void runFor(long nanos) {
        simulation.runFor(nanos);
    }

    private void start(long firstLid, long lidLimit) {
        lids.start(firstLid, lidLimit);
        runFor(10 * MILLI);
    }

    private void created(long mark) {
        lids.created(mark);
        runFor(10 * MILLI);
    }

    @Test
    void start_wholeBlock_isToldAndNothingIsAsked() {
        start(1, 101);
        assertThat(lids.limit()).isEqualTo(101);
        assertThat(told).containsExactly(101L);
        assertThat(asked).isEmpty();
    }

    @Test
    void created_lessThanHalfOfTheBlockIsLeft_theNextOneIsAskedForOnce() {
        superPeer = wanted -> silence();
        start(1, 101);
        created(51);
        assertThat(asked).as("half of it is left").isEmpty();
        created(52);
        created(60);
        lids.exhausted(1);
        runFor(10 * MILLI);
        assertThat(asked).containsExactly(102L);

        answer(() -> Objects.requireNonNull(unanswered.poll()).complete(1_101L));

        assertThat(lids.limit()).isEqualTo(1_101);
        assertThat(told).containsExactly(101L, 1_101L);
        assertThat(asked).hasSize(1);
    }

    @Test
    void created_blocksThatBecomeLarger_areAskedForAsMuchEarlier() {
        superPeer = wanted -> CompletableFuture.completedFuture(wanted + 999);
        start(1, 101);
        created(90);
        assertThat(lids.limit()).isEqualTo(1_101);
        created(600);
        assertThat(asked).hasSize(1);
        created(602);
        assertThat(asked).hasSize(2);
    }

    @Test
    void exhausted_largeCreate_asManyAreWantedAsItMissed() {
        start(1, 101);
        lids.exhausted(500);
        lids.exhausted(20);
        runFor(10 * MILLI);
        assertThat(asked.getFirst()).isEqualTo(601);
        assertThat(lids.limit()).isEqualTo(601);
        created(500);
        assertThat(asked)
                .as("what was missed is not asked for a second time")
                .hasSize(2)
                .last()
                .isEqualTo(602L);
    }

    @Test
    void answered_withAFailure_isAskedAgainAfterAPause() {
        superPeer = wanted -> CompletableFuture.failedFuture(new IllegalStateException("no leader"));
        start(1, 101);
        created(100);
        assertThat(asked).hasSize(1);
        runFor(RETRY / 2);
        assertThat(asked).hasSize(1);
        runFor(RETRY);
        assertThat(asked).hasSize(2);
        assertThat(lids.usedUp()).isNull();

        superPeer = CompletableFuture::completedFuture;
        runFor(2 * RETRY);
        assertThat(lids.limit()).isEqualTo(102);
    }

    @Test
    void answered_allAreUsed_saysSoUntilThereAreMore() {
        ErrorReply used = ErrorReply.of(ErrorCode.OUT_OF_MEMORY, "all numbers of zones are used");
        superPeer = wanted -> CompletableFuture.failedFuture(new RemoteErrorException(used.message(), used));
        start(1, 101);
        created(100);
        assertThat(lids.usedUp()).contains("all numbers of zones are used");

        superPeer = wanted -> CompletableFuture.failedFuture(new IllegalStateException("no leader"));
        runFor(2 * RETRY);
        assertThat(lids.usedUp()).as("another reason").isNull();

        superPeer = wanted -> CompletableFuture.failedFuture(new RemoteErrorException(used.message(), used));
        runFor(2 * RETRY);
        assertThat(lids.usedUp()).isNotNull();
        lids.raiseLimit(201);
        assertThat(lids.usedUp()).isNull();
    }

    @Test
    void raiseLimit_lowerOrSame_isIgnored() {
        start(1, 101);
        lids.raiseLimit(101);
        lids.raiseLimit(50);
        assertThat(lids.limit()).isEqualTo(101);
        assertThat(told).hasSize(1);
    }

    @Test
    void created_atTheEndOfAllLids_asksForNoMoreThanThereAre() {
        start(Cid.MAX_LID - 100, Cid.MAX_LID - 10);
        lids.exhausted(1_000);
        runFor(10 * MILLI);
        assertThat(asked).containsExactly(Cid.MAX_LID + 1);
        assertThat(lids.limit()).isEqualTo(Cid.MAX_LID + 1);
        created(Cid.MAX_LID);
        lids.exhausted(5);
        runFor(10 * RETRY);
        assertThat(asked).as("there are no more").hasSize(1);
    }

    @Test
    void stop_lidsRunOut_nothingIsAsked() {
        start(1, 101);
        lids.stop();
        created(100);
        lids.exhausted(10);
        runFor(10 * RETRY);
        assertThat(asked).isEmpty();
    }

    @Test
    void stop_whileItWaitsForTheNextTry_doesNotAskAgain() {
        superPeer = wanted -> CompletableFuture.failedFuture(new IllegalStateException("no leader"));
        start(1, 101);
        created(100);
        lids.stop();
        runFor(10 * RETRY);
        assertThat(asked).hasSize(1);
    }
}
