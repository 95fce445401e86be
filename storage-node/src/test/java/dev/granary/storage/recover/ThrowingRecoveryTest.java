package dev.granary.storage.recover;

import static dev.granary.storage.recover.RecoveryWorld.CANDIDATE;
import static dev.granary.storage.recover.RecoveryWorld.ZONE;
import static dev.granary.storage.recover.RecoveryWorld.span;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.State;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.backup.Owner;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * Recoveries in which each step throws once. The attempt ends, either served or with nothing left in memory, and
 * whoever ordered it sees that; the next attempt is served.
 */
class ThrowingRecoveryTest {

    private static final long MEMORY_BYTES = 16 << 20;
    private static final int MOST_STEPS = 200;
    private static final int CHUNKS = 20;

    private static int eachStepOnce(IntFunction<Integer> scenario) {
        int steps = 0;
        while (steps < MOST_STEPS && scenario.apply(steps) == 0) {
            steps++;
        }
        return steps;
    }

    private static long cid(long lid) {
        return Cid.of(Owner.NID, lid);
    }

    private static void fill(RecoveryWorld world) {
        world.open(ZONE);
        world.replicate(ZONE, 1, batch -> {
            for (int lid = 1; lid <= CHUNKS; lid++) {
                batch.chunk(cid(lid), new byte[] {(byte) lid}, 0, 1);
            }
        });
    }

    /** Asserts that the throwing step cost at most one attempt; returns how many steps are still to throw. */
    private static int serveInTheEnd(RecoveryWorld world, int passed, long nextCid) {
        for (long epoch = 2; epoch < 5; epoch++) {
            world.recover(ZONE, epoch, 1, span(1, 10), nextCid);
            RunRecoveryReply.Progress ended = world.ended(ZONE, epoch);
            if (ended.state() == State.DONE) {
                assertThat(world.ownership.owns(cid(1))).as("step %d", passed).isTrue();
                assertThat(world.ownership.owns(cid(CHUNKS)))
                        .as("step %d", passed)
                        .isTrue();
                assertThat(world.memory.statistics().chunks())
                        .as("step %d", passed)
                        .isEqualTo(CHUNKS);
                assertThat(world.recoveries().running()).as("step %d", passed).isZero();
                return world.candidate.machine().stepsToFail();
            }
            assertThat(ended.state()).as("step %d", passed).isEqualTo(State.FAILED);
            assertThat(world.memory.statistics().chunks()).as("step %d", passed).isZero();
            assertThat(world.taken).as("step %d", passed).isEmpty();
        }
        throw new AssertionError("step " + passed + ": the zone is never recovered");
    }

    private static long secondSpan(RecoveryWorld world) {
        Placement placement = new Placement(0x4000, new int[0], 1, ZONE, PlacementState.IN_SYNC);
        world.arc.ranges.put(cid(11), new RangeList(0, List.of(new CidRange(cid(11), cid(1000), placement))));
        return cid(11);
    }

    @Test
    void recover_arcFailsAtFirst_isServedInTheEndWhateverStepThrows() {
        assertThat(eachStepOnce(passed -> {
                    try (RecoveryWorld world = new RecoveryWorld(MEMORY_BYTES, CANDIDATE, 1)) {
                        fill(world);
                        world.arc.failures = 2;
                        world.candidate.machine().failSteps(passed, 1);
                        return serveInTheEnd(world, passed, secondSpan(world));
                    }
                }))
                .isBetween(9, MOST_STEPS - 1);
    }

    /** The arc has made this peer the owner, so nobody else will serve the zone. */
    @Test
    void recover_arcHasCommittedButItsAnswersAreLost_isServedByThatAttemptWhateverStepThrows() {
        assertThat(eachStepOnce(passed -> {
                    try (RecoveryWorld world = new RecoveryWorld(MEMORY_BYTES, CANDIDATE, 1)) {
                        fill(world);
                        // Longer than the wait for other members: that wait ends while the arc is being asked.
                        world.arc.lostAnswers = 10;
                        world.candidate.machine().failSteps(passed, 1);
                        world.recover(ZONE, 2, 1, span(1, CHUNKS), 0);
                        State ended = world.ended(ZONE, 2).state();
                        if (world.arc.told.isEmpty()) {
                            assertThat(ended).as("step %d", passed).isEqualTo(State.FAILED);
                        } else {
                            assertThat(ended).as("step %d", passed).isEqualTo(State.DONE);
                            assertThat(world.taken).as("step %d", passed).hasSize(1);
                        }
                        return world.candidate.machine().stepsToFail();
                    }
                }))
                .isBetween(15, MOST_STEPS - 1);
    }

    @Test
    void recover_fromTheOtherMember_isServedInTheEndWhateverStepThrows() {
        assertThat(eachStepOnce(passed -> {
                    try (RecoveryWorld world = new RecoveryWorld(MEMORY_BYTES, CANDIDATE, 1)) {
                        world.owner.open(world.other, ZONE, 1, 0, false);
                        byte[] batch = world.owner.batch(ZONE, 1, 1, entries -> {
                            for (int lid = 1; lid <= CHUNKS; lid++) {
                                entries.chunk(cid(lid), new byte[] {(byte) lid}, 0, 1);
                            }
                        });
                        world.owner.replicate(world.other, ZONE, 1, false, batch);
                        world.candidate.machine().failSteps(passed, 1);
                        return serveInTheEnd(world, passed, secondSpan(world));
                    }
                }))
                .isBetween(10, MOST_STEPS - 1);
    }

    @Test
    void recover_ownChunksOfThisIncarnation_areServedInTheEndWhateverStepThrows() {
        assertThat(eachStepOnce(ThrowingRecoveryTest::recoverPlaceholders)).isBetween(9, MOST_STEPS - 1);
    }

    @Test
    void recover_noRoom_neverTellsTheArcThatItIsDoneWhateverStepThrows() {
        assertThat(eachStepOnce(ThrowingRecoveryTest::recoverWithoutRoom)).isBetween(4, MOST_STEPS - 1);
    }

    /** The other in-sync backup agrees while the candidate removes from memory what it had recovered so far. */
    private static int recoverWithoutRoom(int passed) {
        try (RecoveryWorld world = new RecoveryWorld(2 << 20, CANDIDATE, 1)) {
            world.open(ZONE);
            for (int sequence = 1; sequence <= 30; sequence++) {
                long lid = sequence;
                world.replicate(ZONE, sequence, batch -> batch.chunk(cid(lid), new byte[100_000], 0, 100_000));
                world.world.runFor(50_000_000);
            }
            world.candidate.machine().failSteps(passed, 1);
            world.recover(ZONE, 2, 30, span(1, 1000), 0);
            assertThat(world.ended(ZONE, 2).state()).as("step %d", passed).isIn(State.NO_ROOM, State.FAILED);
            assertThat(world.arc.told).as("step %d", passed).isEmpty();
            assertThat(world.taken).as("step %d", passed).isEmpty();
            assertThat(world.memory.statistics().chunks()).as("step %d", passed).isZero();
            return world.candidate.machine().stepsToFail();
        }
    }

    private static int recoverPlaceholders(int passed) {
        try (RecoveryWorld world = new RecoveryWorld(MEMORY_BYTES, Owner.NID, 1)) {
            world.memory.reserveLids(101);
            for (int i = 0; i < 100; i++) {
                world.memory.create(0);
            }
            world.ownership.learn(new CidRange(cid(1), cid(100), Placement.unreplicated(0x2000, 1)));
            fill(world);
            world.candidate.machine().failSteps(passed, 1);
            for (long epoch = 2; epoch < 5; epoch++) {
                world.recover(ZONE, epoch, 1, span(1, 100), 0);
                RunRecoveryReply.Progress ended = world.ended(ZONE, epoch);
                if (ended.state() == State.DONE) {
                    assertThat(world.memory.statistics().chunks())
                            .as("step %d", passed)
                            .isEqualTo(CHUNKS);
                    assertThat(world.learnt).as("step %d", passed).contains("returned 1..100");
                    assertThat(world.ownership.owns(cid(100)))
                            .as("step %d", passed)
                            .isTrue();
                    return world.candidate.machine().stepsToFail();
                }
                assertThat(world.memory.statistics().chunks())
                        .as("step %d: placeholders", passed)
                        .isEqualTo(100);
            }
            throw new AssertionError("step " + passed + ": the zone is never recovered");
        }
    }
}
