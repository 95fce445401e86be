package dev.granary.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.RaftMessage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages between members: docs/formats/raft.md. A change of the golden bytes is a change of the protocol. */
class MessageCodecTest {

    private static final DefaultRaftModelFactory MODEL = new DefaultRaftModelFactory();
    private static final Endpoint SENDER = new Endpoint(new MemberId(5));
    private static final String HEAD = "2a00000000000000" + "0500000000000000" + "03000000";

    private static RaftGroupMembersView view() {
        return MODEL.createRaftGroupMembersViewBuilder()
                .setLogIndex(4)
                .setMembers(List.of(SENDER))
                .setVotingMembers(List.of(SENDER))
                .build();
    }

    private static LogEntry entry(long index, int bytes) {
        return MODEL.createLogEntryBuilder()
                .setIndex(index)
                .setTerm(3)
                .setOperation(new byte[bytes])
                .build();
    }

    private static AppendEntriesRequest append(List<LogEntry> entries) {
        return MODEL.createAppendEntriesRequestBuilder()
                .setGroupId(42L)
                .setSender(SENDER)
                .setTerm(3)
                .setPreviousLogTerm(2)
                .setPreviousLogIndex(9)
                .setCommitIndex(8)
                .setQuerySequenceNumber(7)
                .setFlowControlSequenceNumber(6)
                .setLogEntries(entries)
                .build();
    }

    static Stream<RaftMessage> messages() {
        return Stream.of(
                append(List.of()),
                append(List.of(entry(10, 3), entry(11, 0))),
                MODEL.createAppendEntriesSuccessResponseBuilder()
                        .setGroupId(42L)
                        .setSender(SENDER)
                        .setTerm(3)
                        .setLastLogIndex(9)
                        .setQuerySequenceNumber(8)
                        .setFlowControlSequenceNumber(7)
                        .build(),
                MODEL.createAppendEntriesFailureResponseBuilder()
                        .setGroupId(42L)
                        .setSender(SENDER)
                        .setTerm(3)
                        .setExpectedNextIndex(9)
                        .setQuerySequenceNumber(8)
                        .setFlowControlSequenceNumber(7)
                        .build(),
                MODEL.createInstallSnapshotRequestBuilder()
                        .setGroupId(42L)
                        .setSender(SENDER)
                        .setTerm(3)
                        .setSenderLeader(true)
                        .setSnapshotTerm(2)
                        .setSnapshotIndex(9)
                        .setTotalSnapshotChunkCount(4)
                        .setSnapshottedMembers(List.of(SENDER))
                        .setGroupMembersView(view())
                        .setQuerySequenceNumber(8)
                        .setFlowControlSequenceNumber(7)
                        .setSnapshotChunk(MODEL.createSnapshotChunkBuilder()
                                .setIndex(9)
                                .setTerm(2)
                                .setSnapshotChunkIndex(1)
                                .setSnapshotChunkCount(4)
                                .setOperation(new byte[] {1, 2})
                                .setGroupMembersView(view())
                                .build())
                        .build(),
                MODEL.createInstallSnapshotResponseBuilder()
                        .setGroupId(42L)
                        .setSender(SENDER)
                        .setTerm(3)
                        .setSnapshotIndex(9)
                        .setRequestedSnapshotChunkIndex(2)
                        .setQuerySequenceNumber(8)
                        .setFlowControlSequenceNumber(7)
                        .build(),
                MODEL.createPreVoteRequestBuilder()
                        .setGroupId(42L)
                        .setSender(SENDER)
                        .setTerm(3)
                        .setLastLogTerm(2)
                        .setLastLogIndex(9)
                        .build(),
                MODEL.createPreVoteResponseBuilder()
                        .setGroupId(42L)
                        .setSender(SENDER)
                        .setTerm(3)
                        .setGranted(true)
                        .build(),
                MODEL.createVoteRequestBuilder()
                        .setGroupId(42L)
                        .setSender(SENDER)
                        .setTerm(3)
                        .setLastLogTerm(2)
                        .setLastLogIndex(9)
                        .setSticky(true)
                        .build(),
                MODEL.createVoteResponseBuilder()
                        .setGroupId(42L)
                        .setSender(SENDER)
                        .setTerm(3)
                        .setGranted(false)
                        .build(),
                MODEL.createTriggerLeaderElectionRequestBuilder()
                        .setGroupId(42L)
                        .setSender(SENDER)
                        .setTerm(3)
                        .setLastLogTerm(2)
                        .setLastLogIndex(9)
                        .build());
    }

    @ParameterizedTest
    @MethodSource("messages")
    void decode_whatWasEncoded_isTheSame(RaftMessage message) {
        byte[] bytes = MessageCodec.encode(message);
        RaftMessage decoded = MessageCodec.decode(bytes);
        assertThat(decoded).hasSameClassAs(message);
        assertThat(MessageCodec.encode(decoded)).isEqualTo(bytes);
        assertThat(decoded).usingRecursiveComparison().isEqualTo(message);
    }

    @Test
    void encode_messages_haveTheDocumentedBytes() {
        List<String> golden = messages()
                .map(message -> HexFormat.of().formatHex(MessageCodec.encode(message)))
                .toList();
        String numbers = "0900000000000000" + "0800000000000000" + "0700000000000000";
        assertThat(golden)
                .containsExactly(
                        "0101" + HEAD + "02000000" + "0900000000000000" + "0800000000000000" + "0700000000000000"
                                + "0600000000000000" + "00000000" + "00000000",
                        "0101" + HEAD + "02000000" + "0900000000000000" + "0800000000000000" + "0700000000000000"
                                + "0600000000000000" + "02000000" + "25000000"
                                + "0a00000000000000" + "03000000" + "02" + "03000000" + "000000"
                                + "0b00000000000000" + "03000000" + "02" + "00000000",
                        "0102" + HEAD + numbers,
                        "0103" + HEAD + numbers,
                        "0104" + HEAD + "01" + "02000000" + "0900000000000000" + "04000000"
                                + "010000000500000000000000"
                                + "0400000000000000" + "010000000500000000000000" + "010000000500000000000000"
                                + "0800000000000000" + "0700000000000000" + "01" + "01000000" + "02000000" + "0102",
                        "0105" + HEAD + "0900000000000000" + "02000000" + "0800000000000000" + "0700000000000000",
                        "0106" + HEAD + "02000000" + "0900000000000000",
                        "0107" + HEAD + "01",
                        "0108" + HEAD + "02000000" + "0900000000000000" + "01",
                        "0109" + HEAD + "00",
                        "010a" + HEAD + "02000000" + "0900000000000000");
    }

    @Test
    void encode_moreEntriesThanFit_takesTheFirstOnes() {
        List<LogEntry> entries = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            entries.add(entry(10 + i, 300_000));
        }
        byte[] bytes = MessageCodec.encode(append(entries));
        assertThat(bytes).hasSizeLessThanOrEqualTo(RaftGroup.MAX_MESSAGE_BYTES);
        assertThat(((AppendEntriesRequest) MessageCodec.decode(bytes)).getLogEntries())
                .hasSize(3);

        byte[] largest = MessageCodec.encode(append(List.of(entry(10, RaftGroup.MAX_COMMAND_BYTES), entry(11, 1))));
        assertThat(largest).hasSizeLessThanOrEqualTo(RaftGroup.MAX_MESSAGE_BYTES);
        assertThat(((AppendEntriesRequest) MessageCodec.decode(largest)).getLogEntries())
                .hasSize(1);
    }

    @Test
    void decode_anyBytes_isAMessageOrRefused() {
        SplittableRandom random = new SplittableRandom(20_261_121);
        List<byte[]> whole = messages().map(MessageCodec::encode).toList();
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = whole.get(random.nextInt(whole.size())).clone();
            int cut = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length;
            byte[] broken = Arrays.copyOf(bytes, cut);
            for (int flips = random.nextInt(4); flips > 0 && cut > 0; flips--) {
                broken[random.nextInt(cut)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                MessageCodec.decode(broken);
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(1_000);
        assertThatThrownBy(() -> MessageCodec.decode(new byte[] {2}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 2");
    }
}
