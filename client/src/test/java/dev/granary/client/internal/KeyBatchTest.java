package dev.granary.client.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.AsyncKeys;
import dev.granary.client.ClientOptions;
import dev.granary.client.DeadlineExceededException;
import dev.granary.client.Durability;
import dev.granary.client.GranaryClient;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.OutcomeUnknownException;
import dev.granary.client.StorageFullException;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.client.admin.KeyCommands;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.GroupCalls;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Reply;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@link KeyBatch} sends for {@link ClusterKeys} to the owners of slot groups, as {@link KeyMessage} with {@link
 * KeyRequest}s, and what it makes of their answers: here a storage peer answers as a test says, one call after the
 * other.
 */
class KeyBatchTest {

    private static final String SILENCE = "silence";
    private static final HostAddress PEER = new HostAddress("peer", 7501);

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final ConnectedClient client = cluster.client(ClientOptions.builder()
            .addresses(List.of("super:7400"))
            .requestChunks(200)
            .build());
    private final AsyncKeys<String> keys = client.keys();

    /** A call as it came: the NID of its group, whether it may open the group, and its requests in one line. */
    private record Call(int groupNid, int flags, boolean open, int watched, String requests) {}

    private final List<Call> calls = new ArrayList<>();
    private int messages;

    /**
     * The answers to the next calls; {@link #SILENCE} for a message that is never answered. {@code +OK} after that. A
     * tilde ends a line.
     */
    private final ArrayDeque<String> answers = new ArrayDeque<>();

    private boolean opened = true;

    @BeforeEach
    void answer() {
        cluster.storage = this::answerCalls;
        cluster.superPeer = this::answerAsSuperPeer;
    }

    private boolean answerAsSuperPeer(RpcRequest request) {
        if (request.type() == MessageType.LOOKUP.code()) {
            long cid = request.read(MessageType.LOOKUP).cid();
            if (opened) {
                int nid = Cid.nid(cid);
                CidRange group = new CidRange(
                        Cid.firstOf(nid), Cid.of(nid, 99), Placement.unreplicated(ScriptedCluster.STORAGE_NID, 1));
                request.reply(new LookupReply(group, PEER, 1));
            } else {
                request.fail(ErrorCode.NOT_FOUND, "nobody has it");
            }
            return true;
        }
        if (request.type() == MessageType.OPEN_SLOT_GROUP.code()) {
            OpenSlotGroup asked = request.read(MessageType.OPEN_SLOT_GROUP);
            assertThat(asked.ownerNid()).as("clients own nothing").isZero();
            request.reply(new SlotGroupPlace(null, 0, false, ScriptedCluster.STORAGE_NID, PEER));
            return true;
        }
        return false;
    }

    private boolean answerCalls(RpcRequest request) {
        if (request.type() != MessageType.GROUP_CALLS) {
            return false;
        }
        messages++;
        ByteBuf in = request.payload();
        GroupCalls head = GroupCalls.read(in);
        List<String> told = new ArrayList<>();
        for (int i = 0; i < head.calls(); i++) {
            ByteBuf call = in.readSlice(in.readIntLE());
            GroupCalls.Head inner = GroupCalls.Head.read(call);
            calls.add(new Call(
                    inner.groupNid(),
                    head.flags(),
                    (inner.flags() & GroupCalls.Head.OPEN) != 0,
                    inner.watched(),
                    call.toString(UTF_8).replace("\r\n", " ").strip()));
            String answer = answers.poll();
            told.add(answer == null ? "0" + "+OK~".repeat(inner.requests()) : answer);
        }
        if (!told.contains(SILENCE)) {
            ByteBuf out = request.startReply(64).writeIntLE(told.size());
            for (String each : told) {
                byte[] rest = each.substring(1).replace("~", "\r\n").getBytes(UTF_8);
                out.writeIntLE(1 + rest.length).writeByte(each.charAt(0) - '0').writeBytes(rest);
            }
            request.reply(out);
        }
        return true;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void set_groupThatSomebodyHas_isOneMessageToTheOwnerAndTheNextOneAsksNobodyElse() {
        cluster.await(keys.set("a", bytes("x"), Duration.ofSeconds(2)));
        cluster.await(keys.set("a", bytes("y")));
        assertThat(calls)
                .extracting(Call::requests)
                .containsExactly("*5 $3 SET $1 a $1 x $2 PX $4 2000", "*3 $3 SET $1 a $1 y");
        assertThat(calls).extracting(Call::groupNid).containsOnly(SlotGroup.nid(SlotGroup.ofKey(bytes("a"))));
        assertThat(calls).noneMatch(Call::open);
        assertThat(cluster.asked(MessageType.LOOKUP)).isEqualTo(1);
    }

    @Test
    void set_groupThatNobodyHas_isSentToThePeerThatShouldOpenIt() {
        opened = false;
        cluster.await(keys.set("a", bytes("x")));
        assertThat(calls).hasSize(1).allMatch(Call::open);
    }

    @Test
    void get_groupThatNobodyHas_isAnsweredWithoutAnyPeer() {
        opened = false;
        assertThat(cluster.await(keys.get("a"))).isEmpty();
        assertThat(cluster.await(keys.setIfPresent("a", bytes("x")))).isFalse();
        assertThat(cluster.await(keys.delete("a"))).isFalse();
        assertThat(cluster.await(keys.expire("a", Duration.ofSeconds(1)))).isFalse();
        assertThat(calls).isEmpty();
        assertThat(cluster.asked(MessageType.OPEN_SLOT_GROUP)).isZero();
    }

    @Test
    void setAll_keysOfManyGroups_isOneMessageToEachOwner() {
        Map<String, byte[]> values = new TreeMap<>();
        IntStream.range(0, 100).forEach(i -> values.put("key" + i, bytes("x")));
        cluster.await(keys.setAll(values));
        assertThat(messages).isEqualTo(1);
        assertThat(calls).hasSizeGreaterThan(50);
    }

    @Test
    void setAll_moreThanARequestMayHave_isCutIntoMessages() {
        AsyncKeys<Integer> ofOneGroup = client.keys(id -> bytes("{t}" + id));
        Map<Integer, byte[]> values = new TreeMap<>();
        IntStream.range(0, 950).forEach(i -> values.put(i, bytes("x")));
        cluster.await(ofOneGroup.setAll(values));
        assertThat(messages).isEqualTo(5);
        assertThat(calls.stream()
                        .mapToInt(call -> call.requests.split("SET", -1).length - 1)
                        .sum())
                .isEqualTo(950);
    }

    @Test
    void withDurability_changes_askForIt() {
        cluster.await(client.withDurability(Durability.SYNCED).keys().set("a", bytes("x")));
        assertThat(calls).extracting(Call::flags).containsExactly(3 << 8);
        answers.add("0$-1~");
        assertThat(cluster.await(keys.get("a"))).isEmpty();
        assertThat(calls.getLast().flags).isEqualTo(GroupCalls.READS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2not now", "4not mine", "5"})
    void set_certainlyNotCarriedOut_isSentAgain(String answer) {
        answers.add(answer);
        cluster.await(keys.set("a", bytes("x")));
        assertThat(calls).hasSize(2);
    }

    @Test
    void set_ownerSaysThatNobodyKnows_failsAndIsNotSentAgain() {
        answers.add("3the lease ended");
        assertThatThrownBy(() -> cluster.await(keys.set("a", bytes("x"))))
                .hasCauseInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("a set of key 'a' was sent")
                .hasMessageContaining("the lease ended");
        assertThat(calls).hasSize(1);
    }

    @Test
    void set_noAnswerBeforeTheDeadline_failsAndIsNotSentAgain() {
        answers.add(SILENCE);
        assertThatThrownBy(() -> cluster.await(keys.set("a", bytes("x"))))
                .hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(calls).hasSize(1);
    }

    @Test
    void setAll_oneOfTwoIsUnknown_failsWithTheirNumberAndTheOtherIsCarriedOut() {
        answers.add("3gone");
        answers.add("2not now");
        assertThatThrownBy(() -> cluster.await(keys.setAll(Map.of("a", bytes("x"), "b", bytes("x")))))
                .hasCauseInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("for 1 of 2 keys");
        assertThat(calls).hasSize(3);
    }

    @Test
    void get_noAnswer_isSentAgain() {
        answers.addAll(List.of(SILENCE, "3gone", "0$1~x~"));
        assertThat(cluster.await(keys.get("a")).map(String::new)).isEqualTo(Optional.of("x"));
        assertThat(calls).hasSize(3);
    }

    @Test
    void getAll_answerEndsEarly_onlyTheRestIsAskedForAgain() {
        answers.add("0$1~x~");
        answers.add("0$1~y~");
        Map<String, byte[]> found = cluster.await(keys.getAll(List.of("{t}1", "{t}2")));
        assertThat(found.keySet()).containsExactly("{t}1", "{t}2");
        assertThat(calls.getLast().requests).isEqualTo("*2 $3 GET $4 {t}2");
    }

    @Test
    void replace_keyChangesInBetween_beginsAnewWithTheNewMark() {
        answers.addAll(List.of("0*1~:7~$1~x~", "1changed", "0*1~:8~$1~x~", "0+OK~"));
        assertThat(cluster.await(keys.replace("a", bytes("x"), bytes("y")))).isTrue();
        assertThat(calls).extracting(Call::watched).containsExactly(0, 1, 0, 1);
        assertThat(calls.getFirst().requests).isEqualTo("*2 $5 WATCH $1 a *2 $3 GET $1 a");
    }

    @Test
    void deleteIfEqual_keyExpiresInBetween_isNotDeleted() {
        answers.addAll(List.of("0*1~:7~$1~x~", "0:0~", "0*1~:7~$-1~"));
        assertThat(cluster.await(keys.delete("a", bytes("x")))).isFalse();
    }

    @Test
    void set_groupIsBeingExtended_waitsForRoom() {
        answers.addAll(List.of("0-OOM no room~", "0-OOM no room~", "0+OK~"));
        cluster.await(keys.set("a", bytes("x")));
        assertThat(calls).hasSize(3);
    }

    @Test
    void set_noRoom_failsAfterAWhile() {
        IntStream.range(0, 100).forEach(i -> answers.add("0-OOM no room~"));
        assertThatThrownBy(() -> cluster.await(keys.set("a", bytes("x"))))
                .hasCauseInstanceOf(StorageFullException.class);
        assertThat(calls).hasSizeLessThan(10);
    }

    @Test
    void get_refusedForGood_failsWithTheReason() {
        answers.add("6ERR unknown command");
        assertThatThrownBy(() -> cluster.await(keys.get("a")))
                .hasCauseInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("a get of key 'a' was refused: ERR unknown command");
    }

    @Test
    void set_refusedUntilTheDeadline_failsWithTheLastReason() {
        IntStream.range(0, 1_000).forEach(i -> answers.add("2not now"));
        assertThatThrownBy(() -> cluster.await(keys.set("a", bytes("x"))))
                .hasCauseInstanceOf(DeadlineExceededException.class)
                .hasMessageContaining("storage peer 0x8000 says: not now");
    }

    /** {@link ClusterAdmin} carries out commands of all types. */
    @Test
    void keyCommands_onAKey_areOneCallWithAReplyForEach() {
        KeyCommands commands = ClusterAdmin.of(new GranaryClient(client)).keyCommands();
        List<byte[][]> both = List.of(
                new byte[][] {bytes("DEL"), bytes("h")},
                new byte[][] {bytes("HSET"), bytes("h"), bytes("f"), bytes("x")});
        answers.add("0:0~:1~");
        List<Reply> replies = cluster.await(commands.carryOut(List.of(new KeyCommands.OnKey(bytes("h"), both))));
        assertThat(replies)
                .containsExactly(new Reply.Elements(List.of(new Reply.WholeNumber(0), new Reply.WholeNumber(1))));
        assertThat(calls).extracting(Call::requests).containsExactly("*2 $3 DEL $1 h *4 $4 HSET $1 h $1 f $1 x");
    }

    @Test
    void keys_ofAnyBytes_areNamedInMessages() {
        CompletableFuture<Void> tooLarge = keys.set("a\nb" + "c".repeat(100), new byte[AsyncKeys.MAX_BYTES]);
        assertThatThrownBy(() -> cluster.await(tooLarge))
                .hasCauseInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("key 'a?b" + "c".repeat(61) + "…'");
    }
}
