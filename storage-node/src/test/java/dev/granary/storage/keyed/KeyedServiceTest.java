package dev.granary.storage.keyed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.HotKeyList;
import dev.granary.overlay.Cid;
import dev.granary.storage.AnsweringBackup;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.keyed.KeyedPeer.Told;
import dev.granary.storage.keyed.hot.HotKeyOptions;
import dev.granary.storage.keyed.hot.HotKeyReport;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * {@link KeyedService} at the owner of a slot group: {@link GroupOpener} opens the group, {@link GroupExecutor} carries
 * out calls on it.
 */
class KeyedServiceTest {

    private final KeyedPeer peer = new KeyedPeer();

    @AfterEach
    void close() {
        peer.close();
    }

    @Test
    void change_groupThatNobodyHas_opensItOnceAndIsCarriedOut() {
        peer.ready();
        assertThat(peer.ask("SET {g}a 1")).isEqualTo("+OK");
        assertThat(peer.ask("GET {g}a", "INCR {g}a")).isEqualTo("$1 1 :2");
        assertThat(peer.groups.openings).isEqualTo(1);
        assertThat(peer.node.memory().sizeOf(Cid.firstOf(KeyedPeer.GROUP_NID))).isPositive();
        assertThat(peer.keyed().keys()).isEqualTo(1);
        assertThat(peer.keyed().hits()).isEqualTo(2);
        assertThat(peer.keyed().indexBytes()).isPositive();
    }

    @Test
    void change_twoCallersAtOnce_askToOpenTheGroupOnce() {
        peer.ready();
        CompletableFuture<Told> one = peer.later("INCR {g}a");
        CompletableFuture<Told> other = peer.later("INCR {g}a");
        assertThat(List.of(peer.await(one).text(), peer.await(other).text())).containsExactlyInAnyOrder(":1", ":2");
        assertThat(peer.groups.asked).isEqualTo(1);
        assertThat(peer.groups.openings).isEqualTo(1);
    }

    @Test
    void calls_whileHotKeysAreLookedAt_areAddedWithTheirBytes() {
        peer.ready();
        peer.ask("SET {g}a 1");
        assertThat(peer.node.node().hotKeys().start(new HotKeyOptions(false, true, 10, 0, 1, null)))
                .isTrue();
        assertThat(peer.ask("SET {g}a 2", "GET {g}b", "GET {g}a")).isEqualTo("+OK $-1 $1 2");
        HotKeyReport report = peer.node.node().hotKeys().report().orElseThrow();
        // *3 $3 SET $4 {g}a $1 2 and +OK, *2 $3 GET $4 {g}a and $1 2; *2 $3 GET $4 {g}b and $-1, with ends of lines.
        assertThat(report.byBytes().stream().map(key -> new String(key.key(), UTF_8) + "=" + key.sum()))
                .containsExactly("{g}a=65", "{g}b=28");
        assertThat(report.allBytes()).isEqualTo(93);
        assertThat(peer.node.node().hotKeys().stop()).isTrue();
        peer.ask("GET {g}a");
        assertThat(peer.node.node().hotKeys().report().orElseThrow().allBytes()).isEqualTo(93);
    }

    /** Nobody has to begin that: {@code granary top} asks, and is told what was busy until then. */
    @Test
    void calls_manyForOneKey_areAmongTheHotKeysAndTheUsesOfTheirZone() {
        peer.ready();
        for (int i = 0; i < 300; i++) {
            peer.ask("SET {g}hot 1", "GET {g}hot");
        }
        HotKeyList told = peer.node.node().hotKeys().heat().hottest(5);
        assertThat(told.keys()).singleElement().satisfies(key -> {
            assertThat(key.key()).isEqualTo("{g}hot");
            assertThat(key.groupNid()).isEqualTo(KeyedPeer.GROUP_NID);
            assertThat(key.perSecond()).isPositive();
        });
    }

    @Test
    void read_groupThatNobodyHas_isAnsweredAndOpensNothing() {
        peer.ready();
        assertThat(peer.ask("GET {g}a", "DBSIZE")).isEqualTo("$-1 :0");
        assertThat(peer.groups.openings).isZero();
    }

    /** It comes by the recovery; opening it here would show an empty group. */
    @Test
    void call_groupThatIsBeingRecoveredHere_waitsAndOpensNothing() {
        peer.ready();
        peer.groups.give(KeyedPeer.GROUP_NID, KeyedPeer.NID, 7);
        Told told = peer.tell("GET {g}a");
        assertThat(told.outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(told.text()).contains("are on their way here");
        assertThat(peer.groups.openings).isZero();
    }

    @Test
    void change_groupBeginsToRecoverHereBeforeItIsOpened_waitsForTheRecovery() {
        peer.ready();
        peer.groups.beforeOpening = () -> peer.groups.give(KeyedPeer.GROUP_NID, KeyedPeer.NID, 7);
        Told told = peer.tell("SET {g}a 1");
        assertThat(told.outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(peer.groups.openings).isEqualTo(1);
        assertThat(peer.keyed().keys()).isZero();
    }

    @Test
    void call_requestsThatMakeNoSense_isRefusedAtOnceWithNothingCarriedOut() {
        peer.ready();
        peer.ask("SET {g}a 1");
        Told unknown = peer.tell("SET {g}a 2", "NONSENSE {g}a");
        assertThat(unknown.outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(unknown.text()).contains("NONSENSE");
        assertThat(peer.tell("SET {g}a").text()).contains("wrong number of arguments");
        GroupCall one = KeyedPeer.call(List.of(), "SET {g}a 3");
        Told fewer = peer.tell(new GroupCall(one.group(), one.protocol(), List.of(), 2, one.requests()));
        assertThat(fewer.text()).isEqualTo("1 requests came, and 2 were announced");
        assertThat(peer.ask("GET {g}a")).isEqualTo("$1 1");
    }

    @Test
    void call_oneRequestFails_theOthersAreCarriedOut() {
        peer.ready();
        assertThat(peer.ask("SET {g}a x", "INCR {g}a", "APPEND {g}a y"))
                .isEqualTo("+OK -ERR value is not an integer or out of range :2");
    }

    @Test
    void watch_keyChanges_breaksTheCallAndNothingIsCarriedOut() {
        peer.ready();
        peer.ask("SET {g}a 1");
        long mark = mark("{g}a");
        GroupCall call = KeyedPeer.call(List.of(KeyedPeer.watched("{g}a", mark)), "SET {g}b 1");
        assertThat(peer.tell(call)).isEqualTo(new Told(Outcome.DONE, "+OK"));

        peer.ask("SET {g}a 2");
        GroupCall late = KeyedPeer.call(List.of(KeyedPeer.watched("{g}a", mark)), "SET {g}b 2");
        assertThat(peer.tell(late).outcome()).isEqualTo(Outcome.WATCH_BROKEN);
        assertThat(peer.ask("GET {g}b")).isEqualTo("$1 1");
    }

    private long mark(String key) {
        return Long.parseLong(peer.ask("WATCH " + key).replace("*1 :", ""));
    }

    @Test
    void expiry_nobodyAsksForTheKey_isRemovedWithItsChunk() {
        peer.ready();
        peer.ask("SET {g}a 1 PX 200", "SET {g}b 1");
        assertThat(peer.keyed().expiringKeys()).isEqualTo(1);
        peer.node.advance(KeyedPeer.SECOND);
        assertThat(peer.keyed().keys()).isEqualTo(1);
        assertThat(peer.keyed().expiringKeys()).isZero();
        assertThat(peer.keyed().expiredKeys()).isEqualTo(1);
        assertThat(peer.node.memory().sizeOf(Cid.firstOf(KeyedPeer.GROUP_NID))).isEqualTo(ChunkMemory.ABSENT);
    }

    @Test
    void change_allLidsAreInUse_isRefusedAndMoreAreAskedFor() {
        peer.groups.firstLimit = 3;
        peer.ready();
        peer.ask("SET {g}a 1", "SET {g}b 1");
        assertThat(peer.ask("SET {g}c 1")).startsWith("-OOM");
        assertThat(peer.ask("GET {g}c")).isEqualTo("$-1");
        peer.node.advance(100 * KeyedPeer.MILLI);
        assertThat(peer.groups.extensions).hasSize(1);
        assertThat(peer.ask("SET {g}c 1", "SET {g}d 1", "SET {g}e 1", "DBSIZE")).isEqualTo("+OK +OK +OK :5");
        assertThat(peer.ask("SET {g}f 1")).startsWith("-OOM");
    }

    @Test
    void call_leaseIsLost_isRefusedAndCarriedOutWhenThereIsOneAgain() {
        peer.ready();
        peer.ask("SET {g}a 1");
        int renewal = MessageType.RENEW_LEASE.code();
        int opening = MessageType.OPEN_LEASE.code();
        peer.superPeer.unanswered.addAll(List.of(renewal, opening));
        peer.node.advance(2 * KeyedPeer.SECOND);
        Told told = peer.tell("GET {g}a");
        assertThat(told.outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(told.text()).contains("lease");

        CompletableFuture<Told> waiting = peer.later("INCR {g}a");
        peer.node.advance(KeyedPeer.SECOND);
        assertThat(waiting).isNotDone();
        peer.superPeer.unanswered.clear();
        assertThat(peer.await(waiting)).isEqualTo(new Told(Outcome.DONE, ":2"));
    }

    /** What no backup has may be gone with the owner, so that nobody may have seen it. */
    @Test
    void change_backupDoesNotHaveItYet_isNeitherAcknowledgedNorShown() {
        AnsweringBackup backup = new AnsweringBackup(peer.node.world, peer.superPeer, 0xC000);
        peer.groups.backups = new int[] {backup.nid};
        peer.ready();
        peer.ask("SET {g}a 1", "SET {g}b 1");
        backup.silent = true;
        CompletableFuture<Told> change = peer.later("SET {g}a 2");
        CompletableFuture<Told> read = peer.later("GET {g}a");
        CompletableFuture<Told> count = peer.later("DBSIZE");
        assertThat(peer.ask("GET {g}b")).isEqualTo("$1 1");
        peer.node.advance(100 * KeyedPeer.MILLI);
        assertThat(change).isNotDone();
        assertThat(read).isNotDone();
        assertThat(count).isNotDone();

        backup.silent = false;
        backup.answerAll();
        assertThat(peer.await(change).text()).isEqualTo("+OK");
        assertThat(peer.await(read).text()).isEqualTo("$1 2");
        assertThat(peer.await(count).text()).isEqualTo(":2");
    }
}
