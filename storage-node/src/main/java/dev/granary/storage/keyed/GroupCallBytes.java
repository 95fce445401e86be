package dev.granary.storage.keyed;

import dev.granary.net.FrameException;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Protocol;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The payloads of calls on slot groups that go to another storage peer, and of their replies. Numbers are
 * little-endian. Several calls, or replies, are one behind the other, each behind its length (4).
 *
 * <pre>
 *   request   0           2       3        4          8           12
 *             +-----------+-------+--------+----------+-----------+-----------------+----------+
 *             | group NID | flags | 0      | requests | watched   | watched keys    | requests |
 *             +-----------+-------+--------+----------+-----------+-----------------+----------+
 *             flags 1: open the group if nobody has it, 2: replies in RESP3
 *             watched key: mark (8), length (4), bytes
 *
 *   reply     +---------+------------------------------------------------+
 *             | outcome | replies (0), or a message in UTF-8 (1 to 4)    |
 *             +---------+------------------------------------------------+
 *             outcome 0: done, 1: a watched key has changed, 2: refused, 3: unknown, 4: not the owner
 * </pre>
 */
@SuppressWarnings("EnumOrdinal")
final class GroupCallBytes {

    static final int OPEN = 1;

    /** In place of an outcome: the answering peer does not own the group. */
    static final int NOT_OWNER = 4;

    private static final int RESP3 = 2;
    private static final int HEADER_BYTES = 12;
    private static final int WATCHED_BYTES = Long.BYTES + Integer.BYTES;
    private static final Outcome[] OUTCOMES = Outcome.values();

    private GroupCallBytes() {}

    /** A call as it came. */
    record Incoming(GroupCall call, boolean open) {}

    /** Returns how many bytes a call takes. */
    static int sizeBytes(GroupCall call) {
        int watched = call.watched().stream()
                .mapToInt(each -> WATCHED_BYTES + each.key().length)
                .sum();
        return HEADER_BYTES + watched + call.requests().readableBytes();
    }

    static void write(GroupCall call, boolean open, ByteBuf out) {
        out.ensureWritable(sizeBytes(call));
        out.writeShortLE(call.nid());
        out.writeByte((open ? OPEN : 0) | (call.protocol() == Protocol.RESP3 ? RESP3 : 0));
        out.writeByte(0);
        out.writeIntLE(call.count());
        out.writeIntLE(call.watched().size());
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
        int nid = in.readUnsignedShortLE();
        int flags = in.readUnsignedByte();
        int zero = in.readUnsignedByte();
        int count = in.readIntLE();
        int watchedCount = in.readIntLE();
        boolean valid = SlotGroup.isGroup(nid)
                && (flags & ~(OPEN | RESP3)) == 0
                && zero == 0
                && count > 0
                && watchedCount >= 0
                && (long) watchedCount * WATCHED_BYTES <= in.readableBytes();
        if (!valid) {
            throw new FrameException("this is no call on a slot group: NID " + nid + ", flags " + flags + ", " + count
                    + " requests, " + watchedCount + " watched keys");
        }
        List<GroupCall.WatchedKey> watched = new ArrayList<>(watchedCount);
        for (int i = 0; i < watchedCount; i++) {
            long mark = in.readLongLE();
            int length = in.readIntLE();
            if (length < 0 || length > in.readableBytes()) {
                throw new FrameException("a watched key has " + length + " bytes, of " + in.readableBytes());
            }
            byte[] key = new byte[length];
            in.readBytes(key);
            watched.add(new GroupCall.WatchedKey(key, mark));
        }
        Protocol protocol = (flags & RESP3) == 0 ? Protocol.RESP2 : Protocol.RESP3;
        GroupCall call = new GroupCall(SlotGroup.of(nid), protocol, watched, count, in.slice());
        return new Incoming(call, (flags & OPEN) != 0);
    }

    /** Writes calls that go together; none of them opens a group. */
    static void writeAll(List<GroupCall> calls, ByteBuf out) {
        for (GroupCall call : calls) {
            out.writeIntLE(sizeBytes(call));
            write(call, false, out);
        }
    }

    /**
     * Reads calls that came together, as {@link #read} does.
     *
     * @throws FrameException when the payload is no calls
     */
    static List<GroupCall> readAll(ByteBuf in) {
        List<GroupCall> calls = new ArrayList<>();
        do {
            calls.add(read(part(in)).call());
        } while (in.isReadable());
        return calls;
    }

    private static ByteBuf part(ByteBuf in) {
        int length = in.readableBytes() < Integer.BYTES ? 0 : in.readIntLE();
        if (length <= 0 || length > in.readableBytes()) {
            throw new FrameException("a part has " + length + " bytes, of " + in.readableBytes());
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
        out.writeByte(NOT_OWNER);
        out.writeCharSequence(message, StandardCharsets.UTF_8);
    }

    /**
     * A reply as it came.
     *
     * @param reply null when the answering peer does not own the group
     */
    record Answer(@Nullable GroupReply reply, String message) {}

    /** Writes the replies of calls that came together. */
    static void writeAnswers(List<Answer> answers, ByteBuf out) {
        for (Answer answer : answers) {
            int lengthAt = out.writerIndex();
            out.writeIntLE(0);
            if (answer.reply == null) {
                writeNotOwner(answer.message, out);
            } else {
                writeReply(answer.reply, out);
            }
            out.setIntLE(lengthAt, out.writerIndex() - lengthAt - Integer.BYTES);
        }
    }

    /** Reads the replies of {@code calls} calls that went together, as {@link #readReply} does. */
    static List<Answer> readAnswers(ByteBuf in, int calls) {
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
            return new Answer(
                    GroupReply.done(in.alloc().buffer(in.readableBytes()).writeBytes(in)), "");
        }
        String message =
                in.readCharSequence(in.readableBytes(), StandardCharsets.UTF_8).toString();
        if (outcome == NOT_OWNER) {
            return new Answer(null, message);
        }
        if (outcome >= OUTCOMES.length) {
            throw new FrameException("a reply of a slot group has the outcome " + outcome);
        }
        return new Answer(GroupReply.not(OUTCOMES[outcome], message), message);
    }
}
