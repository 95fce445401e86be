package dev.granary.net.rpc;

import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.Pipe;
import dev.granary.net.Proof;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.probe.NetProbe;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A pipe to one node for calls of threads that wait: the thread that holds the lane writes its request and reads the
 * reply itself. One request at a time is on its way, so no reply can be late on a lane that is used again: what does
 * not end as it should closes the lane.
 *
 * <pre>{@code
 *            take: its deadline           release
 *   FREE ---------------------> deadline ---------> FREE
 *    |                             |  sweep, after the deadline
 *    | unused, closed              +-----------------------> OVERDUE
 *    +---------> CLOSED <----------+  closed, failed
 * }</pre>
 *
 * <p>Whoever takes it out of FREE for good, and the holder otherwise, gives the buffers back, once. The methods for the
 * holder are for one thread; the others for any.
 */
public final class Lane {

    static final long FREE = Long.MIN_VALUE;
    private static final long CLOSED = Long.MIN_VALUE + 1;
    private static final long OVERDUE = Long.MIN_VALUE + 2;

    /** Room for a request or a reply with a small chunk. */
    private static final int BUFFER_BYTES = 4 << 10;

    /** Buffers that have grown beyond this are given back after the call. */
    private static final int KEPT_BYTES = 64 << 10;

    private static final ByteBufAllocator BUFFERS = new UnpooledByteBufAllocator(true, true);

    private final Pipe pipe;
    private final Lanes.Peer remote;
    private final Lanes owner;
    private final AtomicLong state;
    private final CRC32C crc = new CRC32C();
    private ByteBuf out = BUFFERS.directBuffer(BUFFER_BYTES);
    private ByteBuf in = BUFFERS.directBuffer(BUFFER_BYTES);
    private long correlation;
    private int type;
    private boolean broken;

    /** The correlation when the lane was looked at last, by the sweep alone; and how often it was the same. */
    private long seen;

    private int unusedLooks;

    /**
     * Makes a lane that its maker holds.
     *
     * @param remote the node at the other end
     * @param deadlineNanos the end of the hello
     */
    Lane(Pipe pipe, Lanes.Peer remote, Lanes owner, long deadlineNanos) {
        this.pipe = pipe;
        this.remote = remote;
        this.owner = owner;
        this.state = new AtomicLong(stateOf(deadlineNanos));
    }

    /** Deadlines are times of a clock; the three that mean something else are a nanosecond or so later. */
    private static long stateOf(long deadlineNanos) {
        return Math.max(deadlineNanos, OVERDUE + 1);
    }

    Lanes.Peer peer() {
        return remote;
    }

    // For any thread.

    /** Takes the lane if it is free. */
    boolean take(long deadlineNanos) {
        return state.get() == FREE && state.compareAndSet(FREE, stateOf(deadlineNanos));
    }

    /** Closes the lane if its call is overdue. Returns whether somebody holds it. */
    boolean sweep(long nowNanos) {
        long now = state.get();
        if (now <= OVERDUE) {
            return false;
        }
        if (nowNanos - now >= 0 && state.compareAndSet(now, OVERDUE)) {
            NetProbe.CALL_TIMED_OUT.hit();
            pipe.close();
        }
        return true;
    }

    /** Closes the lane if nobody holds it. */
    void closeIfFree() {
        if (state.compareAndSet(FREE, CLOSED)) {
            dispose();
        }
    }

    /** Closes the lane. A call on it fails. */
    void close() {
        if (state.getAndSet(CLOSED) == FREE) {
            dispose();
        } else {
            pipe.close();
        }
    }

    /** Returns how many looks in a row, this one included, have found that there was no call. For the sweep alone. */
    int lookForCalls() {
        boolean used = state.get() != FREE || correlation != seen;
        seen = correlation;
        unusedLooks = used ? 0 : unusedLooks + 1;
        return unusedLooks;
    }

    /** Returns whether a call has the lane. */
    boolean isHeld() {
        return state.get() > OVERDUE;
    }

    // For the holder.

    /** Greets. Throws as {@link #exchange} does, when one side refuses the other as well. */
    void greet(CallerGreeting greeting) {
        type = MessageType.HELLO.code();
        ByteBuf next = greeting.begin(BUFFERS);
        while (next != null) {
            out.clear();
            try {
                out.writeBytes(next);
            } finally {
                next.release();
            }
            send();
            receiveFrame();
            next = take(greeting);
        }
    }

    /** Returns the next frame of a greeting, behind the header of the reply that has come; null when it is over. */
    private @Nullable ByteBuf take(CallerGreeting greeting) {
        int kind = Frame.kind(in);
        CallerGreeting.Step step;
        try {
            if (kind == Frame.KIND_REQUEST || Frame.correlation(in) != 0) {
                throw new FrameException("the first reply does not answer the hello");
            }
            int answered = Frame.type(in);
            step = greeting.take(BUFFERS, Proof.NONE, kind, answered, in.skipBytes(Frame.HEADER_BYTES));
        } catch (FrameException e) {
            throw lost(e);
        }
        ErrorReply refusal = step.refusal();
        if (refusal != null) {
            broken = true;
            NetProbe.HELLO_REFUSED.hit();
            throw refused(refusal);
        }
        return step.next();
    }

    /**
     * Begins a request.
     *
     * @param messageType the code of a {@link MessageType}
     * @return where the payload is appended
     */
    public ByteBuf request(int messageType) {
        type = messageType;
        correlation++;
        out.clear();
        Frame.start(out, Frame.KIND_REQUEST, messageType, correlation);
        return out;
    }

    /**
     * Sends the request and waits for the reply.
     *
     * @return the payload of the reply, valid until {@link #release}
     * @throws FrameException when the request is larger than a frame; nothing was sent
     * @throws RpcException when there is no reply; {@link RemoteErrorException} when the node refuses the request
     */
    public ByteBuf exchange() {
        send();
        return receive();
    }

    /** Sends the request; {@link #receive} waits for its reply. Throws as {@link #exchange} does. */
    void send() {
        Frame.finish(out, crc);
        try {
            pipe.write(out.internalNioBuffer(0, out.writerIndex()));
        } catch (IOException | OutOfMemoryError e) {
            throw lost(e);
        }
    }

    /** Waits for the reply to what was sent. Returns and throws as {@link #exchange} does. */
    ByteBuf receive() {
        receiveFrame();
        int kind = Frame.kind(in);
        if (kind == Frame.KIND_REQUEST || Frame.correlation(in) != correlation) {
            throw lost(new FrameException("no reply to the request"));
        }
        in.skipBytes(Frame.HEADER_BYTES);
        if (kind == Frame.KIND_ERROR) {
            throw refused(CallerGreeting.readError(in));
        }
        return in;
    }

    /**
     * Gives the lane another deadline, for one more call of those that hold it.
     *
     * @return whether it may still be used; it must be released otherwise
     */
    boolean renew(long deadlineNanos) {
        long held = state.get();
        return !broken && held > OVERDUE && state.compareAndSet(held, stateOf(deadlineNanos));
    }

    /** Has {@link #release} close the lane: nobody reads a reply that may come. */
    void giveUp() {
        broken = true;
    }

    /** Returns the failure of a call whose reply cannot be read. */
    public RpcException malformed(RuntimeException cause) {
        return new MalformedReplyException(
                "the reply of " + remote + " to '" + MessageType.nameOf(type) + "' cannot be read: "
                        + cause.getMessage(),
                cause);
    }

    /** Gives the lane back. It must not be used any more. */
    public void release() {
        long held = state.get();
        boolean kept = !broken && held > OVERDUE;
        if (kept) {
            shrink();
            if (state.compareAndSet(held, FREE)) {
                return;
            }
        } else if (held > OVERDUE) {
            state.compareAndSet(held, CLOSED);
        }
        dispose();
    }

    private void receiveFrame() {
        try {
            in.clear();
            readUntil(Frame.HEADER_BYTES);
            long sizeBytes = Frame.LENGTH_BYTES + (long) in.getIntLE(Frame.LENGTH_OFFSET);
            if (sizeBytes < Frame.HEADER_BYTES || sizeBytes > Frame.MAX_BYTES) {
                throw new FrameException("a frame of " + sizeBytes + " bytes");
            }
            readUntil((int) sizeBytes);
            if (in.readableBytes() != sizeBytes) {
                throw new FrameException("more than the reply to the request");
            }
            Frame.check(in, crc);
        } catch (IOException | FrameException | OutOfMemoryError e) {
            throw lost(e);
        }
    }

    private void readUntil(int sizeBytes) throws IOException {
        in.ensureWritable(Math.max(0, sizeBytes - in.readableBytes()));
        while (in.readableBytes() < sizeBytes) {
            int got = pipe.read(in.internalNioBuffer(in.writerIndex(), in.writableBytes()));
            if (got < 0) {
                throw new IOException("closed by the other side");
            }
            in.writerIndex(in.writerIndex() + got);
        }
    }

    private RpcException lost(Throwable cause) {
        broken = true;
        if (state.get() == OVERDUE) {
            return new CallTimeoutException(
                    "no reply of " + remote + " to '" + MessageType.nameOf(type) + "' in time", true);
        }
        if (state.get() != CLOSED && !(cause instanceof ClosedByInterruptException)) {
            owner.lost(remote);
        }
        return new ConnectionLostException(
                "'" + MessageType.nameOf(type) + "' to " + remote + ": the connection was lost: " + cause.getMessage(),
                cause,
                true);
    }

    private RemoteErrorException refused(ErrorReply error) {
        return new RemoteErrorException(
                "%s refuses '%s': %s (%s)".formatted(remote, MessageType.nameOf(type), error.message(), error.code()),
                error);
    }

    private void shrink() {
        out = shrunk(out);
        in = shrunk(in);
    }

    private static ByteBuf shrunk(ByteBuf buffer) {
        if (buffer.capacity() <= KEPT_BYTES) {
            return buffer;
        }
        buffer.release();
        return BUFFERS.directBuffer(BUFFER_BYTES);
    }

    private void dispose() {
        pipe.close();
        out.release();
        in.release();
        owner.remove(this);
    }
}
