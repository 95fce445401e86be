package dev.granary.net;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** One ordered, bidirectional stream of frames. Thread-safe. */
public interface Connection {

    /**
     * Sends a frame and takes ownership of the buffer. A frame that was sent before another one, by whatever
     * thread, arrives before it, or the connection is closed.
     * On a closed connection the buffer is released and nothing happens.
     */
    void send(ByteBuf frame);

    /** Whether the other side keeps up: a sender with a choice stops while this is false. */
    boolean isWritable();

    /** Whether it is not closed yet, as far as this side knows. */
    boolean isOpen();

    /** Where buffers for {@link #send} should come from. */
    ByteBufAllocator allocator();

    /** The remote address as far as it is known; for messages to people. */
    HostAddress remoteAddress();

    /** What the other side has proved; settled before the first frame comes. */
    default Proof proof() {
        return Proof.NONE;
    }

    /**
     * Says that the other side has told who it is, and was not refused. Before that only small frames are taken, and
     * an accepted connection is closed after a while. Called inside {@link ConnectionHandler#onFrame} only.
     */
    default void greeted() {}

    /** Closes the connection after sending what is queued, as far as that does not block. Calls the handler once. */
    void close();
}
