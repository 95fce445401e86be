package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.GranaryException;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.client.admin.BackedUpKey;
import dev.granary.client.admin.KeyBackups;
import dev.granary.client.admin.KeyBackups.Position;
import dev.granary.net.FrameException;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.SlotGroup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link KeyBackups} and {@link GroupCaller} with a storage peer that answers as the test says. */
class KeyBackupsTest {

    private static final int GROUP = 3;
    private static final int DONE = 0;
    private static final int REFUSED = 2;
    private static final int UNKNOWN = 3;
    private static final int NOT_OWNER = 4;

    /** What the storage peer answers to the next calls. */
    private record Answer(int outcome, String text) {}

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final ArrayDeque<Answer> answers = new ArrayDeque<>();

    /** The requests of each call, as text, and whether it may open the group. */
    private final List<String> calls = new ArrayList<>();

    private final List<Boolean> opens = new ArrayList<>();
    private boolean isOpen = true;
    private int asked;
    private final KeyBackups keys;

    KeyBackupsTest() {
        cluster.superPeer = this::answerAsSuperPeer;
        cluster.storage = this::answerAsOwner;
        keys = AsyncClusterAdmin.of(cluster.client(ScriptedCluster.options())).keyBackups();
    }

    private boolean answerAsSuperPeer(RpcRequest request) {
        if (request.type() != MessageType.OPEN_SLOT_GROUP.code()) {
            return false;
        }
        asked++;
        assertThat(request.read(MessageType.OPEN_SLOT_GROUP))
                .as("nobody who asks so opens a group")
                .isEqualTo(new OpenSlotGroup(SlotGroup.nid(GROUP), 0, 0));
        Placement placement = isOpen ? Placement.unreplicated(ScriptedCluster.STORAGE_NID, 1) : null;
        request.reply(new SlotGroupPlace(
                placement, 65_536, true, ScriptedCluster.STORAGE_NID, new HostAddress("peer", 7501)));
        return true;
    }

    private boolean answerAsOwner(RpcRequest request) {
        if (request.type() != MessageType.GROUP_CALL) {
            return false;
        }
        ByteBuf in = request.payload();
        assertThat(in.readUnsignedShortLE()).isEqualTo(SlotGroup.nid(GROUP));
        opens.add(in.readUnsignedByte() == 1);
        assertThat(in.readUnsignedByte()).isZero();
        int count = in.readIntLE();
        assertThat(in.readIntLE()).as("watched keys").isZero();
        String text = in.readCharSequence(in.readableBytes(), StandardCharsets.ISO_8859_1)
                .toString();
        assertThat(text.split("\\*", -1)).hasSize(count + 1);
        calls.add(text.replaceAll("[$][0-9]+\r\n", "").replaceAll("\r\n", " "));
        Answer answer = answers.remove();
        ByteBuf out = request.startReply(64);
        out.writeByte(answer.outcome).writeCharSequence(answer.text, StandardCharsets.ISO_8859_1);
        request.reply(out);
        return true;
    }

    private void answer(String text) {
        answers.add(new Answer(DONE, text));
    }

    private static BackedUpKey key(String key, String value, long expiresAtMillis) {
        return new BackedUpKey(bytes(key), bytes(value), expiresAtMillis);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void read_page_hasKeysWithTheirTimes() {
        answer("*2\r\n$2\r\n17\r\n*4\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\nd\r\n");
        answer(":3\r\n:4\r\n$-1\r\n:4\r\n");
        answer("$2\r\nva\r\n:-1\r\n$2\r\n\r\n\r\n:1700000000000\r\n$-1\r\n:-2\r\n");
        KeyBackups.Page page = cluster.await(keys.read(GROUP, Position.START));
        assertThat(page.keys())
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(key("a", "va", 0), key("b", "\r\n", 1_700_000_000_000L));
        answer("*2\r\n$1\r\n0\r\n*0\r\n");
        KeyBackups.Page last = cluster.await(keys.read(GROUP, Objects.requireNonNull(page.next())));
        assertThat(last.keys()).isEmpty();
        assertThat(last.next()).isNull();
        assertThat(calls)
                .containsExactly(
                        "*4 SCAN 0 COUNT 250 ",
                        "*3 MEMORY USAGE a *3 MEMORY USAGE b *3 MEMORY USAGE c *3 MEMORY USAGE d ",
                        "*2 DUMP a *2 PEXPIRETIME a *2 DUMP b *2 PEXPIRETIME b *2 DUMP d *2 PEXPIRETIME d ",
                        "*4 SCAN 17 COUNT 250 ");
        assertThat(opens).containsOnly(false);
        assertThat(asked).as("questions to the super-peer").isEqualTo(1);
    }

    /** Replies have an end. */
    @Test
    void get_largeValues_areReadByCallsOfTheirOwn() {
        answer(":600000\r\n:600000\r\n:9000000\r\n:1\r\n");
        answer("$1\r\na\r\n:-1\r\n");
        answer("$1\r\nb\r\n:-1\r\n");
        answer("$1\r\nc\r\n:-1\r\n");
        answer("$1\r\nd\r\n:-1\r\n");
        List<byte[]> wanted = List.of(bytes("a"), bytes("b"), bytes("c"), bytes("d"));
        assertThat(cluster.await(keys.get(GROUP, wanted))).hasSize(4);
        assertThat(calls).hasSize(5);
    }

    /** Whoever reads has room for some of the values only. */
    @Test
    void read_largeValues_comeOnPagesOfTheirOwn() {
        answer("*2\r\n$1\r\n0\r\n*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n");
        answer(":600000\r\n:600000\r\n:400000\r\n");
        answer("$1\r\na\r\n:-1\r\n");
        KeyBackups.Page first = cluster.await(keys.read(GROUP, Position.START));
        assertThat(first.keys()).hasSize(1);
        answer("$1\r\nb\r\n:-1\r\n$1\r\nc\r\n:-1\r\n");
        KeyBackups.Page second = cluster.await(keys.read(GROUP, Objects.requireNonNull(first.next())));
        assertThat(second.keys()).hasSize(2);
        assertThat(second.next()).isNull();
    }

    @Test
    void read_groupThatNobodyHas_isEmptyAndAsksNoStoragePeer() {
        isOpen = false;
        KeyBackups.Page page = cluster.await(keys.read(GROUP, Position.START));
        assertThat(page.next()).isNull();
        assertThat(page.keys()).isEmpty();
        assertThat(calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {REFUSED, UNKNOWN, NOT_OWNER})
    void read_notCarriedOut_asksTheSuperPeerAgainWhoHasTheGroup(int outcome) {
        answers.add(new Answer(outcome, "not at present"));
        answer("*2\r\n$1\r\n0\r\n*0\r\n");
        assertThat(cluster.await(keys.read(GROUP, Position.START)).keys()).isEmpty();
        assertThat(asked).isEqualTo(2);
        assertThat(calls).hasSize(2);
    }

    @Test
    void read_commandIsRefused_failsWithItsReason() {
        answer("-ERR it does not work\r\n");
        assertThatThrownBy(() -> cluster.await(keys.read(GROUP, Position.START)))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(GranaryException.class)
                .hasMessageContaining("ERR it does not work");
    }

    @Test
    void restore_groupThatNobodyHas_isOpened() {
        isOpen = false;
        answer("+OK\r\n+OK\r\n");
        assertThat(cluster.await(keys.restore(GROUP, List.of(key("a", "va", 0), key("b", "vb", 1700)))))
                .isZero();
        assertThat(calls).containsExactly("*5 RESTORE a 0 va ABSTTL *5 RESTORE b 1700 vb ABSTTL ");
        assertThat(opens).containsExactly(true);
    }

    @Test
    void restore_someThereAndNoRoomForOthers_repeatsThoseAlone() {
        answer("+OK\r\n-BUSYKEY Target key name already exists.\r\n-OOM command not allowed\r\n");
        answer("+OK\r\n");
        List<BackedUpKey> wanted = List.of(key("a", "va", 0), key("b", "vb", 0), key("c", "vc", 0));
        assertThat(cluster.await(keys.restore(GROUP, wanted))).isEqualTo(1);
        assertThat(calls).last().isEqualTo("*5 RESTORE c 0 vc ABSTTL ");
    }

    @Test
    void restore_keysOfManyBytes_goInSeveralCalls() {
        List<BackedUpKey> wanted = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            byte[] value = new byte[500_000];
            Arrays.fill(value, (byte) 'x');
            wanted.add(new BackedUpKey(bytes("key" + i), value, 0));
        }
        answer("+OK\r\n+OK\r\n");
        answer("+OK\r\n+OK\r\n");
        answer("+OK\r\n");
        assertThat(cluster.await(keys.restore(GROUP, wanted))).isZero();
        assertThat(calls).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"+OK", "$5\r\nabc", "!3\r\n", "*2\r\n:1\r\n"})
    void replies_tornOrUnknown_areRefused(String text) {
        ByteBuf in = Unpooled.buffer().writeByte(DONE).writeBytes(bytes(text));
        assertThatThrownBy(() -> GroupCaller.read(in))
                .isInstanceOfAny(FrameException.class, IllegalArgumentException.class);
    }
}
