package dev.granary.net.rpc;

import dev.granary.env.Clock;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.access.NodePorts;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.probe.NetProbe;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests and matches their replies. One connection for each address and expected node is opened on demand,
 * shared by all calls, and opened again after a loss, with a back-off after failures: calls that come in the meantime
 * wait for the next attempt. Calls are independent: they may be carried out in another order than they were made.
 *
 * <p>Futures complete on the I/O thread of the connection; deadlines and failures to connect may complete them on the
 * scheduler. They fail with an {@link RpcException}. One task checks the deadlines of all calls every {@link
 * #SWEEP_NANOS}. Thread-safe.
 */
public final class RpcClient implements AutoCloseable {

    /** The time between two checks of the deadlines while calls wait. */
    public static final long SWEEP_NANOS = 5_000_000;

    /** The longest time limit of a call; a longer limit is shortened to this. */
    public static final long MAX_TIMEOUT_NANOS = 3_600_000_000_000L;

    /** The longest time that {@link #getJointly} takes. */
    public static final long JOINT_LIMIT_NANOS = JointGets.LIMIT_NANOS;

    private static final int REQUEST_HINT_BYTES = 256;

    private final Transport transport;
    private final Clock clock;
    private final RpcIdentity identity;
    private final NodePorts ports;
    private final ConcurrentHashMap<LinkKey, ClientLink> links = new ConcurrentHashMap<>();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final Loop sweep;
    private final @Nullable Lanes lanes;
    private volatile LossListener losses = (to, nid) -> {};
    private volatile boolean closed;

    /**
     * Called for each connection that ended or could not be opened, after its calls have failed. Called by any thread;
     * must not block.
     */
    @FunctionalInterface
    public interface LossListener {
        /**
         * Takes the end of a connection, or a failure to open one.
         *
         * @param expectedNid the NID of the node that was to answer there, 0 for any node
         */
        void lost(HostAddress to, int expectedNid);
    }

    /** A client in a cluster whose nodes have one port each. */
    public RpcClient(Transport transport, Clock clock, Scheduler scheduler, RpcIdentity identity) {
        this(transport, clock, scheduler, identity, NodePorts.NONE);
    }

    /**
     * The same in a cluster whose nodes have more ports. All addresses are those that nodes advertise; the port depends
     * on the request and on who this caller is.
     */
    public RpcClient(Transport transport, Clock clock, Scheduler scheduler, RpcIdentity identity, NodePorts ports) {
        this.ports = ports;
        this.transport = transport;
        this.clock = clock;
        this.identity = identity;
        this.sweep = Loop.every(scheduler, "call-deadlines", SWEEP_NANOS, this::sweep)
                .vital();
        this.lanes = transport
                .pipes()
                .map(pipes -> new Lanes(pipes, clock, scheduler, identity, peer -> losses.lost(peer.address, peer.nid)))
                .orElse(null);
    }

    /**
     * Takes a lane for one call that the calling thread makes and waits for itself; it must release the lane. Costs one
     * compare-and-set. When no lane is free, begins to make one for later calls.
     *
     * @param to where the other node listens
     * @param expectedNid the node that must answer there
     * @param deadlineNanos on this client's clock; a call that takes longer fails with {@link CallTimeoutException}
     * @return null when there is none: the call then goes by {@link #call}
     */
    public @Nullable Lane lane(HostAddress to, int expectedNid, long deadlineNanos) {
        return lanes == null ? null : lanes.take(to, expectedNid, deadlineNanos);
    }

    /**
     * Counts the threads that wait for answers of a node and were given no lane. While they are many, nobody is given
     * one: requests of many threads cost less on the connection that they share.
     *
     * @param change 1 when a thread begins to wait, -1 when it ends
     */
    public void waitWithoutLane(int expectedNid, int change) {
        if (lanes != null) {
            lanes.share(expectedNid, change);
        }
    }

    /**
     * Gets a chunk for a thread that was given no lane, in one request with the gets of other such threads, and waits.
     * Takes the time of one request, and 0.1 s at most.
     *
     * @param expectedNid the owner, whom a lane was asked for
     * @return the content; null when the call must be made alone by {@link #call}, for whatever reason
     */
    public byte @Nullable [] getJointly(int expectedNid, long cid) {
        return lanes == null ? null : lanes.getJointly(expectedNid, cid);
    }

    /** Returns how many lanes are open. */
    public int lanes() {
        return lanes == null ? 0 : lanes.count();
    }

    /**
     * Sends a control message.
     *
     * @param to where the other node listens
     * @param expectedNid the node that must answer there, 0 when any will do
     * @param timeoutNanos from now until the call fails with {@link CallTimeoutException}
     */
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            HostAddress to, int expectedNid, MessageType<Q, R> type, Q request, long timeoutNanos) {
        return call(to, expectedNid, type.code(), request::writeTo, type::readReply, timeoutNanos);
    }

    /**
     * Sends a request that is written and whose reply is read in place.
     *
     * @param to where the other node listens
     * @param expectedNid the node that must answer there, 0 when any will do
     * @param type the code of a {@link MessageType}
     * @param writePayload appends the payload, before this returns; for a large one it makes room first
     * @param readReply makes the result of the reply's payload; on the I/O thread, the buffer is valid only there. That
     *     the payload cannot be read (FrameException, IndexOutOfBoundsException, IllegalArgumentException) becomes a
     *     {@link MalformedReplyException}; any other exception becomes the failure of the call as it is.
     * @param timeoutNanos from now until the call fails with {@link CallTimeoutException}
     * @throws dev.granary.net.FrameException when the request is larger than a frame
     */
    public <R> CompletableFuture<R> call(
            HostAddress to,
            int expectedNid,
            int type,
            Consumer<ByteBuf> writePayload,
            Function<ByteBuf, R> readReply,
            long timeoutNanos) {
        return call(key(to, expectedNid, type, false), type, writePayload, readReply, timeoutNanos, true);
    }

    /**
     * Sends a control message as {@link #call(HostAddress, int, MessageType, Message, long)} does, by a second
     * connection to the address, which all such calls share.
     */
    public <Q extends Message, R extends Message> CompletableFuture<R> callBeside(
            HostAddress to, int expectedNid, MessageType<Q, R> type, Q request, long timeoutNanos) {
        LinkKey key = key(to, expectedNid, type.code(), true);
        return call(key, type.code(), request::writeTo, type::readReply, timeoutNanos, true);
    }

    private LinkKey key(HostAddress to, int expectedNid, int type, boolean beside) {
        return new LinkKey(to, expectedNid, ports.portOf(identity.role(), type), beside);
    }

    /** Sends a control message as {@link #callUnlessRefused(HostAddress, int, int, Consumer, Function, long)} does. */
    public <Q extends Message, R extends Message> CompletableFuture<R> callUnlessRefused(
            HostAddress to, int expectedNid, MessageType<Q, R> type, Q request, long timeoutNanos) {
        return callUnlessRefused(to, expectedNid, type.code(), request::writeTo, type::readReply, timeoutNanos);
    }

    /**
     * Sends a request as {@code call} does, but fails at once where a connection was refused a moment ago and is not to
     * be tried again yet. For callers who can do something better than to wait for a connection.
     */
    public <R> CompletableFuture<R> callUnlessRefused(
            HostAddress to,
            int expectedNid,
            int type,
            Consumer<ByteBuf> writePayload,
            Function<ByteBuf, R> readReply,
            long timeoutNanos) {
        return call(key(to, expectedNid, type, false), type, writePayload, readReply, timeoutNanos, false);
    }

    private <R> CompletableFuture<R> call(
            LinkKey key,
            int type,
            Consumer<ByteBuf> writePayload,
            Function<ByteBuf, R> readReply,
            long timeoutNanos,
            boolean patient) {
        ByteBuf frame;
        try {
            frame = writeRequest(type, writePayload);
        } catch (OutOfMemoryError e) {
            // As if the connection had no room for the request: the caller tries again as after any other loss.
            String name = MessageType.nameOf(type);
            return CompletableFuture.failedFuture(
                    new ConnectionLostException("no memory for a request '" + name + "'", e, false));
        }
        long limitNanos = Math.clamp(timeoutNanos, 0, MAX_TIMEOUT_NANOS);
        PendingCall<R> call = new PendingCall<>(type, readReply, limitNanos, clock.nanoTime() + limitNanos, frame);
        while (true) {
            if (closed) {
                call.fail(new ConnectionLostException("the client is closed", null, false));
                return call;
            }
            ClientLink link = links.computeIfAbsent(key, this::open);
            if (link.submit(call, patient)) {
                break;
            }
            links.remove(key, link);
        }
        ensureSweep();
        return call;
    }

    /** Sets the only listener for lost connections. It is not called for connections that {@link #close} ends. */
    public void onLoss(LossListener listener) {
        losses = listener;
    }

    /** Closes all connections; calls that wait fail, as do later ones. */
    @Override
    public void close() {
        closed = true;
        for (ClientLink link : links.values()) {
            link.retire();
        }
        links.clear();
        if (lanes != null) {
            lanes.close();
        }
    }

    private ClientLink open(LinkKey key) {
        return new ClientLink(
                key.dialled(),
                key.expectedNid(),
                transport,
                clock,
                identity,
                () -> lost(key.address(), key.expectedNid()));
    }

    private void lost(HostAddress address, int nid) {
        if (lanes != null) {
            lanes.lost(address, nid);
        }
        losses.lost(address, nid);
    }

    private ByteBuf writeRequest(int type, Consumer<ByteBuf> writePayload) {
        ByteBuf frame = transport.allocator().ioBuffer(Frame.HEADER_BYTES + REQUEST_HINT_BYTES);
        boolean written = false;
        try {
            Frame.start(frame, Frame.KIND_REQUEST, type, 0);
            writePayload.accept(frame);
            Frame.requireSize(frame);
            written = true;
            return frame;
        } finally {
            if (!written) {
                frame.release();
            }
        }
    }

    private void ensureSweep() {
        if (!sweeping.get() && sweeping.compareAndSet(false, true)) {
            sweep.beginAfter(SWEEP_NANOS);
        }
    }

    private void sweep() {
        boolean waiting = sweepLinks();
        if (waiting) {
            return;
        }
        sweep.stop();
        sweeping.set(false);
        // A call that came between the look and the mark has seen the mark and relies on this sweep.
        for (ClientLink link : links.values()) {
            if (link.isWaiting()) {
                ensureSweep();
                return;
            }
        }
    }

    private boolean sweepLinks() {
        boolean waiting = false;
        for (var entry : links.entrySet()) {
            ClientLink link = entry.getValue();
            if (link.sweep()) {
                waiting = true;
            } else if (link.retireIfUnused()) {
                NetProbe.LINK_RETIRED.hit();
                links.remove(entry.getKey(), link);
            }
        }
        return waiting;
    }

    /**
     * The key of a link.
     *
     * @param address the one that the node advertises
     * @param port the port to call instead of its port, 0 for none
     * @param beside whether it is the second one to the address
     */
    private record LinkKey(HostAddress address, int expectedNid, int port, boolean beside) {

        private HostAddress dialled() {
            return port == 0 ? address : new HostAddress(address.host(), port);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof LinkKey that
                    && address.equals(that.address)
                    && expectedNid == that.expectedNid
                    && port == that.port
                    && beside == that.beside;
        }

        /** Returns a hash of the values, so that links are swept in the same order in every JVM. */
        @Override
        public int hashCode() {
            return (address.host().hashCode() * 31 + address.port()) * 31 + expectedNid + port + (beside ? 1 : 0);
        }
    }
}
