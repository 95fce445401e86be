package dev.granary.storage.keyed;

import dev.granary.net.FrameException;
import dev.granary.net.message.GroupCalls;
import dev.granary.resp.Protocol;
import dev.granary.storage.keyed.GroupCallBytes.Answer;
import dev.granary.storage.keyed.GroupCallBytes.Incoming;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * One try of fuzzing: bytes are read as calls on slot groups, or as their answers. They are read or refused, and what
 * was read is written in bytes that are read as the same. {@code e2e/fuzz/run} lets Jazzer make up the bytes.
 */
public final class GroupCallBytesFuzz {

    private static final int CALL = 0;
    private static final int CALLS = 1;
    private static final int REPLY = 2;
    private static final int ANSWERS = 3;

    private GroupCallBytesFuzz() {}

    /** Loads what it needs, so that the first input of a fuzzer does not have to wait for that. */
    public static void fuzzerInitialize() {
        seeds().forEach(GroupCallBytesFuzz::fuzzerTestOneInput);
    }

    /** The first byte says as what the others are read. */
    public static void fuzzerTestOneInput(byte[] input) {
        boolean _ = isRead(input);
    }

    /** Tries it, and returns whether something was read. */
    static boolean isRead(byte[] input) {
        if (input.length == 0) {
            return false;
        }
        ByteBuf in = Unpooled.wrappedBuffer(input, 1, input.length - 1);
        try {
            switch (input[0] & 3) {
                case CALL -> call(in);
                case CALLS -> calls(in);
                case REPLY -> reply(in);
                default -> answers(in);
            }
            return true;
        } catch (FrameException | IndexOutOfBoundsException refused) {
            // Who reads a payload treats both alike.
            return false;
        }
    }

    private static void call(ByteBuf in) {
        Incoming incoming = GroupCallBytes.read(in);
        ByteBuf out = Unpooled.buffer();
        GroupCallBytes.write(incoming.call(), incoming.open(), out);
        require(out.readableBytes() == GroupCallBytes.sizeBytes(incoming.call()), "another size");
        in.readerIndex(0);
        require(out.equals(in), "another call");
    }

    private static void calls(ByteBuf in) {
        List<Incoming> all = GroupCallBytes.readAll(in);
        ByteBuf out = Unpooled.buffer();
        GroupCallBytes.writeAll(all.stream().map(Incoming::call).toList(), out);
        List<Incoming> again = reread(() -> GroupCallBytes.readAll(out));
        require(again.size() == all.size(), "another number of calls");
        for (int i = 0; i < all.size(); i++) {
            GroupCall before = all.get(i).call();
            GroupCall after = again.get(i).call();
            boolean same = before.group() == after.group()
                    && before.count() == after.count()
                    && before.protocol() == after.protocol()
                    && before.watched().size() == after.watched().size()
                    && before.requests().equals(after.requests());
            require(same, "another call");
        }
    }

    private static void reply(ByteBuf in) {
        Answer answer = GroupCallBytes.readReply(in);
        ByteBuf out = Unpooled.buffer();
        GroupCallBytes.writeAnswers(List.of(answer), out);
        Answer again = reread(() -> GroupCallBytes.readAnswers(out, 1).getFirst());
        require(again.equals(answer), "another answer");
    }

    private static void answers(ByteBuf in) {
        int calls = in.isReadable() ? in.readUnsignedByte() : 0;
        List<Answer> answers = GroupCallBytes.readAnswers(in, calls);
        ByteBuf out = Unpooled.buffer();
        GroupCallBytes.writeAnswers(answers, out);
        require(reread(() -> GroupCallBytes.readAnswers(out, calls)).equals(answers), "other answers");
    }

    /** Reads what was written; that it is refused would be a failure. */
    private static <T> T reread(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (FrameException | IndexOutOfBoundsException e) {
            throw new AssertionError("what was written is refused", e);
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    /** Returns inputs with which a fuzzer begins. */
    public static List<byte[]> seeds() {
        GroupCall one = new GroupCall(
                3,
                Protocol.RESP3,
                List.of(new GroupCall.WatchedKey(new byte[] {'k'}, 0x0102)),
                1,
                bytes("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"));
        GroupCall other = new GroupCall(4, Protocol.RESP2, List.of(), 1, bytes("*1\r\n$4\r\nPING\r\n"));
        List<Answer> answers = List.of(
                Answer.of(GroupReply.done(bytes("+OK\r\n"))),
                Answer.not(GroupCalls.NOT_OWNER, "why"),
                Answer.not(GroupCalls.LEFT_OUT, ""),
                Answer.of(GroupReply.not(Outcome.REFUSED, "later")));
        List<byte[]> seeds = new ArrayList<>();
        ByteBuf call = Unpooled.buffer().writeByte(CALL);
        GroupCallBytes.write(one, true, call);
        seeds.add(ByteBufUtil.getBytes(call));
        ByteBuf calls = Unpooled.buffer().writeByte(CALLS);
        GroupCallBytes.writeAll(List.of(one, other), calls);
        seeds.add(ByteBufUtil.getBytes(calls));
        for (Answer answer : answers) {
            ByteBuf alone = Unpooled.buffer();
            GroupCallBytes.writeAnswers(List.of(answer), alone);
            // Behind the number of answers and the length of this one.
            ByteBuf reply = Unpooled.buffer().writeByte(REPLY).writeBytes(alone.skipBytes(2 * Integer.BYTES));
            seeds.add(ByteBufUtil.getBytes(reply));
        }
        ByteBuf together = Unpooled.buffer().writeByte(ANSWERS).writeByte(answers.size());
        GroupCallBytes.writeAnswers(answers, together);
        seeds.add(ByteBufUtil.getBytes(together));
        return seeds;
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }
}
