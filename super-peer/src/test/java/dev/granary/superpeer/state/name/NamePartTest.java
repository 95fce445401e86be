package dev.granary.superpeer.state.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.name.NamePosition;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ArcTransfer;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.name.NameResult.Changed;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class NamePartTest {

    private static final Arc RING = new Arc(Nid.MAX, Nid.MAX);
    private static final long CLIENT = 77;
    private static final long CID = Cid.of(0x8000, 5);
    private static final long OTHER = Cid.of(0x4000, 6);

    private final ArcState arc = new ArcState();
    private long sequence;

    private ArcResult put(String name, long cid, NameCondition condition, long expected) {
        sequence++;
        return arc.apply(new NameCommand(CLIENT, sequence, sequence - 1, false, name, cid, condition, expected));
    }

    private ArcResult put(String name, long cid) {
        return put(name, cid, NameCondition.ALWAYS, Cid.NONE);
    }

    private static Changed changed(boolean done, long previous) {
        return new Changed(done, previous);
    }

    @Test
    void change_conditions_decideOnWhatTheNameStoodFor() {
        assertThat(put("a", CID, NameCondition.IF_EXPECTED, OTHER)).isEqualTo(changed(false, Cid.NONE));
        assertThat(put("a", CID, NameCondition.IF_ABSENT, 0)).isEqualTo(changed(true, Cid.NONE));
        assertThat(put("a", OTHER, NameCondition.IF_ABSENT, 0)).isEqualTo(changed(false, CID));
        assertThat(put("a", OTHER, NameCondition.IF_EXPECTED, CID)).isEqualTo(changed(true, CID));
        assertThat(put("a", Cid.NONE, NameCondition.IF_EXPECTED, CID)).isEqualTo(changed(false, OTHER));
        assertThat(arc.cidOf("a")).hasValue(OTHER);
        assertThat(put("a", Cid.NONE)).isEqualTo(changed(true, OTHER));
        assertThat(put("a", Cid.NONE)).isEqualTo(changed(true, Cid.NONE));
        assertThat(arc.cidOf("a")).isEmpty();
        assertThat(arc.nameCount()).isZero();
    }

    @Test
    void changesSince_lastChanges_areTheOnesThatFollowAVersion() {
        assertThat(arc.nameVersion()).isZero();
        put("a", CID);
        put("a", OTHER, NameCondition.IF_ABSENT, 0);
        put("b", CID);
        put("a", Cid.NONE);
        assertThat(arc.nameVersion()).isEqualTo(3);
        assertThat(arc.nameChangesSince(1, 9)).containsExactly(new NameEntry("b", CID), new NameEntry("a", Cid.NONE));
        assertThat(arc.nameChangesSince(1, 1)).containsExactly(new NameEntry("b", CID));
        assertThat(arc.nameChangesSince(3, 9)).isEmpty();
        assertThat(arc.nameChangesSince(4, 9)).isNull();
        for (int i = 0; i < NameState.REMEMBERED_CHANGES; i++) {
            put("c", CID);
        }
        assertThat(arc.nameChangesSince(2, 9)).isNull();
        assertThat(arc.nameChangesSince(3, 9)).hasSize(9);
    }

    @Test
    void version_ofAPartThatComes_isTheHigherOneAndNoChangesAreRememberedAcross() {
        put("a", CID);
        put("b", CID);
        ByteBuf part = Unpooled.buffer();
        arc.writePart(RING, part);
        ArcState other = new ArcState();
        other.apply(new NameCommand(CLIENT + 1, 1, 0, false, "z", CID, NameCondition.ALWAYS, 0));
        other.readPart(part);
        assertThat(other.nameVersion()).isEqualTo(2);
        assertThat(other.nameChangesSince(1, 9)).isNull();
        assertThat(other.nameChangesSince(2, 9)).isEmpty();
    }

    @Test
    void change_repeated_isAnsweredAsTheFirstTimeAndChangesNothing() {
        NameCommand first = new NameCommand(CLIENT, 1, 0, false, "a", CID, NameCondition.ALWAYS, 0);
        NameCommand repeated = new NameCommand(CLIENT, 1, 0, true, "a", CID, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(first)).isEqualTo(changed(true, Cid.NONE));
        NameCommand remove = new NameCommand(99, 1, 0, false, "a", Cid.NONE, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(remove)).isEqualTo(changed(true, CID));
        assertThat(arc.apply(repeated)).isEqualTo(changed(true, Cid.NONE));
        assertThat(arc.cidOf("a")).isEmpty();
    }

    @Test
    void change_belowWhatTheClientHasAcknowledged_hasAnUnknownOutcome() {
        put("a", CID);
        put("b", CID);
        NameCommand late = new NameCommand(CLIENT, 1, 0, true, "a", OTHER, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(late)).isEqualTo(new NameResult.OutcomeUnknown());
        assertThat(arc.cidOf("a")).hasValue(CID);
    }

    /**
     * The first send of a request may arrive after its repetition was answered: a connection that was cut off goes on.
     */
    @Test
    void change_firstSendComesAfterItsRepetitionWasAcknowledged_undoesNothingLater() {
        NameCommand repeated = new NameCommand(CLIENT, 5, 4, true, "a", CID, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(repeated)).isEqualTo(changed(true, Cid.NONE));
        NameCommand later = new NameCommand(CLIENT, 6, 5, false, "a", OTHER, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(later)).isEqualTo(changed(true, CID));

        NameCommand firstSend = new NameCommand(CLIENT, 5, 4, false, "a", CID, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(firstSend)).isEqualTo(new NameResult.OutcomeUnknown());
        assertThat(arc.cidOf("a")).hasValue(OTHER);
    }

    @Test
    void change_firstSendComesAfterItsAnswerWasForgotten_isNotCarriedOutAgain() {
        NameCommand first = new NameCommand(CLIENT, 1, 0, false, "a", CID, NameCondition.ALWAYS, 0);
        arc.apply(first);
        for (int i = 0; i <= CompletedChanges.MAX_ANSWERS; i++) {
            arc.apply(new NameCommand(CLIENT, 2 + i, 0, false, "a", OTHER, NameCondition.ALWAYS, 0));
        }
        assertThat(arc.apply(first)).isEqualTo(new NameResult.OutcomeUnknown());
        assertThat(arc.cidOf("a")).hasValue(OTHER);
    }

    @Test
    void change_firstSendComesAfterAPartHasMoved_isNotCarriedOutAgain() {
        put("a", CID);
        put("a", OTHER);
        ByteBuf part = Unpooled.buffer();
        arc.writePart(RING, part);
        ArcState target = new ArcState();
        target.readPart(part);
        NameCommand firstSend = new NameCommand(CLIENT, 1, 0, false, "a", CID, NameCondition.ALWAYS, 0);
        assertThat(target.apply(firstSend)).isEqualTo(new NameResult.OutcomeUnknown());
        assertThat(target.cidOf("a")).hasValue(OTHER);
    }

    @Test
    void change_clientThatWasForgotten_repeatsNothing() {
        NameCommand first = new NameCommand(CLIENT, 1, 0, false, "a", CID, NameCondition.ALWAYS, 0);
        arc.apply(first);
        NameCommand unknownYet = new NameCommand(5, 1, 0, true, "x", CID, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(unknownYet)).isEqualTo(changed(true, Cid.NONE));
        for (int i = 0; i < CompletedChanges.MAX_CLIENTS; i++) {
            arc.apply(new NameCommand(1000 + i, 1, 0, false, "b", CID, NameCondition.ALWAYS, 0));
        }
        arc.apply(new NameCommand(1, 1, 0, false, "a", Cid.NONE, NameCondition.ALWAYS, 0));
        NameCommand repeated = new NameCommand(CLIENT, 1, 0, true, "a", CID, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(repeated)).isEqualTo(new NameResult.OutcomeUnknown());
        assertThat(arc.cidOf("a")).isEmpty();
    }

    /**
     * After the arc forgot the client, its first request to arrive was a later one than those of which nobody knows.
     */
    @Test
    void change_earlierRequestOfAClientThatWasForgottenAndCameAgain_isNotRepeated() {
        for (int i = 0; i <= CompletedChanges.MAX_CLIENTS; i++) {
            arc.apply(new NameCommand(1000 + i, 1, 0, false, "b", CID, NameCondition.ALWAYS, 0));
        }
        NameCommand later = new NameCommand(CLIENT, 7, 4, false, "c", CID, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(later)).isEqualTo(changed(true, Cid.NONE));

        NameCommand repeated = new NameCommand(CLIENT, 6, 4, true, "a", CID, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(repeated)).isEqualTo(new NameResult.OutcomeUnknown());
        NameCommand overtaken = new NameCommand(CLIENT, 5, 4, false, "a", OTHER, NameCondition.ALWAYS, 0);
        assertThat(arc.apply(overtaken)).isEqualTo(changed(true, Cid.NONE));
    }

    @Test
    void names_pages_areThoseOfAModel() {
        long seed = new Random().nextLong();
        SplittableRandom random = new SplittableRandom(seed);
        TreeMap<String, Long> model = new TreeMap<>();
        for (int i = 0; i < 3000; i++) {
            String name = "n" + random.nextInt(500);
            if (random.nextInt(3) == 0) {
                put(name, Cid.NONE);
                model.remove(name);
            } else {
                put(name, Cid.of(0x8000, i + 1L));
                model.put(name, Cid.of(0x8000, i + 1L));
            }
        }
        Arc piece = new Arc(1 + random.nextInt(Nid.MAX), 1 + random.nextInt(Nid.MAX));
        for (String prefix : List.of("", "n", "n1", "n12", "n4999", "zz")) {
            List<NameEntry> expected = new ArrayList<>();
            model.forEach((name, cid) -> {
                if (name.startsWith(prefix) && piece.contains(NamePosition.of(name))) {
                    expected.add(new NameEntry(name, cid));
                }
            });
            List<NameEntry> listed = new ArrayList<>();
            NameList page;
            do {
                String after = listed.isEmpty() ? "" : listed.getLast().name();
                page = arc.names(piece, prefix, after, 7);
                assertThat(page.entries()).hasSizeLessThanOrEqualTo(7);
                listed.addAll(page.entries());
            } while (page.more());
            assertThat(listed)
                    .as("seed %d, prefix '%s', piece %s", seed, prefix, piece)
                    .isEqualTo(expected);
        }
    }

    @Test
    void locks_acquireAndRelease_giveRisingTokens() {
        LockResult first = acquire(CID, 1);
        assertThat(first).isEqualTo(new LockResult.Held(new LockRecord(CID, 1, 1, 1000)));
        assertThat(acquire(CID, 2)).isEqualTo(first);
        assertThat(acquire(CID, 1)).isEqualTo(first);
        assertThat(acquire(OTHER, 2)).isEqualTo(new LockResult.Held(new LockRecord(OTHER, 2, 2, 1000)));
        assertThat(arc.apply(new LockCommand.Release(CID, 2))).isEqualTo(new LockResult.Released(false));
        assertThat(arc.apply(new LockCommand.Release(CID, 1))).isEqualTo(new LockResult.Released(true));
        assertThat(arc.lock(CID)).isNull();
        assertThat(acquire(CID, 3)).isEqualTo(new LockResult.Held(new LockRecord(CID, 3, 3, 1000)));
        assertThat(arc.locks()).hasSize(2);
    }

    @Test
    void locks_wishWhoseLockHasEnded_isNotGrantedAgain() {
        acquire(CID, 1);
        arc.apply(new LockCommand.Release(CID, 1));
        assertThat(acquire(CID, 1)).isEqualTo(new LockResult.Ended());
        assertThat(arc.lock(CID)).isNull();
        assertThat(arc.hasLockEnded(CID, 1)).isTrue();
        assertThat(arc.hasLockEnded(OTHER, 1)).isFalse();

        ByteBuf part = Unpooled.buffer();
        arc.writePart(new Arc(0x7000, 0x8000), part);
        ArcState target = new ArcState();
        target.readPart(part);
        arc.removePart(new Arc(0x7000, 0x8000));
        assertThat(target.apply(new LockCommand.Acquire(CID, 1, 1000))).isEqualTo(new LockResult.Ended());
        assertThat(arc.hasLockEnded(CID, 1)).isFalse();
    }

    @Test
    void locks_manyHaveEnded_theLastOnesAreRemembered() {
        for (int i = 1; i <= LockState.MAX_ENDED + 1; i++) {
            acquire(CID, i);
            arc.apply(new LockCommand.Release(CID, i));
        }
        assertThat(arc.hasLockEnded(CID, 1)).isFalse();
        assertThat(arc.hasLockEnded(CID, 2)).isTrue();
        assertThat(arc.hasLockEnded(CID, LockState.MAX_ENDED + 1)).isTrue();
    }

    private LockResult acquire(long cid, long lockId) {
        return (LockResult) arc.apply(new LockCommand.Acquire(cid, lockId, 1000));
    }

    @Test
    void snapshot_readAgain_isTheSameState() {
        put("a", CID);
        put("äb", OTHER);
        acquire(CID, 9);
        ByteBuf snapshot = Unpooled.buffer();
        arc.writeSnapshot(snapshot);
        ArcState copy = new ArcState();
        copy.readSnapshot(snapshot.duplicate());
        ByteBuf again = Unpooled.buffer();
        copy.writeSnapshot(again);
        assertThat(again).isEqualTo(snapshot);
        assertThat(copy.cidOf("äb")).hasValue(OTHER);
        assertThat(copy.lock(CID)).isEqualTo(new LockRecord(CID, 9, 1, 1000));
        NameCommand repeated = new NameCommand(CLIENT, 2, 1, true, "äb", CID, NameCondition.ALWAYS, 0);
        assertThat(copy.apply(repeated)).isEqualTo(changed(true, Cid.NONE));
        assertThat(copy.cidOf("äb")).hasValue(OTHER);
    }

    @Test
    void part_movedToAnotherArc_takesItsNamesLocksTokensAndAnswersAlong() {
        Arc piece = new Arc(0x3fff, 0x8000);
        for (int i = 0; i < 100; i++) {
            put("name-" + i, CID);
        }
        acquire(Cid.of(0x2000, 1), 1);
        acquire(CID, 2);
        acquire(OTHER, 3);
        ArcState target = new ArcState();
        target.apply(new NameCommand(5, 1, 0, false, "own", CID, NameCondition.ALWAYS, 0));
        ByteBuf part = Unpooled.buffer();
        arc.writePart(piece, part);
        target.readPart(part);
        arc.removePart(piece);

        assertThat(arc.nameCount() + target.nameCount()).isEqualTo(101);
        for (int i = 0; i < 100; i++) {
            boolean moved = piece.contains(NamePosition.of("name-" + i));
            assertThat((moved ? target : arc).cidOf("name-" + i)).hasValue(CID);
            assertThat((moved ? arc : target).cidOf("name-" + i)).isEmpty();
        }
        assertThat(target.lock(CID)).isEqualTo(new LockRecord(CID, 2, 2, 1000));
        assertThat(arc.lock(CID)).isNull();
        assertThat(arc.locks()).hasSize(1);
        target.apply(new LockCommand.Release(CID, 2));
        target.apply(new LockCommand.Acquire(CID, 4, 1000));
        assertThat(target.lock(CID)).isEqualTo(new LockRecord(CID, 4, 4, 1000));
        assertThat(arc.names(RING, "", "", 200).entries()).hasSize(arc.nameCount());
        NameCommand repeated = new NameCommand(CLIENT, 100, 99, true, "name-99", Cid.NONE, NameCondition.ALWAYS, 0);
        assertThat(target.apply(repeated)).isEqualTo(changed(true, Cid.NONE));
    }

    @Test
    void seal_partOfAPiece_namesOfThePieceAreMoving() {
        arc.apply(new ArcTransfer.Seal(3, new Arc(0x1000, 0x2000), 1));
        assertThat(arc.isAnyMoving(new Arc(0x0800, 0x3000))).isTrue();
        assertThat(arc.isAnyMoving(new Arc(0x1800, 0x1900))).isTrue();
        assertThat(arc.isAnyMoving(RING)).isTrue();
        assertThat(arc.isAnyMoving(new Arc(0x2000, 0x1000))).isFalse();
        assertThat(arc.isMoving(0x3000)).isFalse();
    }
}
