package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.data.Transition;
import dev.granary.testkit.History;
import dev.granary.testkit.HistoryViolation;
import dev.granary.testkit.KeyHistory;
import dev.granary.testkit.Operation;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a history allows clients to see after {@link OwnerDeaths} has told it of the end of processes. */
class OwnerDeathsTest {

    private static final int NID = 0x8000;
    private static final int OTHER = 0x9000;

    private final History history = new History(() -> 0);

    private OwnerDeaths deaths(boolean replicated) {
        return new OwnerDeaths(history, new KeyHistory(() -> 0), replicated, cid -> false);
    }

    private static Ownership ownership(int nid) {
        return new Ownership(nid, 1);
    }

    private long created(long lid, long value) {
        Operation create = history.create("c", value);
        create.created(Cid.of(NID, lid));
        return Cid.of(NID, lid);
    }

    private void lost(long cid) {
        history.get("c", cid).lost();
    }

    private void read(long cid, long value) {
        history.get("c", cid).read(value);
    }

    private void assertCaught() {
        assertThatThrownBy(history::check).isInstanceOf(HistoryViolation.class);
    }

    private void assertAllowed() {
        assertThatCode(history::check).doesNotThrowAnyException();
    }

    @Test
    void died_noCopies_itsChunksAreLostAndNeverBack() {
        OwnerDeaths deaths = deaths(false);
        int number = deaths.opened(NID, () -> Optional.of(ownership(NID)));
        long cid = created(1, 5);
        read(cid, 5);
        deaths.died(NID, number);
        lost(cid);
        assertAllowed();
        read(cid, 5);
        assertCaught();
    }

    @Test
    void chunkIsLost_nobodyHasDied_isCaught() {
        deaths(false).opened(NID, () -> Optional.of(ownership(NID)));
        lost(created(1, 5));
        assertCaught();
    }

    @Test
    void died_chunkWasMovedAway_isNotLostWithIt() {
        OwnerDeaths deaths = deaths(false);
        Ownership own = ownership(NID);
        int number = deaths.opened(NID, () -> Optional.of(own));
        long cid = created(1, 5);
        own.learn(new CidRange(cid, cid, Placement.unreplicated(OTHER, 2)));
        deaths.died(NID, number);
        read(cid, 5);
        assertAllowed();
        lost(cid);
        assertCaught();
    }

    /** The arc may have committed the move, and nobody here knows it. */
    @Test
    void died_chunkWasJustMoving_mayBeLostOrNot() {
        for (boolean isLost : new boolean[] {true, false}) {
            History own = new History(() -> 0);
            OwnerDeaths deaths = new OwnerDeaths(own, new KeyHistory(() -> 0), false, cid -> false);
            Ownership ownership = ownership(NID);
            int number = deaths.opened(NID, () -> Optional.of(ownership));
            own.create("c", 5).created(Cid.of(NID, 1));
            ownership.begin(new Transition(Cid.of(NID, 1), Cid.of(NID, 1), true, Transition.Phase.ALL_WAIT));
            deaths.died(NID, number);
            if (isLost) {
                own.get("c", Cid.of(NID, 1)).lost();
            } else {
                own.get("c", Cid.of(NID, 1)).read(5);
            }
            assertThatCode(own::check).as("lost: %s", isLost).doesNotThrowAnyException();
        }
    }

    /** A process that opens a NID reports the death of the one before. A second report of it must not count. */
    @Test
    void died_anotherHasOpenedTheNidSince_isNotTheOthersDeath() {
        OwnerDeaths deaths = deaths(false);
        int first = deaths.opened(NID, () -> Optional.of(ownership(NID)));
        int second = deaths.opened(NID, () -> Optional.of(ownership(NID)));
        assertThat(second).isGreaterThan(first);
        long cid = created(1, 5);
        deaths.died(NID, first);
        lost(cid);
        assertCaught();
    }

    @Test
    void resumed_fromADump_nothingIsLost() {
        OwnerDeaths deaths = deaths(false);
        deaths.opened(NID, () -> Optional.of(ownership(NID)));
        long cid = created(1, 5);
        deaths.resumed(NID, () -> Optional.of(ownership(NID)));
        read(cid, 5);
        assertAllowed();
        lost(cid);
        assertCaught();
    }

    @Test
    void died_copiesExist_chunkThatWasAcknowledgedStays() {
        OwnerDeaths deaths = deaths(true);
        int number = deaths.opened(NID, () -> Optional.of(ownership(NID)));
        long cid = created(1, 5);
        deaths.died(NID, number);
        read(cid, 5);
        assertAllowed();
        lost(cid);
        assertCaught();
    }

    @Test
    void diskLost_noCopies_nobodyKnowsWhatBecameOfItsChunks() {
        OwnerDeaths deaths = deaths(false);
        Ownership own = ownership(NID);
        own.learn(new CidRange(Cid.of(OTHER, 1), Cid.of(OTHER, 9), Placement.unreplicated(NID, 2)));
        deaths.opened(NID, () -> Optional.of(own));
        assertThat(deaths.isGone(Cid.of(NID, 1))).isFalse();
        deaths.diskLost(NID);
        assertThat(deaths.isGone(Cid.of(NID, 1))).isTrue();
        assertThat(deaths.isGone(Cid.of(OTHER, 5))).as("what had come to it").isTrue();
        assertThat(deaths.isGone(Cid.of(OTHER, 10))).isFalse();
    }

    @Test
    void diskLost_copiesExist_nothingIsGone() {
        OwnerDeaths deaths = deaths(true);
        deaths.opened(NID, () -> Optional.of(ownership(NID)));
        deaths.diskLost(NID);
        assertThat(deaths.isGone(Cid.of(NID, 1))).isFalse();
    }
}
