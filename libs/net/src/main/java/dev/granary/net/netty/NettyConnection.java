package dev.granary.net.netty;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.FrameException;
import dev.granary.net.Proof;
import dev.granary.net.Transport;
import dev.granary.net.tls.TlsContexts;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.TooLongFrameException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection; the last handler of its pipeline.
 *
 * <p>Frames are flushed together: those that the I/O thread sends while bytes are being read, when all that was read is
 * handled; all others by {@link #drain}, one task of the I/O thread for whatever was sent until it comes (ADR 0346). A
 * frame is handed over before the mark {@link #drainAsked} is looked at, and the task takes the mark away before it
 * looks for frames: so a sender that finds the mark set knows that a task will find its frame.
 *
 * <p>A frame that the I/O thread sends itself must not overtake those that other threads have handed over and that it
 * has not come to: while there are such frames it queues behind them.
 *
 * <p>An accepted connection whose caller does not take its replies is not read from until it does.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails reaches exceptionCaught or channelInactive
final class NettyConnection extends SimpleChannelInboundHandler<ByteBuf> implements Connection {

    private static final Logger LOG = LoggerFactory.getLogger(NettyConnection.class);
    private static final HostAddress UNKNOWN_ADDRESS = new HostAddress("unknown", 0);

    /** So that senders without end keep the I/O thread from nothing else. */
    private static final int FRAMES_OF_A_DRAIN = 1024;

    private final Channel channel;
    private final HostAddress remote;
    private final ConnectionHandler handler;
    private final boolean pauseReading;
    private final ReadGate gate;
    private final Traffic traffic;

    /** Frames that the I/O thread has not come to. A linked queue, because most connections are idle. */
    private final Queue<ByteBuf> handedOver = new ConcurrentLinkedQueue<>();

    private final AtomicLong handedOverBytes = new AtomicLong();

    /** Whether a {@link #drain} is on its way that has not looked for frames yet. */
    private final AtomicBoolean drainAsked = new AtomicBoolean();

    private final Runnable drain = this::drain;

    /** Of the I/O thread: whether {@link #channelReadComplete} is going to come. */
    private boolean reading;

    private @Nullable Throwable closeCause;
    private boolean greeted;

    private NettyConnection(
            Channel channel,
            HostAddress remote,
            Transport.Acceptor makeHandler,
            boolean pauseReading,
            ReadGate gate,
            Traffic traffic) {
        this.channel = channel;
        this.remote = remote;
        this.pauseReading = pauseReading;
        this.gate = gate;
        this.traffic = traffic;
        this.handler = makeHandler.accept(this);
    }

    /** The calling side of a connection. */
    static NettyConnection ofCaller(
            Channel channel, HostAddress remote, ConnectionHandler handler, ReadGate gate, Traffic traffic) {
        return new NettyConnection(channel, remote, connection -> handler, false, gate, traffic);
    }

    /** The accepting side of a connection. */
    static NettyConnection ofAccepted(Channel channel, Transport.Acceptor acceptor, ReadGate gate, Traffic traffic) {
        return new NettyConnection(channel, addressOf(channel.remoteAddress()), acceptor, true, gate, traffic);
    }

    static HostAddress addressOf(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? new HostAddress(inet.getHostString(), inet.getPort())
                : UNKNOWN_ADDRESS;
    }

    @Override
    public void send(ByteBuf frame) {
        if (channel.eventLoop().inEventLoop() && handedOver.isEmpty()) {
            traffic.sent(1, frame.readableBytes());
            channel.write(frame, channel.voidPromise());
            if (reading) {
                return;
            }
        } else {
            handedOverBytes.addAndGet(frame.readableBytes());
            handedOver.add(frame);
        }
        askForDrain();
    }

    private void askForDrain() {
        if (!drainAsked.get() && drainAsked.compareAndSet(false, true) && !execute(drain)) {
            drainAsked.set(false);
            discard();
        }
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable() && handedOverBytes.get() <= channel.config().getWriteBufferHighWaterMark();
    }

    @Override
    public boolean isOpen() {
        return channel.isActive();
    }

    @Override
    public ByteBufAllocator allocator() {
        return channel.alloc();
    }

    @Override
    public HostAddress remoteAddress() {
        return remote;
    }

    @Override
    public Proof proof() {
        return TlsContexts.proofOf(channel);
    }

    @Override
    public void greeted() {
        assert channel.eventLoop().inEventLoop() : "greeted outside of onFrame";
        greeted = true;
        FrameDecoder decoder = channel.pipeline().get(FrameDecoder.class);
        if (decoder != null) {
            decoder.greeted();
        }
    }

    @Override
    public void close() {
        execute(() -> {
            while (!handedOver.isEmpty()) {
                drain();
            }
            channel.flush();
            channel.close();
        });
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
        // While reading is paused the flow control upstream keeps frames back and no completion comes.
        reading = channel.config().isAutoRead();
        handler.onFrame(this, frame);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        reading = false;
        context.flush();
        context.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        boolean writable = channel.isWritable();
        if (pauseReading) {
            gate.block(!writable);
        }
        if (!writable) {
            reading = false;
            context.flush();
        }
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!greeted && !pauseReading && closeCause == null) {
            closeCause = new ConnectException(
                    TlsContexts.proofOf(channel).equals(Proof.NONE)
                            ? "the other side has closed the connection before it greeted; it may ask for TLS"
                            : "the other side has closed the connection before it greeted");
        }
        handler.onClosed(this, closeCause);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // What the other side says in an alert of TLS comes when the handler of TLS has closed the connection for it.
        if (closeCause == null && (channel.isActive() || cause instanceof SSLException)) {
            boolean notFrames = cause instanceof TooLongFrameException || cause instanceof CorruptedFrameException;
            closeCause = notFrames ? new FrameException("not a frame: " + cause.getMessage(), cause) : cause;
            if (notFrames) {
                LOG.warn("closing the connection with {}: {}", remote, closeCause.getMessage());
            } else {
                LOG.debug("closing the connection with {}", remote, cause);
            }
        }
        context.close();
    }

    /** Writes what was handed over, and flushes it and what was written before. */
    private void drain() {
        drainAsked.set(false);
        long bytes = 0;
        int frames = 0;
        for (; frames < FRAMES_OF_A_DRAIN; frames++) {
            ByteBuf frame = handedOver.poll();
            if (frame == null) {
                break;
            }
            bytes += frame.readableBytes();
            channel.write(frame, channel.voidPromise());
        }
        handedOverBytes.addAndGet(-bytes);
        traffic.sent(frames, bytes);
        channel.flush();
        if (frames == FRAMES_OF_A_DRAIN) {
            askForDrain();
        }
    }

    /** Gives back what nobody will write, because the I/O thread has ended. */
    private void discard() {
        for (ByteBuf frame = handedOver.poll(); frame != null; frame = handedOver.poll()) {
            handedOverBytes.addAndGet(-frame.readableBytes());
            frame.release();
        }
    }

    /** Returns false when the I/O thread takes no more tasks. */
    private boolean execute(Runnable task) {
        try {
            channel.eventLoop().execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.trace("the transport is closed", e);
            return false;
        }
    }
}
