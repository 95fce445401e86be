package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkStatus;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.data.Transition.Phase;
import org.junit.jupiter.api.Test;

class OwnershipTest {

    private static final int OWN = 0x8000;
    private static final int OTHER = 0x4000;
    private static final long FIRST_LID = 100;

    private final Ownership ownership = new Ownership(OWN, FIRST_LID);

    @Test
    void statusOf_nothingLearnt_followsTheCreator() {
        assertThat(ownership.statusOf(own(100))).isEqualTo(ChunkStatus.OK);
        assertThat(ownership.statusOf(own(99))).isEqualTo(ChunkStatus.LOST);
        assertThat(ownership.statusOf(own(0))).isEqualTo(ChunkStatus.NOT_FOUND);
        assertThat(ownership.statusOf(Cid.of(OTHER, 100))).isEqualTo(ChunkStatus.WRONG_OWNER);
    }

    @Test
    void learn_rangesThatMoved_areOwnedByThoseWithTheHighestEpoch() {
        ownership.learn(range(own(10), own(19), OTHER, 2));
        ownership.learn(range(own(15), own(15), OWN, 3));
        ownership.learn(range(own(15), own(15), OTHER, 1));
        ownership.learn(range(Cid.of(OTHER, 1), Cid.of(OTHER, 5), OWN, 2));

        assertThat(ownership.statusOf(own(9))).isEqualTo(ChunkStatus.LOST);
        assertThat(ownership.statusOf(own(10))).isEqualTo(ChunkStatus.WRONG_OWNER);
        assertThat(ownership.statusOf(own(15))).as("came back").isEqualTo(ChunkStatus.OK);
        assertThat(ownership.statusOf(Cid.of(OTHER, 5))).isEqualTo(ChunkStatus.OK);
        assertThat(ownership.movedRanges(new long[] {own(15), own(16), own(17)}, 3))
                .containsExactly(range(own(16), own(19), OTHER, 2));
    }

    @Test
    void statusOf_ownChunkThatOthersAreRecovering_isNotLost() {
        Placement recovering = new Placement(0, new int[] {OTHER}, 2, 77, PlacementState.RECOVERING);
        Placement lost = new Placement(0, new int[0], 2, 0, PlacementState.LOST);
        ownership.learn(new CidRange(own(10), own(19), recovering));
        ownership.learn(new CidRange(own(20), own(29), lost));

        assertThat(ownership.statusOf(own(10))).isEqualTo(ChunkStatus.WRONG_OWNER);
        assertThat(ownership.statusOf(own(20))).isEqualTo(ChunkStatus.LOST);
        assertThat(ownership.statusOf(own(9))).isEqualTo(ChunkStatus.LOST);
        ownership.learn(range(own(10), own(19), OWN, 3));
        assertThat(ownership.statusOf(own(10))).as("recovered here").isEqualTo(ChunkStatus.OK);
    }

    @Test
    void mustWait_phases_holdUpWhatTheySay() {
        Transition transition = new Transition(own(200), own(201), true, Phase.COPYING);
        ownership.begin(transition);
        long[] inside = {own(300), own(201)};
        assertThat(ownership.mustWait(inside, 2, true)).isFalse();
        assertThat(ownership.mustCreatesWait()).isFalse();

        transition.enter(Phase.CHANGES_WAIT);
        assertThat(ownership.mustWait(inside, 2, true)).isTrue();
        assertThat(ownership.mustWait(inside, 1, true)).isFalse();
        assertThat(ownership.mustWait(inside, 2, false)).isFalse();
        assertThat(ownership.mustCreatesWait()).isTrue();

        transition.enter(Phase.ALL_WAIT);
        assertThat(ownership.mustWait(inside, 2, false)).isTrue();
        assertThat(ownership.isUncertain(own(200))).isTrue();

        ownership.end(transition);
        assertThat(ownership.mustWait(inside, 2, true)).isFalse();
        assertThat(ownership.isInTransition(own(200), own(200))).isFalse();
    }

    @Test
    void takeChanged_whatWasNotedWhileCopying_comesOnceAndAscending() {
        Transition transition = new Transition(own(200), own(299), true, Phase.COPYING);
        ownership.begin(transition);
        ownership.noteChanged(new long[] {own(250), own(300), own(210), own(250)}, 4);

        assertThat(transition.takeChanged()).containsExactly(own(210), own(250));
        assertThat(transition.takeChanged()).isEmpty();
    }

    private static long own(long lid) {
        return Cid.of(OWN, lid);
    }

    private static CidRange range(long start, long end, int owner, long epoch) {
        return new CidRange(start, end, Placement.unreplicated(owner, epoch));
    }
}
