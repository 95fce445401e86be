package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.AsyncNames;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.NamedChunk;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.ChangeNameReply;
import dev.granary.net.message.NameMessages.GetName;
import dev.granary.net.message.NameMessages.GetNameReply;
import dev.granary.net.message.NameMessages.ListNames;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterNamesTest {

    private static final long CID = Cid.of(ScriptedCluster.STORAGE_NID, 5);

    private final List<ChangeName> changes = new ArrayList<>();
    private final List<ListNames> lists = new ArrayList<>();
    private final List<GetName> gets = new ArrayList<>();
    private final List<NameEntry> present = new ArrayList<>();

    /** The number of changes that the super-peer refuses before it carries one out. */
    private int busy;

    private ChangeNameReply changed = new ChangeNameReply(true, 0);
    private long found;

    private AsyncNames names(ScriptedCluster cluster) {
        cluster.superPeer = this::answer;
        return new ClusterNames(cluster.client(ScriptedCluster.options()).context());
    }

    private boolean answer(RpcRequest request) {
        if (request.type() == MessageType.CHANGE_NAME.code()) {
            changes.add(request.read(MessageType.CHANGE_NAME));
            if (busy-- > 0) {
                request.fail(ErrorReply.retryLater(1_000_000, "busy"));
            } else {
                request.reply(changed);
            }
        } else if (request.type() == MessageType.LIST_NAMES.code()) {
            ListNames asked = request.read(MessageType.LIST_NAMES);
            lists.add(asked);
            // Each arc has one of the lists; the test checks how the client merges them.
            int index = lists.size() - 1;
            request.reply(new NameList(index < present.size() ? List.of(present.get(index)) : List.of(), false));
        } else if (request.type() == MessageType.GET_NAME.code()) {
            gets.add(request.read(MessageType.GET_NAME));
            request.reply(new GetNameReply(found));
        } else {
            return false;
        }
        return true;
    }

    private static void assertInvalid(CompletableFuture<?> future, String message) {
        assertThat(future).isCompletedExceptionally();
        assertThat(future.exceptionNow())
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining(message);
    }

    @Test
    void put_name_isChangedUnderNoConditionAndTellsWhatItStoodFor() {
        ScriptedCluster cluster = new ScriptedCluster();
        AsyncNames names = names(cluster);
        assertThat(cluster.await(names.put("a", CID))).isEmpty();
        changed = new ChangeNameReply(true, 77);
        assertThat(cluster.await(names.put("a", CID))).isEqualTo(OptionalLong.of(77));
        assertThat(changes).hasSize(2).allSatisfy(change -> {
            assertThat(change.name()).isEqualTo("a");
            assertThat(change.cid()).isEqualTo(CID);
            assertThat(change.condition()).isEqualTo(NameCondition.ALWAYS);
            assertThat(change.repeated()).isFalse();
        });
        assertThat(changes.getLast().sequence())
                .isGreaterThan(changes.getFirst().sequence());
        assertThat(changes.getLast().ackedSequence())
                .isEqualTo(changes.getFirst().sequence());
    }

    @Test
    void conditions_eachOperation_areSentAndTheirOutcomeIsTold() {
        ScriptedCluster cluster = new ScriptedCluster();
        AsyncNames names = names(cluster);
        changed = new ChangeNameReply(false, 77);
        assertThat(cluster.await(names.putIfAbsent("a", CID))).isFalse();
        assertThat(cluster.await(names.replace("a", 33, CID))).isFalse();
        assertThat(cluster.await(names.remove("a", 33))).isFalse();
        changed = new ChangeNameReply(true, 77);
        assertThat(cluster.await(names.remove("a"))).isEqualTo(OptionalLong.of(77));
        assertThat(changes)
                .extracting(change -> change.condition() + " " + change.expectedCid() + " " + (change.cid() == CID))
                .containsExactly("IF_ABSENT 0 true", "IF_EXPECTED 33 true", "IF_EXPECTED 33 false", "ALWAYS 0 false");
        assertThat(changes.getLast().cid()).isEqualTo(Cid.NONE);
    }

    @Test
    void change_thatIsSentAgain_hasTheSameNumberAndSaysSo() {
        ScriptedCluster cluster = new ScriptedCluster();
        AsyncNames names = names(cluster);
        busy = 2;
        cluster.await(names.remove("a"));
        assertThat(changes).extracting(ChangeName::repeated).containsExactly(false, true, true);
        assertThat(changes)
                .extracting(ChangeName::sequence)
                .containsOnly(changes.getFirst().sequence());
    }

    @Test
    void put_afterOneThatFailed_acknowledgesThatOneToo() {
        ScriptedCluster cluster = new ScriptedCluster();
        AsyncNames names = names(cluster);
        cluster.superPeer = request -> {
            if (request.type() != MessageType.CHANGE_NAME.code()) {
                return false;
            }
            changes.add(request.read(MessageType.CHANGE_NAME));
            request.fail(ErrorCode.BAD_REQUEST, "no");
            return true;
        };
        assertThatThrownBy(() -> cluster.await(names.remove("a"))).hasMessageContaining("no");
        cluster.superPeer = this::answer;
        cluster.await(names.remove("b"));
        assertThat(changes.getLast().ackedSequence())
                .isEqualTo(changes.getFirst().sequence());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\ud800", "a\udc00b"})
    void names_emptyOrNoText_areRefusedWithoutAsking(String name) {
        ScriptedCluster cluster = new ScriptedCluster();
        AsyncNames names = names(cluster);
        assertInvalid(names.put(name, CID), "name");
        assertInvalid(names.putIfAbsent(name, CID), "name");
        assertInvalid(names.remove(name), "name");
        assertInvalid(names.get(name), "name");
        assertThat(changes).isEmpty();
        assertThat(gets).isEmpty();
    }

    @Test
    void names_lengthsAroundTheLimit_countedInBytes() {
        ScriptedCluster cluster = new ScriptedCluster();
        AsyncNames names = names(cluster);
        found = 9;
        assertThat(cluster.await(names.get("x".repeat(1024)))).isEqualTo(OptionalLong.of(9));
        assertInvalid(names.get("x".repeat(1025)), "a name of 1025 bytes");
        assertInvalid(names.get("ä".repeat(513)), "a name of 1026 bytes");
        found = 0;
        assertThat(cluster.await(names.get("ä".repeat(512)))).isEmpty();
    }

    @Test
    void list_limitOutOfBounds_isRefused() {
        ScriptedCluster cluster = new ScriptedCluster();
        AsyncNames names = names(cluster);
        assertInvalid(names.list("", "", 0), "a list of 0 names");
        assertInvalid(names.list("", "", AsyncNames.MAX_LISTED + 1), "1 to 4096");
        assertThat(lists).isEmpty();
        assertThat(cluster.await(names.list("", "", AsyncNames.MAX_LISTED))).isEmpty();
    }

    @Test
    void list_severalArcs_areTheWholeRingAndInTheOrderOfTheirBytes() {
        ScriptedCluster cluster = new ScriptedCluster(4);
        AsyncNames names = names(cluster);
        present.addAll(List.of(
                new NameEntry("ä", 1), new NameEntry("b", 2), new NameEntry("a", 3), new NameEntry("\ud83d\ude00", 4)));
        List<NamedChunk> all = cluster.await(names.list("p", "q", 10));
        assertThat(all).extracting(NamedChunk::name).containsExactly("a", "b", "ä", "\ud83d\ude00");
        assertThat(all.getFirst().cid()).isEqualTo(3);
        assertThat(lists).hasSize(4).allSatisfy(asked -> {
            assertThat(asked.prefix()).isEqualTo("p");
            assertThat(asked.after()).isEqualTo("q");
            assertThat(asked.limit()).isEqualTo(10);
        });
        assertThat(lists)
                .extracting(ListNames::fromExclusive)
                .containsExactlyInAnyOrderElementsOf(
                        lists.stream().map(ListNames::toInclusive).toList());
    }

    @Test
    void list_moreThanTheLimit_isCutAtTheFirstOnes() {
        ScriptedCluster cluster = new ScriptedCluster(4);
        AsyncNames names = names(cluster);
        present.addAll(
                List.of(new NameEntry("d", 1), new NameEntry("b", 2), new NameEntry("c", 3), new NameEntry("a", 4)));
        assertThat(cluster.await(names.list("", "", 2)))
                .extracting(NamedChunk::name)
                .containsExactly("a", "b");
    }
}
