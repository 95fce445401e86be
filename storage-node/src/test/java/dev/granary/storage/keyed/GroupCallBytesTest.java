package dev.granary.storage.keyed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.granary.net.FrameException;
import dev.granary.net.message.GroupCalls;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Protocol;
import dev.granary.storage.keyed.GroupCallBytes.Answer;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class GroupCallBytesTest {

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static GroupCall call() {
        return new GroupCall(
                3,
                Protocol.RESP3,
                List.of(new GroupCall.WatchedKey(new byte[] {'k'}, 0x0102)),
                1,
                bytes("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"));
    }

    @Test
    void write_call_hasGoldenBytes() {
        ByteBuf out = Unpooled.buffer();
        GroupCallBytes.write(call(), true, out);
        assertEquals(
                "fe3f" + "03" + "00" + "01000000" + "01000000" + "0201000000000000" + "01000000" + "6b"
                        + ByteBufUtil.hexDump(call().requests()),
                ByteBufUtil.hexDump(out));
        assertEquals(GroupCallBytes.sizeBytes(call()), out.readableBytes());
        assertEquals(0x3ffe, SlotGroup.nid(3));
    }

    @Test
    void read_writtenCall_isTheSame() {
        ByteBuf out = Unpooled.buffer();
        GroupCallBytes.write(call(), true, out);
        GroupCallBytes.Incoming incoming = GroupCallBytes.read(out);
        assertTrue(incoming.open());
        assertEquals(3, incoming.call().group());
        assertEquals(Protocol.RESP3, incoming.call().protocol());
        assertEquals(0x0102, incoming.call().watched().getFirst().mark());
        assertArrayEquals(new byte[] {'k'}, incoming.call().watched().getFirst().key());
        assertEquals(call().requests(), incoming.call().requests());
    }

    @Test
    void read_anyOtherBytes_isRefused() {
        ByteBuf out = Unpooled.buffer();
        GroupCallBytes.write(call(), false, out);
        byte[] whole = ByteBufUtil.getBytes(out);
        Random random = new Random(5);
        int read = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] changed = whole.clone();
            // Header and lengths: what is behind them is read by the decoder of requests.
            changed[random.nextInt(25)] = (byte) random.nextInt(256);
            int length = random.nextInt(changed.length + 1);
            ByteBuf in = Unpooled.wrappedBuffer(changed, 0, length);
            if (isRead(in)) {
                read++;
            }
        }
        assertTrue(read > 0 && read < 20_000, read + " were read");
        assertThrows(
                FrameException.class,
                () -> GroupCallBytes.read(Unpooled.buffer().writeZero(20)));
    }

    private static boolean isRead(ByteBuf in) {
        try {
            return GroupCallBytes.read(in).call().count() > 0;
        } catch (FrameException | IndexOutOfBoundsException e) {
            return false;
        }
    }

    @Test
    void replies_ofEachOutcome_haveGoldenBytesAndComeBack() {
        ByteBuf done = Unpooled.buffer();
        GroupCallBytes.writeReply(GroupReply.done(bytes("+OK\r\n")), done);
        assertEquals("002b4f4b0d0a", ByteBufUtil.hexDump(done));
        GroupReply back = Objects.requireNonNull(GroupCallBytes.readReply(done).reply());
        assertEquals(bytes("+OK\r\n"), back.replies());

        Map<Outcome, String> codes = Map.of(Outcome.WATCH_BROKEN, "01", Outcome.REFUSED, "02", Outcome.UNKNOWN, "03");
        codes.forEach((outcome, code) -> {
            ByteBuf out = Unpooled.buffer();
            GroupCallBytes.writeReply(GroupReply.not(outcome, "why"), out);
            assertEquals(code + "776879", ByteBufUtil.hexDump(out));
            assertEquals(
                    GroupReply.not(outcome, "why"),
                    GroupCallBytes.readReply(out).reply());
        });
        ByteBuf notOwner = Unpooled.buffer();
        GroupCallBytes.writeNotOwner("why", notOwner);
        assertEquals("04776879", ByteBufUtil.hexDump(notOwner));
        assertNull(GroupCallBytes.readReply(notOwner).reply());
    }

    @Test
    void callsTogether_haveGoldenBytesAndComeBack() {
        ByteBuf out = Unpooled.buffer();
        GroupCall other = new GroupCall(4, Protocol.RESP2, List.of(), 1, bytes("*1\r\n$4\r\nPING\r\n"));
        GroupCallBytes.writeAll(List.of(call(), other), out);
        assertEquals(
                "00000000" + "02000000" + "2d000000" + "fe3f" + "02" + "00" + "01000000" + "01000000"
                        + "0201000000000000" + "01000000" + "6b"
                        + ByteBufUtil.hexDump(call().requests())
                        + "1a000000" + "fe" + HexFormat.of().toHexDigits((byte) (SlotGroup.nid(4) >> 8)) + "00" + "00"
                        + "01000000" + "00000000"
                        + ByteBufUtil.hexDump(other.requests()),
                ByteBufUtil.hexDump(out));
        List<GroupCall> back = GroupCallBytes.readAll(out).stream()
                .map(GroupCallBytes.Incoming::call)
                .toList();
        assertEquals(List.of(3, 4), back.stream().map(GroupCall::group).toList());
        assertEquals(other.requests(), back.getLast().requests());
        ByteBuf cut =
                Unpooled.buffer().writeIntLE(0).writeIntLE(1).writeIntLE(1_000).writeZero(20);
        assertThrows(FrameException.class, () -> GroupCallBytes.readAll(cut));
    }

    @Test
    void answersTogether_haveGoldenBytesAndComeBack() {
        List<Answer> answers = List.of(
                Answer.of(GroupReply.done(bytes("+OK\r\n"))),
                Answer.not(GroupCalls.NOT_OWNER, "why"),
                Answer.of(GroupReply.not(Outcome.REFUSED, "later")));
        ByteBuf out = Unpooled.buffer();
        GroupCallBytes.writeAnswers(answers, out);
        assertEquals(
                "03000000" + "06000000002b4f4b0d0a" + "0400000004776879" + "06000000026c61746572",
                ByteBufUtil.hexDump(out));
        assertEquals(
                answers.getFirst().reply(),
                GroupCallBytes.readAnswers(out.duplicate(), 3).getFirst().reply());
        assertNull(GroupCallBytes.readAnswers(out.duplicate(), 3).get(1).reply());
        assertThrows(FrameException.class, () -> GroupCallBytes.readAnswers(out, 4));
    }

    @Test
    void readReply_unknownOutcome_isRefused() {
        assertThrows(
                FrameException.class,
                () -> GroupCallBytes.readReply(Unpooled.buffer().writeByte(9)));
    }
}
