package dev.granary.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.Cid;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checker accepts what can be, and catches every kind of history that cannot. */
class HistoryTest {

    private static final int NID = 0x8000;
    private static final long CID = Cid.of(NID, 1);

    private final History history = new History(() -> 0);

    @Test
    void check_everythingOneAfterTheOther_isAccepted() {
        history.create("a", 1).created(CID);
        history.get("a", CID).read(1);
        history.put("b", CID, 2).done();
        history.get("a", CID).read(2);
        history.delete("b", CID).done();
        history.get("a", CID).notFound();
        history.put("a", CID, 3).notFound();
        history.create("c", 4).created(CID);
        history.get("a", CID).read(4);
        history.check();
        assertThat(history.outcomes()).containsEntry("GET DONE", 3).containsEntry("GET NOT_FOUND", 1);
    }

    @Test
    void check_putDuringGets_mayShowOldThenNew() {
        history.create("a", 1).created(CID);
        Operation put = history.put("a", CID, 2);
        history.get("b", CID).read(1);
        history.get("b", CID).read(2);
        put.done();
        history.check();
    }

    @Test
    void check_rollbackOfWhatAFenceHadMadeSure_isCaught() {
        history.create("a", 1).promising(Promise.SYNCED).created(CID);
        history.put("a", CID, 2).done();
        history.fence("a", CID).done();
        history.rollback(Promise.SYNCED, cid -> true).done();
        history.get("a", CID).read(1);
        assertCaught();
    }

    @Test
    void check_rollbackAfterAFenceWithoutAnAnswer_isAccepted() {
        history.create("a", 1).promising(Promise.SYNCED).created(CID);
        history.put("a", CID, 2).done();
        history.fence("a", CID).unknown();
        history.rollback(Promise.SYNCED, cid -> true).done();
        history.get("a", CID).read(1);
        history.check();
    }

    @Test
    void check_newThenOld_isCaught() {
        history.create("a", 1).created(CID);
        Operation put = history.put("a", CID, 2);
        history.get("b", CID).read(2);
        history.get("b", CID).read(1);
        put.done();
        assertCaught();
    }

    @Test
    void check_staleReadAfterAcknowledgedPut_isCaught() {
        history.create("a", 1).created(CID);
        history.put("a", CID, 2).done();
        history.get("b", CID).read(1);
        assertCaught();
    }

    @Test
    void check_lostUpdate_isCaught() {
        history.create("a", 1).created(CID);
        Operation first = history.put("a", CID, 2);
        Operation second = history.put("b", CID, 3);
        first.done();
        second.done();
        history.get("a", CID).read(1);
        assertCaught();
    }

    @Test
    void rollback_ofReplicatedChanges_mayShowAnyFormerValue() {
        history.create("a", 1).promising(Promise.SYNCED).created(CID);
        history.put("a", CID, 2).done();
        history.put("a", CID, 3).done();
        history.rollback(Promise.SYNCED, cid -> true).done();
        history.get("b", CID).read(1);
        history.get("b", CID).read(1);
        history.check();
    }

    @Test
    void rollback_ofACreate_leavesNoChunk() {
        history.create("a", 1).created(CID);
        history.rollback(Promise.SYNCED, cid -> true).done();
        history.get("b", CID).notFound();
        history.create("a", 2).created(CID);
        history.get("b", CID).read(2);
        history.check();
    }

    @Test
    void rollback_ofAChunkThatIsBeingChanged_mayHaveShownTheChangeBefore() {
        history.create("a", 1).created(CID);
        Operation put = history.put("a", CID, 2);
        history.get("b", CID).read(2);
        history.rollback(Promise.SYNCED, cid -> true).done();
        put.notFound();
        history.get("b", CID).notFound();
        history.check();
    }

    @Test
    void put_answeredWithNotFoundBeforeARollback_changesNothing() {
        history.create("a", 1).created(CID);
        history.delete("a", CID).done();
        history.create("a", 3).created(CID);
        Operation put = history.put("a", CID, 2);
        history.get("b", CID).read(2);
        put.notFound();
        history.rollback(Promise.SYNCED, cid -> true).done();
        assertCaught();
    }

    @Test
    void rollback_behindASyncedChange_isCaught() {
        history.create("a", 1).promising(Promise.SYNCED).created(CID);
        history.put("a", CID, 2).promising(Promise.SYNCED).done();
        history.put("a", CID, 3).done();
        history.rollback(Promise.SYNCED, cid -> true).done();
        history.get("b", CID).read(1);
        assertCaught();
    }

    @Test
    void rollback_ofTheLastChange_leavesTheOneBefore() {
        history.create("a", 1).promising(Promise.SYNCED).created(CID);
        history.put("a", CID, 2).promising(Promise.SYNCED).done();
        history.put("a", CID, 3).done();
        history.rollback(Promise.SYNCED, cid -> true).done();
        history.get("b", CID).read(2);
        history.check();
    }

    @Test
    void rollback_shownInTwoWays_isCaught() {
        history.create("a", 1).promising(Promise.SYNCED).created(CID);
        history.put("a", CID, 2).done();
        history.rollback(Promise.SYNCED, cid -> true).done();
        history.get("b", CID).read(1);
        history.get("b", CID).read(2);
        assertCaught();
    }

    @Test
    void rollback_ofAsyncChanges_keepsReplicatedOnes() {
        history.create("a", 1).created(CID);
        history.put("a", CID, 2).done();
        history.put("a", CID, 3).promising(Promise.ASYNC).done();
        history.rollback(Promise.REPLICATED, cid -> true).done();
        history.get("b", CID).read(2);
        history.check();
        history.get("b", CID).read(1);
        assertCaught();
    }

    @Test
    void rolledBackSince_asyncChangeAfterIt_mayBeUndoneAtAnyMomentOrNever() {
        Operation memory = history.begun(Promise.REPLICATED);
        history.create("a", 1).created(CID);
        history.put("a", CID, 2).promising(Promise.ASYNC).done();
        history.put("a", CID, 3).promising(Promise.ASYNC).done();
        history.rolledBackSince(memory, cid -> true);
        history.get("b", CID).read(3);
        history.get("b", CID).read(1);
        history.rolledBackSince(memory, cid -> true);
        history.check();
        history.get("b", CID).read(3);
        assertCaught();
    }

    @Test
    void rolledBackSince_asyncChangeBeforeAFence_mayBeUndoneBeforeIt() {
        Operation memory = history.begun(Promise.REPLICATED);
        history.create("a", 1).created(CID);
        history.put("a", CID, 2).promising(Promise.ASYNC).done();
        history.rolledBackSince(memory, cid -> true);
        history.fence("b", CID).done();
        history.get("b", CID).read(1);
        history.check();
        history.get("b", CID).read(2);
        assertCaught();
    }

    @Test
    void rolledBackSince_asyncChangeBeforeAReplicatedOneThatIsUndone_mayHaveBeenUndoneBefore() {
        Operation memory = history.begun(Promise.REPLICATED);
        history.create("a", 1).created(CID);
        history.put("a", CID, 2).promising(Promise.ASYNC).done();
        history.rolledBackSince(memory, cid -> true);
        history.put("a", CID, 3).done();
        Operation power = history.rollback(Promise.SYNCED, cid -> true);
        power.done();
        history.get("b", CID).read(1);
        history.check();
    }

    @Test
    void incarnationEnded_createUnderWay_mayHaveMadeAChunkThereThatIsDeletedAgain() {
        history.create("a", 1).created(CID);
        history.delete("a", CID).done();
        Operation create = history.create("a", 2);
        history.incarnationEnded(Cid.nid(CID));
        history.delete("b", CID).done();
        create.created(Cid.of(0x4000, 7));
        history.get("a", CID).notFound();
        history.get("a", Cid.of(0x4000, 7)).read(2);
        history.check();
    }

    @Test
    void incarnationEnded_createBeforeIt_isInOnePlaceOnly() {
        history.create("a", 1).created(CID);
        history.delete("a", CID).done();
        history.create("a", 2).created(Cid.of(0x4000, 7));
        history.incarnationEnded(Cid.nid(CID));
        history.delete("b", CID).done();
        assertCaught();
    }

    @Test
    void rolledBackSince_nobodySaidSo_isCaught() {
        history.begun(Promise.REPLICATED);
        history.create("a", 1).created(CID);
        history.put("a", CID, 2).promising(Promise.ASYNC).done();
        history.get("b", CID).read(1);
        assertCaught();
    }

    @Test
    void rolledBackSince_changeThatWasReplicated_isCaught() {
        Operation memory = history.begun(Promise.REPLICATED);
        history.create("a", 1).promising(Promise.ASYNC).created(CID);
        history.put("a", CID, 2).done();
        history.put("a", CID, 3).promising(Promise.ASYNC).done();
        history.rolledBackSince(memory, cid -> true);
        history.get("b", CID).notFound();
        assertCaught();
    }

    @Test
    void rolledBackSince_manyMemories_isCheckedFast() {
        for (int i = 0; i < 40; i++) {
            Operation memory = history.begun(Promise.REPLICATED);
            history.rolledBackSince(memory, cid -> true);
        }
        history.create("a", 1).created(CID);
        for (long value = 2; value < 200; value += 2) {
            history.put("a", CID, value).promising(Promise.ASYNC).done();
            history.put("a", CID, value + 1).done();
            history.get("b", CID).read(value + 1);
        }
        history.check();
        history.get("b", CID).read(1);
        assertCaught();
    }

    @Test
    void rollback_ofOtherChunks_undoesNothingHere() {
        history.create("a", 1).created(CID);
        history.put("a", CID, 2).done();
        history.rollback(Promise.SYNCED, cid -> cid != CID).done();
        history.get("b", CID).read(1);
        assertCaught();
    }

    @Test
    void check_valueThatNobodyWrote_isCaught() {
        history.create("a", 1).created(CID);
        history.get("a", CID).read(99);
        assertCaught();
    }

    @Test
    void check_acknowledgedChunkNotFound_isCaught() {
        history.create("a", 1).created(CID);
        history.get("a", CID).notFound();
        assertCaught();
    }

    @Test
    void check_deletedChunkReturns_isCaught() {
        history.create("a", 1).created(CID);
        history.delete("a", CID).done();
        history.get("b", CID).read(1);
        assertCaught();
    }

    @Test
    void check_deletedTwice_isCaught() {
        history.create("a", 1).created(CID);
        history.delete("a", CID).done();
        history.delete("b", CID).done();
        assertCaught();
    }

    @Test
    void check_oneCidForTwoObjects_isCaught() {
        history.create("a", 1).created(CID);
        history.create("b", 2).created(CID);
        assertCaught();
    }

    @Test
    void check_cidOfALostChunkGivenAgain_isCaught() {
        history.create("a", 1).created(CID);
        history.ownerDied(NID);
        history.create("b", 2).created(CID);
        assertCaught();
    }

    @Test
    void check_unknownPut_mayHaveHappenedOrNotOrLater() {
        history.create("a", 1).created(CID);
        history.put("a", CID, 2).unknown();
        history.get("b", CID).read(1);
        history.get("b", CID).read(1);
        assertThatCode(history::check).doesNotThrowAnyException();
        history.get("b", CID).read(2);
        assertThatCode(history::check).doesNotThrowAnyException();
        history.get("b", CID).read(1);
        assertCaught();
    }

    @Test
    void check_unknownDelete_mayExplainNotFound() {
        history.create("a", 1).created(CID);
        history.delete("a", CID).unknown();
        history.get("b", CID).notFound();
        history.check();
    }

    @Test
    void check_refusedPutThatShows_isCaught() {
        history.create("a", 1).created(CID);
        history.put("a", CID, 2).refused();
        history.get("b", CID).read(2);
        assertCaught();
    }

    @Test
    void check_lostAfterTheOwnerDied_isAccepted() {
        history.create("a", 1).created(CID);
        Operation slowGet = history.get("b", CID);
        history.ownerDied(NID);
        slowGet.read(1);
        history.get("b", CID).lost();
        history.check();
    }

    @Test
    void check_putAnsweredWithLost_mayHaveShownBeforeTheDeath() {
        history.create("a", 1).created(CID);
        Operation put = history.put("a", CID, 2);
        history.get("b", CID).read(2);
        history.ownerDied(NID);
        put.lost();
        history.check();
        history.get("b", CID).read(2);
        assertCaught();
    }

    @Test
    void check_createAnsweredAfterADeath_mayBeOfTheNextLife() {
        Operation create = history.create("a", 1);
        history.ownerDied(NID);
        create.created(CID);
        history.get("a", CID).read(1);
        history.check();
    }

    @Test
    void check_deletedChunkOfADeadOwner_isLostAndItsCidIsNeverGivenAgain() {
        history.create("a", 1).created(CID);
        history.delete("a", CID).done();
        history.ownerDied(NID);
        history.get("a", CID).lost();
        history.check();
        history.create("b", 2).created(CID);
        assertCaught();
    }

    @Test
    void check_createWithoutAnswer_explainsThatADeletedChunkIsThere() {
        history.create("a", 1).created(CID);
        history.delete("a", CID).done();
        history.put("a", CID, 2).done();
        assertCaught();

        History other = new History(() -> 0);
        other.create("a", 1).created(CID);
        other.create("b", 9).unknown();
        other.delete("a", CID).done();
        other.put("a", CID, 2).done();
        other.get("a", CID).read(2);
        other.check();
        other.get("a", CID).notFound(); // the failed create was undone
        other.check();
        other.create("c", 10).created(CID);
        other.delete("c", CID).done();
        other.create("c", 11).created(CID);
        other.get("a", CID).notFound(); // it is undone once only
        assertThatThrownBy(other::check).isInstanceOf(HistoryViolation.class);
    }

    @Test
    void check_manyCreatesWithoutAnswer_isCheckedFast() {
        for (int i = 0; i < 100; i++) {
            history.create("x", 1000 + i)
                    .promising(i % 2 == 0 ? Promise.SYNCED : Promise.REPLICATED)
                    .unknown();
        }
        history.create("a", 1).created(CID);
        for (long value = 2; value < 12; value++) {
            Operation put = history.put("b", CID, value);
            Operation delete = history.delete("c", CID);
            history.delete("a", CID).done();
            delete.done();
            put.done();
        }
        history.get("a", CID).notFound();
        history.check();
        history.get("a", CID).read(1);
        assertCaught();
    }

    @Test
    void check_createRepeatedAfterADeath_mayHaveMadeAChunkBeforeIt() {
        long next = Cid.of(NID, 1000);
        history.create("a", 1).created(CID);
        history.delete("a", CID).done();
        Operation repeated = history.create("b", 2);
        history.get("a", CID).read(2);
        history.ownerDied(NID);
        repeated.created(next);
        history.get("a", CID).lost();
        history.get("a", next).read(2);
        history.check();
    }

    @Test
    void check_lostThoughTheOwnerLives_isCaught() {
        history.create("a", 1).created(CID);
        history.ownerDied(0x4000);
        history.get("b", CID).lost();
        assertCaught();
    }

    @Test
    void check_valueOfADeadOwner_isCaught() {
        history.create("a", 1).created(CID);
        history.ownerDied(NID);
        history.get("b", CID).read(1);
        assertCaught();
    }

    @Test
    void check_notFoundInsteadOfLost_isCaught() {
        history.create("a", 1).created(CID);
        history.ownerDied(NID);
        history.get("b", CID).notFound();
        assertCaught();
    }

    @Test
    void end_twice_isRefused() {
        Operation get = history.get("a", CID);
        get.notFound();
        assertThatThrownBy(get::lost).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> history.get("a", CID).created(1)).isInstanceOf(IllegalStateException.class);
    }

    /** Histories of a real register with random overlaps are accepted; with one answer changed they are caught. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void check_historiesOfARealRegister_areAcceptedUntilAnAnswerIsChanged(long seed) {
        for (boolean spoiled : new boolean[] {false, true}) {
            History recorded = recordRegister(seed, spoiled);
            if (spoiled) {
                assertThatThrownBy(recorded::check).as("seed " + seed).isInstanceOf(HistoryViolation.class);
            } else {
                recorded.check();
            }
        }
    }

    private static History recordRegister(long seed, boolean spoiled) {
        SplittableRandom random = new SplittableRandom(seed);
        History recorded = new History(() -> 0);
        recorded.create("a", 1).created(CID);
        long state = 1;
        for (int round = 0; round < 60; round++) {
            int parallel = 1 + random.nextInt(4);
            Operation[] open = new Operation[parallel];
            long[] values = new long[parallel];
            for (int i = 0; i < parallel; i++) {
                values[i] = random.nextBoolean() ? 100 + round * 10 + i : 0;
                open[i] = values[i] > 0 ? recorded.put("c" + i, CID, values[i]) : recorded.get("c" + i, CID);
            }
            for (int i = parallel - 1; i >= 0; i--) {
                if (values[i] > 0) {
                    state = values[i];
                    open[i].done();
                } else {
                    boolean lie = spoiled && round == 59;
                    open[i].read(lie ? 1 : state);
                }
            }
        }
        recorded.get("a", CID).read(spoiled ? 1 : state);
        return recorded;
    }

    private void assertCaught() {
        assertThatThrownBy(history::check)
                .isInstanceOf(HistoryViolation.class)
                .hasMessageContaining(Cid.toHex(CID))
                .hasMessageContaining("no order");
    }
}
