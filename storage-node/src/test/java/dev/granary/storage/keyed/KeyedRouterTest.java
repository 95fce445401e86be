package dev.granary.storage.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.storage.RawClient;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.keyed.KeyedPeer.Told;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link KeyedRouter} between two storage peers. */
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
}
