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
    void mustWait_chunksMayBeReadForAWhile_readsWaitAfterwardsAndChangesAtOnce() {
        Transition moving = new Transition(own(110), own(119), true, Phase.COPYING);
        ownership.begin(moving);
        long[] cids = {own(112)};
        assertThat(ownership.areReadTooLate(cids, 1, () -> 1_000)).isFalse();

        moving.readUntil(100);
        assertThat(ownership.mustWait(cids, 1, false, 99)).isFalse();
        assertThat(ownership.mustWait(cids, 1, true, 99)).isTrue();
        assertThat(ownership.mustCreatesWait()).isTrue();
        assertThat(ownership.isUncertain(cids[0])).isTrue();
        assertThat(ownership.areReadTooLate(cids, 1, () -> 99)).isFalse();
        assertThat(ownership.areReadTooLate(cids, 1, () -> 100)).isTrue();
        assertThat(ownership.mustWait(cids, 1, false, 100)).isTrue();

        moving.readUntil(200);
        assertThat(ownership.mustWait(cids, 1, false, 100)).isFalse();

        moving.enter(Phase.GONE);
        assertThat(ownership.mustWait(cids, 1, true, 300)).isFalse();
        assertThat(ownership.areReadTooLate(cids, 1, () -> 300))
                .as("a read that began before")
                .isTrue();
        assertThat(ownership.mustCreatesWait())
                .as("their LIDs are not taken yet")
                .isTrue();
    }

    @Test
    void statusOf_nothingLearnt_followsTheCreator() {
        assertThat(ownership.statusOf(own(100))).isEqualTo(ChunkStatus.OK);
        assertThat(ownership.statusOf(own(99))).isEqualTo(ChunkStatus.LOST);
        assertThat(ownership.statusOf(own(0))).isEqualTo(ChunkStatus.NOT_FOUND);
        assertThat(ownership.statusOf(Cid.of(OTHER, 100))).isEqualTo(ChunkStatus.WRONG_OWNER);
    }

    @Test
    void knownRanges_learntByAnother_tellsOfTheSameChunksWhereToAsk() {
        Placement nobody = new Placement(0, new int[0], 2, 0, PlacementState.RECOVERING);
        ownership.learn(new CidRange(own(10), own(29), nobody));
        ownership.learn(range(own(20), own(29), OTHER, 3));
        Ownership other = new Ownership(OWN, FIRST_LID);

        ownership.knownRanges().forEach(other::learn);

        assertThat(other.statusOf(own(10))).isEqualTo(ChunkStatus.WRONG_OWNER);
        assertThat(other.statusOf(own(20))).isEqualTo(ChunkStatus.WRONG_OWNER);
        assertThat(other.known(own(20)).orElseThrow().placement().owner()).isEqualTo(OTHER);
        assertThat(other.statusOf(own(30))).isEqualTo(ChunkStatus.LOST);
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
        assertThat(ownership.mustWait(inside, 2, true, 0)).isFalse();
        assertThat(ownership.mustCreatesWait()).isFalse();

        transition.enter(Phase.CHANGES_WAIT);
        assertThat(ownership.mustWait(inside, 2, true, 0)).isTrue();
        assertThat(ownership.mustWait(inside, 1, true, 0)).isFalse();
        assertThat(ownership.mustWait(inside, 2, false, 0)).isFalse();
        assertThat(ownership.mustCreatesWait()).isTrue();

        transition.enter(Phase.ALL_WAIT);
        assertThat(ownership.mustWait(inside, 2, false, 0)).isTrue();
        assertThat(ownership.isUncertain(own(200))).isTrue();

        ownership.end(transition);
        assertThat(ownership.mustWait(inside, 2, true, 0)).isFalse();
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
