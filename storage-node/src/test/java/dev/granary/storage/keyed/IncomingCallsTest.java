package dev.granary.storage.keyed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.Durability;
import dev.granary.net.message.GroupCalls;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Protocol;
import dev.granary.resp.RequestWriter;
import dev.granary.storage.AnsweringBackup;
import dev.granary.storage.RawClient;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages of clients with calls on several slot groups, which {@link IncomingCalls} answers. */
class IncomingCallsTest {

    private static final int OTHER_GROUP = SlotGroup.ofKey("{h}".getBytes(UTF_8));

    private final KeyedPeer peer = new KeyedPeer();

    @AfterEach
    void close() {
        peer.close();
    }

    /** What became of a call; the text has spaces in place of the ends of lines. */
    private record Told(int outcome, String text) {}

    private static GroupCall call(int group, byte[][]... requests) {
        ByteBuf bytes = Unpooled.buffer();
        for (byte[][] request : requests) {
            RequestWriter.write(bytes, request);
        }
        return new GroupCall(group, Protocol.RESP2, List.of(), requests.length, bytes);
    }

    private static byte[][] words(String words) {
        return Stream.of(words.split(" ", -1)).map(word -> word.getBytes(UTF_8)).toArray(byte[][]::new);
    }

    private static CompletableFuture<List<Told>> send(RawClient client, int flags, boolean open, GroupCall... calls) {
        return client.send(
                MessageType.GROUP_CALLS,
                out -> {
                    new GroupCalls(flags, calls.length).writeTo(out);
                    for (GroupCall call : calls) {
                        out.writeIntLE(GroupCallBytes.sizeBytes(call));
                        GroupCallBytes.write(call, open, out);
                    }
                },
                in -> {
                    List<Told> told = new ArrayList<>();
                    for (int left = in.readIntLE(); left > 0; left--) {
                        ByteBuf answer = in.readSlice(in.readIntLE());
                        int outcome = answer.readUnsignedByte();
                        told.add(new Told(
                                outcome,
                                answer.toString(UTF_8).replace("\r\n", " ").strip()));
                    }
                    return told;
                });
    }

    private List<Told> tell(RawClient client, int flags, GroupCall... calls) {
        return client.await(send(client, flags, true, calls));
    }

    /** Repeats a call while it is refused: the keys of a new group are looked for first. */
    private Told carriedOut(RawClient client, GroupCall call) {
        for (int attempts = 0; attempts < 100; attempts++) {
            Told told = tell(client, 0, call).getFirst();
            if (told.outcome != GroupCalls.REFUSED) {
                return told;
            }
            peer.node.advance(KeyedPeer.MILLI);
        }
        throw new AssertionError("is still refused");
    }

    private RawClient clientOfTwoGroups() {
        peer.ready();
        RawClient client = peer.node.client();
        List<Told> opened =
                tell(client, 0, call(KeyedPeer.GROUP, words("SET {g}a 1")), call(OTHER_GROUP, words("SET {h}a 2")));
        assertThat(opened)
                .allMatch(told -> told.outcome == GroupCalls.REFUSED && told.text.contains("just been opened"));
        assertThat(carriedOut(client, call(KeyedPeer.GROUP, words("SET {g}a 1"))))
                .isEqualTo(new Told(GroupCalls.DONE, "+OK"));
        assertThat(carriedOut(client, call(OTHER_GROUP, words("SET {h}a 2"))))
                .isEqualTo(new Told(GroupCalls.DONE, "+OK"));
        return client;
    }

    @Test
    void calls_onTwoGroups_areAnsweredInTheirOrder() {
        RawClient client = clientOfTwoGroups();
        assertThat(tell(
                        client,
                        GroupCalls.READS,
                        call(OTHER_GROUP, words("GET {h}a"), words("GET {h}b")),
                        call(KeyedPeer.GROUP, words("GET {g}a"))))
                .containsExactly(new Told(GroupCalls.DONE, "$1 2 $-1"), new Told(GroupCalls.DONE, "$1 1"));
    }

    @Test
    void calls_oneGroupIsNotOwnedHere_onlyTheOthersAreCarriedOut() {
        peer.ready();
        RawClient client = peer.node.client();
        carriedOut(client, call(KeyedPeer.GROUP, words("SET {g}a 1")));
        List<Told> told = client.await(send(
                client, 0, false, call(OTHER_GROUP, words("SET {h}a 1")), call(KeyedPeer.GROUP, words("SET {g}a 1"))));
        assertThat(told.get(0).outcome).isEqualTo(GroupCalls.NOT_OWNER);
        assertThat(told.get(1)).isEqualTo(new Told(GroupCalls.DONE, "+OK"));
        assertThat(peer.groups.openings).isEqualTo(1);
    }

    @Test
    void calls_oneMakesNoSense_onlyTheOthersAreCarriedOut() {
        RawClient client = clientOfTwoGroups();
        List<Told> told =
                tell(client, 0, call(KeyedPeer.GROUP, words("NONSENSE {g}a")), call(OTHER_GROUP, words("INCR {h}a")));
        assertThat(told.get(0).outcome).isEqualTo(GroupCalls.INVALID);
        assertThat(told.get(0).text).contains("NONSENSE");
        assertThat(told.get(1)).isEqualTo(new Told(GroupCalls.DONE, ":3"));
    }

    @Test
    void reads_answerGrowsLarge_endsBehindTheReplyThatMakesItSo() {
        RawClient client = clientOfTwoGroups();
        byte[] large = new byte[3 << 20];
        GroupCall set = call(KeyedPeer.GROUP, new byte[][] {"SET".getBytes(UTF_8), "{g}x".getBytes(UTF_8), large});
        assertThat(carriedOut(client, set)).isEqualTo(new Told(GroupCalls.DONE, "+OK"));
        List<Told> told = tell(
                client,
                GroupCalls.READS,
                call(KeyedPeer.GROUP, words("GET {g}x"), words("GET {g}x"), words("GET {g}x")),
                call(OTHER_GROUP, words("GET {h}a")));
        assertThat(told.get(0).outcome).isEqualTo(GroupCalls.DONE);
        assertThat(told.get(0).text.length()).as("two of the three replies").isBetween(6 << 20, (6 << 20) + 100);
        assertThat(told.get(1)).isEqualTo(new Told(GroupCalls.LEFT_OUT, ""));
    }

    /** Its size is not known before, so that the next read waits for it. */
    @Test
    void reads_oneIsHeldBack_areAllAnsweredWhenBackupsHaveTheChange() {
        AnsweringBackup backup = new AnsweringBackup(peer.node.world, peer.superPeer, 0xC000);
        peer.groups.backups = new int[] {backup.nid};
        RawClient client = clientOfTwoGroups();
        backup.silent = true;
        CompletableFuture<List<Told>> change = send(client, 0, false, call(KeyedPeer.GROUP, words("SET {g}a 5")));
        CompletableFuture<List<Told>> reads = send(
                client,
                GroupCalls.READS,
                false,
                call(KeyedPeer.GROUP, words("GET {g}a")),
                call(OTHER_GROUP, words("GET {h}a")));
        peer.node.advance(100 * KeyedPeer.MILLI);
        assertThat(change).isNotDone();
        assertThat(reads).isNotDone();
        backup.silent = false;
        backup.answerAll();
        assertThat(client.await(change)).containsExactly(new Told(GroupCalls.DONE, "+OK"));
        assertThat(client.await(reads))
                .containsExactly(new Told(GroupCalls.DONE, "$1 5"), new Told(GroupCalls.DONE, "$1 2"));
    }

    @Test
    void change_durabilityAsync_isAnsweredBeforeABackupHasIt() {
        AnsweringBackup backup = new AnsweringBackup(peer.node.world, peer.superPeer, 0xC000);
        peer.groups.backups = new int[] {backup.nid};
        RawClient client = clientOfTwoGroups();
        backup.silent = true;
        int async = Durability.ASYNC.flags();
        assertThat(tell(client, async, call(KeyedPeer.GROUP, words("SET {g}a 5"))))
                .containsExactly(new Told(GroupCalls.DONE, "+OK"));
        backup.silent = false;
        backup.answerAll();
    }

    @Test
    void message_lengthBeyondItsEnd_isRefused() {
        peer.ready();
        RawClient client = peer.node.client();
        CompletableFuture<Integer> answer = client.send(
                MessageType.GROUP_CALLS,
                out -> out.writeIntLE(0).writeIntLE(1).writeIntLE(1_000).writeZero(20),
                ByteBuf::readIntLE);
        assertThatThrownBy(() -> client.await(answer)).hasMessageContaining("1000 bytes, of 20");
    }
}
