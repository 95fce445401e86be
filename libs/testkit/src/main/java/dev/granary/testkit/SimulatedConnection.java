package dev.granary.testkit;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One side of a simulated connection. */
final class SimulatedConnection implements Connection {

    private static final long WRITABLE_BELOW_BYTES = 1 << 20;

    private final SimulatedNetwork network;
    private final SimulatedNode.Life life;
    private final HostAddress remote;
    private @Nullable SimulatedConnection other;
    private @Nullable SimulatedStream outgoing;
    private @Nullable ConnectionHandler handler;
    private boolean closing;
    private boolean closed;
    private boolean forgotten;
    private boolean answersWhenForgotten;

    SimulatedConnection(SimulatedNetwork network, SimulatedNode.Life life, HostAddress remote) {
        this.network = network;
        this.life = life;
        this.remote = remote;
    }

    /** Connects the two sides. */
    void join(SimulatedConnection otherSide) {
        other = otherSide;
        outgoing = new SimulatedStream(network, this, otherSide);
    }

    void open(ConnectionHandler newHandler) {
        handler = newHandler;
        life.transport().add(this);
    }

    SimulatedNode.Life life() {
        return life;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void send(ByteBuf frame) {
        try {
            if (!closing && !closed) {
                stream().send(ByteBufUtil.getBytes(frame));
            }
        } finally {
            frame.release();
        }
    }

    @Override
    public boolean isWritable() {
        return unreadBytes() < WRITABLE_BELOW_BYTES;
    }

    /** What was sent on this side and not taken by the other one. */
    long unreadBytes() {
        return stream().unreadBytes();
    }

    @Override
    public boolean isOpen() {
        return !closing && !closed;
    }

    @Override
    public ByteBufAllocator allocator() {
        return life.node().buffers();
    }

    @Override
    public HostAddress remoteAddress() {
        return remote;
    }

    @Override
    public void close() {
        if (closing || closed) {
            return;
        }
        closing = true;
        stream().end();
        network.simulation().schedule(0, life, () -> endNow(null));
    }

    /** The process died: the machine ends the connection for it. */
    void closeByMachine() {
        if (!closing && !closed) {
            stream().end();
        }
    }

    /** A frame arrived. */
    void deliver(byte[] bytes) {
        ConnectionHandler receiver = handler;
        if (closing || closed || receiver == null) {
            return;
        }
        // Nobody else has these bytes any more.
        ByteBuf frame = Unpooled.wrappedBuffer(bytes);
        try {
            receiver.onFrame(this, frame);
        } finally {
            frame.release();
        }
    }

    /** The connection is over for this side; tells its handler. Runs as an event of this side's node. */
    void endNow(@Nullable Throwable cause) {
        if (closed) {
            return;
        }
        closed = true;
        if (cause == null) {
            stream().close();
        } else {
            stream().drop();
        }
        life.transport().remove(this);
        if (handler != null) {
            handler.onClosed(this, cause);
        }
    }

    /** Breaks the connection: both sides learn it soon, what is on the way is lost. */
    void resetBoth() {
        reset();
        Objects.requireNonNull(other).reset();
    }

    /** Holds up for {@code nanos} what was sent on this side and waits. */
    void stall(long nanos) {
        stream().stall(nanos);
    }

    /** The machine lost its power: it sends nothing more. */
    void dropByMachine() {
        stream().drop();
    }

    /**
     * This side forgets the connection, and the other one does not learn that before it sends something.
     *
     * @param answers whether the other side learns it then; otherwise it waits for an answer until it gives up
     */
    void forget(boolean answers) {
        forgotten = true;
        answersWhenForgotten = answers;
        reset();
    }

    boolean isForgotten() {
        return forgotten;
    }

    boolean answersWhenForgotten() {
        return answersWhenForgotten;
    }

    private void reset() {
        closing = true;
        network.simulation().schedule(0, life, () -> endNow(SimulatedNetwork.broken("connection reset")));
    }

    private SimulatedStream stream() {
        return Objects.requireNonNull(outgoing, "a connection that is not joined");
    }
}
