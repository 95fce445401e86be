package dev.granary.storage.door;

import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.storage.door.state.DoorCounters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/** The replies to one client on their way to its connection: collected, and flushed together. I/O thread only. */
@SuppressWarnings("FutureReturnValueIgnored") // What fails reaches the session, which closes the connection.
final class Output {

    private static final int FIRST_BYTES = 512;

    /** Replies that are larger are not copied. */
    private static final int COPIED_BYTES = 4 << 10;

    /** So many bytes are sent before more requests are carried out. */
    private static final int COLLECTED_BYTES = 64 << 10;

    private final Channel channel;
    private final DoorCounters counters;
    private final ReplyWriter writer = new ReplyWriter(Unpooled.EMPTY_BUFFER, Protocol.RESP2);
    private @Nullable ByteBuf collected;
    private boolean ended;

    Output(Channel channel, DoorCounters counters) {
        this.channel = channel;
        this.counters = counters;
    }

    /** Returns what writes replies behind those that are collected. */
    ReplyWriter writer() {
        if (collected == null) {
            collected = channel.alloc().buffer(FIRST_BYTES);
            writer.out(collected);
        }
        return writer;
    }

    /** Returns where the next reply begins. */
    int mark() {
        return collected == null ? 0 : collected.writerIndex();
    }

    /** Returns whether the reply behind a mark is an error. */
    boolean isErrorSince(int mark) {
        return collected != null && mark < collected.writerIndex() && collected.getByte(mark) == '-';
    }

    /** Returns the code of the error behind a mark. */
    String errorCodeSince(int mark) {
        return collected == null ? "" : errorCode(collected, mark);
    }

    /** Returns the code of an error: its first word. */
    static String errorCode(ByteBuf replies, int at) {
        StringBuilder code = new StringBuilder();
        for (int i = at + 1; i < replies.writerIndex(); i++) {
            byte letter = replies.getByte(i);
            if (letter <= ' ') {
                break;
            }
            code.append((char) letter);
        }
        return code.toString();
    }

    /** Takes back the reply behind a mark. */
    void dropSince(int mark) {
        if (collected != null) {
            collected.writerIndex(mark);
        }
    }

    /** Appends replies, and takes them over. */
    void append(ByteBuf replies) {
        if (ended) {
            replies.release();
        } else if (replies.readableBytes() <= COPIED_BYTES) {
            writer().out().writeBytes(replies);
            replies.release();
        } else {
            write();
            counters.sent(replies.readableBytes());
            channel.write(replies, channel.voidPromise());
        }
    }

    /** Appends a part of replies, which the caller keeps. */
    void append(ByteBuf replies, int from, int sizeBytes) {
        if (ended || sizeBytes > COPIED_BYTES) {
            append(replies.retainedSlice(from, sizeBytes));
        } else {
            writer().out().writeBytes(replies, from, sizeBytes);
        }
    }

    /** Sends what is collected if it is much; true if so. */
    boolean flushIfMuch() {
        if (collected == null || collected.readableBytes() < COLLECTED_BYTES) {
            return false;
        }
        flush();
        return true;
    }

    /** Sends everything. */
    void flush() {
        write();
        channel.flush();
    }

    private void write() {
        ByteBuf ready = collected;
        collected = null;
        writer.out(Unpooled.EMPTY_BUFFER);
        if (ready != null && ready.isReadable() && !ended) {
            counters.sent(ready.readableBytes());
            channel.write(ready, channel.voidPromise());
        } else if (ready != null) {
            ready.release();
        }
    }

    /** Returns how many bytes the client has not taken. */
    long unsentBytes() {
        ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
        return (collected == null ? 0 : collected.readableBytes())
                + (unsent == null ? 0 : unsent.totalPendingWriteBytes());
    }

    /** Gives back what is collected, now and later: the connection is closed. */
    void end() {
        ended = true;
        write();
    }
}
