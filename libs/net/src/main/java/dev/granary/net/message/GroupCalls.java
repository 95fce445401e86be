package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.overlay.SlotGroup;
import io.netty.buffer.ByteBuf;

/**
 * The head of a message with calls on slot groups that one storage peer owns (ADR 0272), little-endian.
 *
 * <pre>
 *   request   0        4        8
 *             +--------+--------+-----------------------------------
 *             | flags  | calls  | for each: length (4), group-call ...
 *             +--------+--------+-----------------------------------
 *             flags 1: no call changes anything, bits 8 and 9: {@link Durability} of the changes
 *
 *   reply     +--------+-------------------------------------------------------------
 *             | calls  | for each, in order: length (4), outcome (1), replies or text
 *             +--------+-------------------------------------------------------------
 * </pre>
 *
 * A call that changes nothing ends when its replies take the answer beyond some {@link #REPLY_BYTES}: it has fewer
 * replies than requests then, and later calls are {@link #LEFT_OUT}. The client asks again for the rest.
 *
 * @param flags {@link #READS} and the durability
 * @param calls how many calls follow, at least 1
 */
public record GroupCalls(int flags, int calls) {

    public static final int BYTES = 8;

    /** No call changes anything, so that the owner may end when the answer is large. */
    public static final int READS = 1;

    /** The size of an answer beyond which no further request that changes nothing is carried out. */
    public static final int REPLY_BYTES = 4 << 20;

    /** The call was carried out; its replies follow. */
    public static final int DONE = 0;

    /** A watched key has changed; nothing was carried out. */
    public static final int WATCH_BROKEN = 1;

    /** Nothing was carried out; a later call may succeed. */
    public static final int REFUSED = 2;

    /** Nobody knows whether it was carried out. */
    public static final int UNKNOWN = 3;

    /** The answering storage peer does not own the group; nothing was carried out. */
    public static final int NOT_OWNER = 4;

    /** Nothing was carried out, because the answer is large already. */
    public static final int LEFT_OUT = 5;

    /** Nothing was carried out, and never will be: a request is wrong. */
    public static final int INVALID = 6;

    public void writeTo(ByteBuf out) {
        out.writeIntLE(flags).writeIntLE(calls);
    }

    /**
     * Reads the head.
     *
     * @throws FrameException when it has unknown flags, or more calls than the bytes behind it can hold
     */
    public static GroupCalls read(ByteBuf in) {
        GroupCalls head = new GroupCalls(in.readIntLE(), in.readIntLE());
        boolean valid = (head.flags & ~(READS | Durability.FLAGS)) == 0
                && head.calls > 0
                && (long) head.calls * (Integer.BYTES + Head.BYTES) <= in.readableBytes();
        if (!valid) {
            throw new FrameException("a message with " + head.calls + " calls on slot groups and the flags "
                    + head.flags + " in front of " + in.readableBytes() + " bytes");
        }
        return head;
    }

    /**
     * The head of one call on a slot group, in front of watched keys and requests (docs/formats/protocol.md).
     *
     * <pre>
     *   0           2       3        4          8           12
     *   +-----------+-------+--------+----------+-----------+-----------------+----------
     *   | group NID | flags | 0      | requests | watched   | watched keys    | requests
     *   +-----------+-------+--------+----------+-----------+-----------------+----------
     *   watched key: mark (8), length (4), bytes
     * </pre>
     *
     * @param groupNid the NID of the slot group
     * @param flags {@link #OPEN} and {@link #RESP3}
     * @param requests how many requests follow, at least 1
     * @param watched how many watched keys follow
     */
    public record Head(int groupNid, int flags, int requests, int watched) {

        public static final int BYTES = 12;

        /** The size of a watched key without the key itself: mark and length. */
        public static final int WATCHED_BYTES = Long.BYTES + Integer.BYTES;

        /** Open the group if nobody has it. */
        public static final int OPEN = 1;

        /** Replies are in RESP3. */
        public static final int RESP3 = 2;

        public void writeTo(ByteBuf out) {
            out.writeShortLE(groupNid).writeByte(flags).writeByte(0);
            out.writeIntLE(requests).writeIntLE(watched);
        }

        /**
         * Reads the head.
         *
         * @throws FrameException when it is none
         */
        public static Head read(ByteBuf in) {
            int groupNid = in.readUnsignedShortLE();
            int flags = in.readUnsignedByte();
            int zero = in.readUnsignedByte();
            Head head = new Head(groupNid, flags, in.readIntLE(), in.readIntLE());
            boolean valid = SlotGroup.isGroup(groupNid)
                    && (flags & ~(OPEN | RESP3)) == 0
                    && zero == 0
                    && head.requests > 0
                    && head.watched >= 0
                    && (long) head.watched * WATCHED_BYTES <= in.readableBytes();
            if (!valid) {
                throw new FrameException("this is no call on a slot group: NID " + groupNid + ", flags " + flags + ", "
                        + head.requests + " requests, " + head.watched + " watched keys");
            }
            return head;
        }
    }
}
