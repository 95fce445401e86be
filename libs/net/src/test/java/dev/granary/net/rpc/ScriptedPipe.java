package dev.granary.net.rpc;

import dev.granary.net.Frame;
import dev.granary.net.Pipe;
import dev.granary.net.message.MessageType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * A pipe to a node that is played: it greets, and answers each request with the request's payload, as it is told to.
 */
final class ScriptedPipe implements Pipe {

    private final RpcIdentity node;
    private final AtomicInteger users = new AtomicInteger();
    private final CountDownLatch closed = new CountDownLatch(1);
    private byte[] answer = {};
    private int given;
    private int requests;

    /** What becomes of the bytes of an answer to a request. */
    volatile UnaryOperator<byte[]> tamper = bytes -> bytes;

    /** The most bytes that a read gives. */
    volatile int readBytes = Integer.MAX_VALUE;

    /** Whether it ends behind an answer; otherwise it waits. */
    volatile boolean ends;

    /** The kind of its answers. */
    volatile int kind = Frame.KIND_REPLY;

    ScriptedPipe(RpcIdentity node) {
        this.node = node;
    }

    @Override
    public void write(ByteBuffer bytes) throws IOException {
        enter();
        byte[] request = new byte[bytes.remaining()];
        bytes.get(request);
        ByteBuf frame = Unpooled.wrappedBuffer(request);
        Frame.check(frame);
        ByteBuf out = Unpooled.buffer();
        boolean hello = Frame.type(frame) == MessageType.HELLO.code();
        Frame.start(out, hello ? Frame.KIND_REPLY : kind, Frame.type(frame), Frame.correlation(frame));
        if (hello) {
            frame.skipBytes(Frame.HEADER_BYTES);
            node.replyTo(MessageType.HELLO.readRequest(frame)).writeTo(out);
        } else {
            requests++;
            out.writeBytes(frame, Frame.HEADER_BYTES, request.length - Frame.HEADER_BYTES);
        }
        Frame.finish(out);
        byte[] whole = Arrays.copyOf(out.array(), out.readableBytes());
        answer = hello ? whole : tamper.apply(whole);
        given = 0;
        leave();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        enter();
        try {
            if (given == answer.length) {
                if (ends) {
                    return -1;
                }
                closed.await();
                throw new IOException("closed");
            }
            int count = Math.min(Math.min(answer.length - given, readBytes), into.remaining());
            into.put(answer, given, count);
            given += count;
            return count;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new IOException("interrupted", e);
        } finally {
            leave();
        }
    }

    private void enter() throws IOException {
        if (users.incrementAndGet() != 1) {
            throw new AssertionError("two threads use one pipe");
        }
        if (isClosed()) {
            leave();
            throw new IOException("closed");
        }
    }

    private void leave() {
        users.decrementAndGet();
    }

    /** How many requests after the hello have come. */
    int requests() {
        return requests;
    }

    boolean isClosed() {
        return closed.getCount() == 0;
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
