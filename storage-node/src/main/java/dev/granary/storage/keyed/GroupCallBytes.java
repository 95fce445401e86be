package dev.granary.storage.keyed;

import dev.granary.net.FrameException;
import dev.granary.net.message.Durability;
import dev.granary.net.message.GroupCalls;
import dev.granary.net.message.GroupCalls.Head;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Protocol;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The payloads of calls on slot groups that go to their owner, and of their replies, as storage peers write and read
 * them. {@link Head} draws a call, and {@link GroupCalls} a message with several.
 *
 * <pre>
 *   reply     +---------+------------------------------------------------+
 *             | outcome | replies (0), or a message in UTF-8 (1 to 6)    |
 *             +---------+------------------------------------------------+
 *             outcome 0: done, 1: a watched key has changed, 2: refused, 3: unknown, 4: not the owner, 5: left out,
 *             6: makes no sense; several replies are behind their number (4), each behind its length (4)
 * </pre>
 */
@SuppressWarnings("EnumOrdinal")
final class GroupCallBytes {

    private static final Outcome[] OUTCOMES = Outcome.values();

    private GroupCallBytes() {}

    /** A call as it came. */
    record Incoming(GroupCall call, boolean open) {}

    /** Returns how many bytes a call takes. */
    static int sizeBytes(GroupCall call) {
        int watched = call.watched().stream()
                .mapToInt(each -> Head.WATCHED_BYTES + each.key().length)
                .sum();
        return Head.BYTES + watched + call.requests().readableBytes();
    }

    static void write(GroupCall call, boolean open, ByteBuf out) {
        out.ensureWritable(sizeBytes(call));
        int flags = (open ? Head.OPEN : 0) | (call.protocol() == Protocol.RESP3 ? Head.RESP3 : 0);
        new Head(call.nid(), flags, call.count(), call.watched().size()).writeTo(out);
        for (GroupCall.WatchedKey each : call.watched()) {
            out.writeLongLE(each.mark());
            out.writeIntLE(each.key().length);
            out.writeBytes(each.key());
        }
        ByteBuf requests = call.requests();
        out.writeBytes(requests, requests.readerIndex(), requests.readableBytes());
    }

    /**
     * Reads a call. Its requests are a part of the buffer, which the caller keeps.
     *
     * @throws FrameException when the payload is no call
     */
    static Incoming read(ByteBuf in) {
        Head head = Head.read(in);
        List<GroupCall.WatchedKey> watched = new ArrayList<>(head.watched());
        for (int i = 0; i < head.watched(); i++) {
            long mark = in.readLongLE();
            int length = in.readIntLE();
            if (length < 0 || length > in.readableBytes()) {
                throw new FrameException("a watched key has " + length + " bytes, of " + in.readableBytes());
            }
            byte[] key = new byte[length];
            in.readBytes(key);
            watched.add(new GroupCall.WatchedKey(key, mark));
        }
        Protocol protocol = (head.flags() & Head.RESP3) == 0 ? Protocol.RESP2 : Protocol.RESP3;
        GroupCall call = new GroupCall(SlotGroup.of(head.groupNid()), protocol, watched, head.requests(), in.slice());
        return new Incoming(call, (head.flags() & Head.OPEN) != 0);
    }

    /** Writes calls that go together, with the configured durability of their owner; none of them opens a group. */
    static void writeAll(List<GroupCall> calls, ByteBuf out) {
        new GroupCalls(0, calls.size()).writeTo(out);
        for (GroupCall call : calls) {
            out.writeIntLE(sizeBytes(call));
            write(call, false, out);
        }
    }

    /**
     * Reads calls that came together, as {@link #read} does. Those of a message that only reads end where the answer is
     * large enough.
     *
     * @throws FrameException when the payload is no calls
     */
    static List<Incoming> readAll(ByteBuf in) {
        GroupCalls head = GroupCalls.read(in);
        Durability durability =
                (head.flags() & Durability.FLAGS) == 0 ? null : Durability.of(head.flags(), Durability.REPLICATED);
        int replyBytes = (head.flags() & GroupCalls.READS) == 0 ? Integer.MAX_VALUE : GroupCalls.REPLY_BYTES;
        List<Incoming> calls = new ArrayList<>(head.calls());
        for (int i = 0; i < head.calls(); i++) {
            Incoming incoming = read(part(in));
            calls.add(new Incoming(incoming.call.with(durability, replyBytes), incoming.open));
        }
        return calls;
    }

    private static ByteBuf part(ByteBuf in) {
        int length = in.readableBytes() < Integer.BYTES ? 0 : in.readIntLE();
        if (length <= 0 || length > in.readableBytes()) {
            throw new FrameException("a call or its reply has " + length + " bytes, of " + in.readableBytes());
        }
        return in.readSlice(length);
    }

    static void writeReply(GroupReply reply, ByteBuf out) {
        out.writeByte(reply.outcome().ordinal());
        ByteBuf replies = reply.replies();
        if (replies != null) {
            out.writeBytes(replies, replies.readerIndex(), replies.readableBytes());
        } else {
            out.writeCharSequence(reply.message(), StandardCharsets.UTF_8);
        }
    }

    static void writeNotOwner(String message, ByteBuf out) {
        writeNot(GroupCalls.NOT_OWNER, message, out);
    }

    private static void writeNot(int why, String message, ByteBuf out) {
        out.writeByte(why);
        out.writeCharSequence(message, StandardCharsets.UTF_8);
    }

    /**
     * A reply as it came.
     *
     * @param reply null when nothing was carried out, and another message may lead further
     * @param why then {@link GroupCalls#NOT_OWNER}, {@link GroupCalls#LEFT_OUT} or {@link GroupCalls#INVALID}
     */
    record Answer(@Nullable GroupReply reply, int why, String message) {

        static Answer of(GroupReply reply) {
            return new Answer(reply, 0, reply.message());
        }

        static Answer not(int why, String message) {
            return new Answer(null, why, message);
        }
    }

    /** Writes the replies of calls that came together. */
    static void writeAnswers(List<Answer> answers, ByteBuf out) {
        out.writeIntLE(answers.size());
        for (Answer answer : answers) {
            int lengthAt = out.writerIndex();
            out.writeIntLE(0);
            if (answer.reply == null) {
                writeNot(answer.why, answer.message, out);
            } else {
                writeReply(answer.reply, out);
            }
            out.setIntLE(lengthAt, out.writerIndex() - lengthAt - Integer.BYTES);
        }
    }

    /** Reads the replies of {@code calls} calls that went together, as {@link #readReply} does. */
    static List<Answer> readAnswers(ByteBuf in, int calls) {
        int count = in.readIntLE();
        if (count != calls) {
            throw new FrameException(calls + " calls on slot groups were answered for " + count);
        }
        List<Answer> answers = new ArrayList<>(calls);
        for (int i = 0; i < calls; i++) {
            answers.add(readReply(part(in)));
        }
        return answers;
    }

    /** Reads a reply. Copies it, because the buffer is the connection's. */
    static Answer readReply(ByteBuf in) {
        int outcome = in.readUnsignedByte();
        if (outcome == Outcome.DONE.ordinal()) {
            return Answer.of(
                    GroupReply.done(in.alloc().buffer(in.readableBytes()).writeBytes(in)));
        }
        String message =
                in.readCharSequence(in.readableBytes(), StandardCharsets.UTF_8).toString();
        if (outcome == GroupCalls.NOT_OWNER || outcome == GroupCalls.LEFT_OUT || outcome == GroupCalls.INVALID) {
            return Answer.not(outcome, message);
        }
        if (outcome >= OUTCOMES.length) {
            throw new FrameException("a reply of a slot group has the outcome " + outcome);
        }
        return Answer.of(GroupReply.not(OUTCOMES[outcome], message));
    }
}
