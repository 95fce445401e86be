package dev.granary.storage.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.GroupCalls;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.RawClient;
import dev.granary.storage.keyed.GroupCallBytes.Answer;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.keyed.KeyedPeer.Told;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link KeyedRouter} between two storage peers, and the {@link IncomingCalls} of one of them. */
class KeyedRouterTest {

    private final KeyedPeer peer = new KeyedPeer();
    private final AnsweringOwner other = new AnsweringOwner(peer);

    @AfterEach
    void close() {
        peer.close();
    }

    private void otherOwns() {
        peer.ready();
        peer.groups.give(KeyedPeer.GROUP_NID, AnsweringOwner.NID, 7);
    }

    @Test
    void call_otherPeerOwnsTheGroup_isAnsweredByItAndTheArcIsAskedOnce() {
        otherOwns();
        assertThat(peer.ask("GET {g}a")).isEqualTo("$5 other");
        assertThat(peer.ask("SET {g}a 1")).isEqualTo("$5 other");
        assertThat(other.calls).containsExactly("GET {g}a", "SET {g}a 1");
        assertThat(peer.groups.asked).isEqualTo(1);
        assertThat(peer.groups.openings).isZero();
    }

    @Test
    void change_otherPeerShouldOpenTheGroup_isSentWithTheWishToOpenItOnce() {
        peer.ready();
        peer.groups.opener = AnsweringOwner.NID;
        peer.ask("SET {g}a 1");
        peer.ask("SET {g}a 2");
        assertThat(other.calls).containsExactly("open SET {g}a 1", "SET {g}a 2");
    }

    @Test
    void change_otherPeerIsFasterToOpenTheGroup_isSentThere() {
        peer.ready();
        peer.groups.beforeOpening = () -> peer.groups.give(KeyedPeer.GROUP_NID, AnsweringOwner.NID, 7);
        assertThat(peer.ask("SET {g}a 1")).isEqualTo("$5 other");
        assertThat(peer.groups.openings).isEqualTo(1);
        assertThat(peer.keyed().keys()).isZero();
    }

    @Test
    void change_knownOwnerDoesNotOwnTheGroupAnyMore_isCarriedOutWhereTheArcSays() {
        otherOwns();
        other.answers.add(AnsweringOwner::notOwner);
        assertThat(peer.ask("SET {g}a 1")).isEqualTo("$5 other");
        assertThat(other.calls).hasSize(2);
        assertThat(peer.groups.asked).isEqualTo(2);
    }

    @Test
    void change_ownerRefusesForNow_isSentToItAgain() {
        otherOwns();
        other.answers.add(AnsweringOwner.not(Outcome.REFUSED, "not now"));
        assertThat(peer.ask("SET {g}a 1")).isEqualTo("$5 other");
        assertThat(other.calls).hasSize(2);
        assertThat(peer.groups.asked).isEqualTo(1);
    }

    @Test
    void change_ownerRefusesForLong_isRefusedWithItsReason() {
        otherOwns();
        for (int i = 0; i < 10_000; i++) {
            other.answers.add(AnsweringOwner.not(Outcome.REFUSED, "not now"));
        }
        assertThat(peer.tell("SET {g}a 1")).isEqualTo(new Told(Outcome.REFUSED, "not now"));
    }

    @Test
    void change_connectionIsLostAfterItWasSent_isUnknownAndNotRepeated() {
        otherOwns();
        other.answers.add(AnsweringOwner::keepSilent);
        CompletableFuture<Told> change = peer.later("INCR {g}a");
        peer.node.advanceUntil(() -> other.calls.size() == 1);
        other.kill();
        other.start();
        assertThat(peer.await(change).outcome()).isEqualTo(Outcome.UNKNOWN);
        peer.node.advance(KeyedPeer.SECOND);
        assertThat(other.calls).hasSize(1);
    }

    @Test
    void read_connectionIsLostAfterItWasSent_isRepeated() {
        otherOwns();
        other.answers.add(AnsweringOwner::keepSilent);
        CompletableFuture<Told> read = peer.later("GET {g}a");
        peer.node.advanceUntil(() -> other.calls.size() == 1);
        other.kill();
        other.start();
        assertThat(peer.await(read)).isEqualTo(new Told(Outcome.DONE, "$5 other"));
        assertThat(other.calls).hasSize(2);
    }

    @Test
    void change_ownerDoesNotAnswer_isUnknownAfterAWhile() {
        otherOwns();
        other.answers.add(AnsweringOwner::keepSilent);
        assertThat(peer.tell("SET {g}a 1").outcome()).isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void change_ownerCannotBeReached_isRepeatedUntilItCan() {
        otherOwns();
        other.kill();
        CompletableFuture<Told> change = peer.later("SET {g}a 1");
        peer.node.advance(2 * KeyedPeer.SECOND);
        assertThat(change).isNotDone();
        other.start();
        assertThat(peer.await(change)).isEqualTo(new Told(Outcome.DONE, "$5 other"));
        assertThat(other.calls).hasSize(1);
    }

    @Test
    void call_watchIsBrokenAtTheOwner_isToldSo() {
        otherOwns();
        other.answers.add(AnsweringOwner.not(Outcome.WATCH_BROKEN, "changed"));
        assertThat(peer.tell("SET {g}a 1").outcome()).isEqualTo(Outcome.WATCH_BROKEN);
        assertThat(other.calls).hasSize(1);
    }

    /** Lets the other peer own two groups, and this one know it. */
    private void otherOwnsTwo() {
        otherOwns();
        peer.groups.give(SlotGroup.nid(KeyedPeer.GROUP + 1), AnsweringOwner.NID, 7);
        peer.await(peer.together("GET {g}a", "GET b"));
        other.calls.clear();
    }

    @Test
    void calls_ofOneOwner_goTogether() {
        otherOwnsTwo();
        assertThat(peer.await(peer.together("GET {g}a", "SET b 1")))
                .containsExactly(new Told(Outcome.DONE, "$5 other"), new Told(Outcome.DONE, "$5 other"));
        assertThat(other.calls).containsExactly("GET {g}a + SET b 1");
    }

    @Test
    void calls_groupIsToBeOpenedElsewhere_noOtherCallWaitsForIt() {
        otherOwns();
        peer.ask("GET {g}a");
        peer.groups.opener = AnsweringOwner.NID;
        other.answers.add(AnsweringOwner::keepSilent);
        List<CompletableFuture<Told>> told = peer.together("GET {g}a", "SET b 1");
        peer.node.advanceUntil(() -> told.getFirst().isDone() || told.getLast().isDone());
        assertThat(told.stream().filter(CompletableFuture::isDone)).hasSize(1);
        assertThat(other.calls).contains("open SET b 1").noneMatch(call -> call.contains(" + "));
    }

    @Test
    void calls_ownerRefusesOneForNow_thatOneIsSentAgainAlone() {
        otherOwnsTwo();
        other.togetherAnswers.add(List.of(AnsweringOwner.OTHER, Answer.of(GroupReply.not(Outcome.REFUSED, "not now"))));
        assertThat(peer.await(peer.together("INCR {g}a", "INCR b")))
                .containsExactly(new Told(Outcome.DONE, "$5 other"), new Told(Outcome.DONE, "$5 other"));
        assertThat(other.calls).containsExactly("INCR {g}a + INCR b", "INCR b");
    }

    @Test
    void calls_oneGroupHasAnotherOwnerByNow_thatOneIsCarriedOutWhereTheArcSays() {
        otherOwnsTwo();
        int asked = peer.groups.asked;
        other.togetherAnswers.add(
                List.of(Answer.not(GroupCalls.NOT_OWNER, "another one owns it"), AnsweringOwner.OTHER));
        assertThat(peer.await(peer.together("INCR {g}a", "INCR b")))
                .containsExactly(new Told(Outcome.DONE, "$5 other"), new Told(Outcome.DONE, "$5 other"));
        assertThat(other.calls).containsExactly("INCR {g}a + INCR b", "INCR {g}a");
        assertThat(peer.groups.asked).isEqualTo(asked + 1);
    }

    @Test
    void calls_connectionIsLostAfterTheyWereSent_onlyReadsAreRepeated() {
        otherOwnsTwo();
        other.togetherAnswers.add(List.of());
        List<CompletableFuture<Told>> told = peer.together("GET {g}a", "INCR b");
        peer.node.advanceUntil(() -> other.calls.size() == 1);
        other.kill();
        other.start();
        List<Told> ends = peer.await(told);
        assertThat(ends.getFirst()).isEqualTo(new Told(Outcome.DONE, "$5 other"));
        assertThat(ends.getLast().outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(other.calls).containsExactly("GET {g}a + INCR b", "GET {g}a");
    }

    @Test
    void calls_ownerOfEachIsAnotherPeer_eachIsCarriedOutAtItsOwner() {
        otherOwns();
        assertThat(peer.await(peer.together("SET {g}a 1", "SET b 2", "GET c")))
                .containsExactly(
                        new Told(Outcome.DONE, "$5 other"),
                        new Told(Outcome.DONE, "+OK"),
                        new Told(Outcome.DONE, "$-1"));
        assertThat(peer.keyed().keys()).isEqualTo(1);
    }

    @Test
    void change_noPeerCanOpenTheGroup_waitsAndIsCarriedOutByTheNextThatCan() {
        peer.ready();
        peer.groups.opener = 0;
        CompletableFuture<Told> change = peer.later("SET {g}a 1");
        peer.node.advance(KeyedPeer.SECOND);
        assertThat(change).isNotDone();
        peer.groups.opener = KeyedPeer.NID;
        assertThat(peer.await(change)).isEqualTo(new Told(Outcome.DONE, "+OK"));
    }

    @Test
    void forwardedCall_peerDoesNotOwnTheGroup_saysSoAndOpensNothing() {
        peer.ready();
        GroupCallBytes.Answer answer = peer.forward(peer.node.client(), false, "SET {g}a 1");
        assertThat(answer.reply()).isNull();
        assertThat(answer.message()).contains("does not own the slot group");
        assertThat(peer.groups.openings).isZero();
    }

    @Test
    void forwardedCall_groupIsToBeOpened_isRefusedFirstAndCarriedOutThen() {
        peer.ready();
        RawClient client = peer.node.client();
        GroupReply first = peer.forward(client, true, "SET {g}a 1").reply();
        assertThat(Objects.requireNonNull(first).outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(peer.groups.openings).isEqualTo(1);
        // The keys are being found.
        peer.node.advance(10 * KeyedPeer.MILLI);
        peer.forward(client, false, "GET {g}a");
        peer.node.advance(10 * KeyedPeer.MILLI);
        GroupReply then = peer.forward(client, false, "SET {g}a 1", "GET {g}a").reply();
        assertThat(Told.of(Objects.requireNonNull(then))).isEqualTo(new Told(Outcome.DONE, "+OK $1 1"));
    }

    @Test
    void callsThatComeTogether_areAnsweredTogetherEachForItself() {
        peer.ready();
        peer.await(peer.together("SET {g}a 1", "SET b 2"));
        peer.groups.give(SlotGroup.nid(KeyedPeer.GROUP + 2), AnsweringOwner.NID, 7);
        RawClient client = peer.node.client();
        List<Answer> answers = peer.forwardTogether(client, "GET {g}a", "NONSENSE", "GET c", "GET d");
        assertThat(Told.of(Objects.requireNonNull(answers.getFirst().reply())))
                .isEqualTo(new Told(Outcome.DONE, "$1 1"));
        assertThat(answers.subList(1, 4)).allMatch(answer -> answer.reply() == null);
        assertThat(answers.get(1).message()).contains("unknown command");
        assertThat(answers.get(2).message()).contains("does not own");
    }

    /** Returns reads of a large value, which have replies of so many times 128 KiB. */
    private GroupCall readsOfALargeValue(int count) {
        assertThat(peer.ask("SET {g}a " + "x".repeat(128 << 10))).isEqualTo("+OK");
        return KeyedPeer.call(List.of(), Collections.nCopies(count, "GET {g}a").toArray(String[]::new));
    }

    @Test
    void callsThatComeTogether_repliesAreLarge_thoseBehindAreSentBack() {
        peer.ready();
        peer.await(peer.together("GET {g}a", "SET b 2"));
        List<Answer> answers = peer.forwardTogether(
                peer.node.client(),
                List.of(readsOfALargeValue(33), KeyedPeer.call(KeyedPeer.GROUP + 1, List.of(), "INCR b")));
        assertThat(Objects.requireNonNull(answers.getFirst().reply()).outcome()).isEqualTo(Outcome.DONE);
        assertThat(answers.getLast()).isEqualTo(Answer.not(GroupCalls.LEFT_OUT, ""));
        assertThat(peer.await(peer.together("GET {g}c", "GET b")).getLast()).isEqualTo(new Told(Outcome.DONE, "$1 2"));
    }

    @Test
    void call_repliesAreLargerThanAMessage_isUnknownAndToldWhy() {
        peer.ready();
        GroupReply reply =
                Objects.requireNonNull(peer.forwardTogether(peer.node.client(), List.of(readsOfALargeValue(130)))
                        .getFirst()
                        .reply());
        assertThat(reply.outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(reply.message()).contains("ask for fewer values");
    }
}
