package dev.granary.storage.recover;

import static dev.granary.storage.recover.RecoveryWorld.CANDIDATE;
import static dev.granary.storage.recover.RecoveryWorld.ZONE;
import static dev.granary.storage.recover.RecoveryWorld.span;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.Progress;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.State;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.backup.Owner;
import dev.granary.storage.data.Transition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one {@link ZoneRecovery} waits for, and how it ends when copies are missing or others are in its way. */
class ZoneRecoveryTest {

    private static final long MILLI = 1_000_000;

    private final RecoveryWorld world = new RecoveryWorld(16 << 20, CANDIDATE, 1);

    @AfterEach
    void close() {
        world.close();
    }

    private static long cid(long lid) {
        return Cid.of(Owner.NID, lid);
    }

    private void fillBoth(int chunks) {
        world.open(ZONE);
        for (int sequence = 1; sequence <= chunks; sequence++) {
            long lid = sequence;
            world.replicate(ZONE, sequence, batch -> batch.chunk(cid(lid), new byte[] {(byte) lid}, 0, 1));
        }
    }

    private Progress progress(long epoch) {
        return world.ask(ZONE, epoch, 0, span(1, 100), 0);
    }

    private void assertNothingIsLeft() {
        assertThat(world.memory.statistics().chunks()).isZero();
        assertThat(world.taken).isEmpty();
        assertThat(world.ownership.isUncertain(cid(1))).isFalse();
    }

    /** The end of the move would remove from memory what was recovered. */
    @Test
    void begin_chunksOfAMoveAreStillInMemory_waitsForItsEnd() {
        fillBoth(3);
        Transition move = new Transition(cid(2), cid(2), false, Transition.Phase.RECEIVING);
        world.ownership.begin(move);
        world.recover(ZONE, 2, 3, span(1, 100), 0);
        world.world.runFor(1_000 * MILLI);
        assertThat(progress(2).state()).isEqualTo(State.RUNNING);
        assertThat(world.memory.statistics().chunks()).isZero();
        world.ownership.end(move);

        assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
        assertThat(world.memory.statistics().chunks()).isEqualTo(3);
    }

    @Test
    void begin_moveOfOtherChunks_isNotWaitedFor() {
        fillBoth(3);
        world.ownership.begin(new Transition(cid(101), cid(110), false, Transition.Phase.RECEIVING));
        world.recover(ZONE, 2, 3, span(1, 100), 0);

        assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
    }

    /** A former owner that does not know of its end begins to send a chunk, and aborts the move once it knows. */
    @Test
    void run_beforeTheArcHasCommitted_noMoveOfItsChunksCanBegin() {
        fillBoth(3);
        world.arc.failures = 1_000;
        world.recover(ZONE, 2, 3, span(1, 100), 0);
        assertThat(world.ownership.isInTransition(cid(2), cid(2))).isTrue();
        assertThat(world.ownership.isInTransition(cid(50), cid(200))).isTrue();
        assertThat(world.ownership.isInTransition(cid(101), cid(200))).isFalse();
        world.arc.failures = 0;

        assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
        assertThat(world.ownership.isInTransition(cid(2), cid(2))).isFalse();
    }

    @Test
    void replay_noCopyHereAndNobodyElseHasOne_itsChunksCanMoveAgain() {
        world.recover(ZONE, 2, 7, span(1, 100), 0);

        assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.FAILED);
        assertThat(world.ownership.isInTransition(cid(1), cid(100))).isFalse();
    }

    @Test
    void cancel_whileItWaitsForAMove_endsAndTheNextAttemptIsServed() {
        fillBoth(3);
        Transition move = new Transition(cid(2), cid(2), false, Transition.Phase.RECEIVING);
        world.ownership.begin(move);
        world.recover(ZONE, 2, 3, span(1, 100), 0);
        world.recover(ZONE, 3, 3, span(1, 100), 0);
        world.ownership.end(move);

        assertThat(world.ended(ZONE, 3).state()).isEqualTo(State.DONE);
        assertThat(progress(2).state()).isEqualTo(State.FAILED);
        assertThat(world.arc.told).hasSize(1);
    }

    /** Both copies were opened anew, were never filled, and have the newest batch alone. */
    private void loseTheBeginnings() {
        fillBoth(4);
        byte[] batch = world.owner.batch(ZONE, 2, 5, entries -> entries.chunk(cid(5), new byte[] {5}, 0, 1));
        world.owner.open(world.candidate, ZONE, 2, 4, true);
        world.owner.open(world.other, ZONE, 2, 4, true);
        world.owner.replicate(world.candidate, ZONE, 2, false, batch);
        world.owner.replicate(world.other, ZONE, 2, false, batch);
    }

    @Test
    void replay_noCopyIsWhole_saysThatItIsDamagedAndLeavesNothing() {
        loseTheBeginnings();
        world.recover(ZONE, 3, 5, span(1, 100), 0);

        assertThat(world.ended(ZONE, 3).state()).isEqualTo(State.DAMAGED);
        assertThat(world.arc.told).as("what was asked of the arc").isEmpty();
        assertNothingIsLeft();
    }

    @Test
    void replay_noCopyIsWholeAndThatIsAccepted_servesWhatThereIsAndTellsTheArc() {
        loseTheBeginnings();
        world.acceptDamage = true;
        world.recover(ZONE, 3, 5, span(1, 100), 0);

        Progress ended = world.ended(ZONE, 3);
        assertThat(ended.state()).isEqualTo(State.DONE);
        assertThat(ended.note()).contains("could not be read");
        assertThat(world.arc.told.getLast().damaged()).isTrue();
        assertThat(world.memory.sizeOf(cid(5))).isEqualTo(1);
    }

    /** Nothing can be missing from a zone in which nothing was logged. */
    @Test
    void replay_zoneWasNeverOpened_isServedEmpty() {
        world.recover(ZONE, 2, 0, span(1, 100), 0);

        assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
        assertThat(world.arc.told.getLast().damaged()).isFalse();
        assertThat(world.ownership.owns(cid(1))).isTrue();
    }

    @Test
    void replay_noCopyHereAndNobodyElseHasOne_failsEvenIfDamageIsAccepted() {
        world.acceptDamage = true;
        world.recover(ZONE, 2, 7, span(1, 100), 0);

        Progress ended = world.ended(ZONE, 2);
        assertThat(ended.state()).isEqualTo(State.FAILED);
        assertThat(ended.note()).contains("no copy here");
        assertThat(world.arc.told).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    void ask_sameOrderAgain_isTheSameAttempt() {
        fillBoth(3);
        world.arc.failures = 1000;
        world.recover(ZONE, 2, 3, span(1, 100), 0);
        for (int i = 0; i < 10; i++) {
            world.ask(ZONE, 2, 3, span(1, 100), 0);
        }
        assertThat(world.recoveries().running()).isEqualTo(1);
        world.arc.failures = 0;

        assertThat(world.ended(ZONE, 2).chunks()).isEqualTo(3);
        assertThat(world.arc.told).hasSize(1);
        assertThat(world.taken).hasSize(1);
    }

    @Test
    void cancel_whileTheArcIsAsked_leavesNothingOfTheFirstAttempt() {
        fillBoth(3);
        world.arc.failures = 1000;
        world.recover(ZONE, 2, 3, span(1, 100), 0);
        assertThat(world.world.runUntil(() -> world.arc.failures < 1000, 1_000 * MILLI))
                .isTrue();
        world.recover(ZONE, 3, 2, span(1, 100), 0);
        world.arc.failures = 0;

        assertThat(world.ended(ZONE, 3).state()).isEqualTo(State.DONE);
        assertThat(progress(2).state()).isEqualTo(State.FAILED);
        assertThat(world.memory.statistics().chunks())
                .as("what is behind the end of the second order is left out")
                .isEqualTo(2);
        assertThat(world.taken).singleElement().satisfies(taken -> assertThat(taken.lastSequence())
                .isEqualTo(2));
    }

    /** Copies that this attempt has not opened may be members by then. */
    @Test
    void committed_inALaterEpochThanOrdered_isServedWithCopiesToOpen() {
        fillBoth(3);
        world.arc.placements.put(ZONE, new Placement(CANDIDATE, new int[] {0xC000}, 5, ZONE, PlacementState.DEGRADED));
        world.recover(ZONE, 2, 3, span(1, 100), 0);

        assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
        assertThat(world.taken.getFirst().placement().epoch()).isEqualTo(5);
        assertThat(world.taken.getFirst().opened()).isFalse();
    }

    /** An answer of the arc from before the order says nothing of this attempt. */
    @Test
    void committed_placementIsOlderThanTheOrder_failsAndLeavesNothing() {
        fillBoth(3);
        world.arc.placements.put(ZONE, new Placement(CANDIDATE, new int[] {0xC000}, 1, ZONE, PlacementState.DEGRADED));
        world.recover(ZONE, 2, 3, span(1, 100), 0);

        assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.FAILED);
        assertNothingIsLeft();
    }
}
