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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection; the last handler of its pipeline.
 *
 * <p>Frames are written when they come and flushed together: those sent while bytes are being read, when all that was
 * read is handled; those of other threads, after everything that the I/O thread has been handed meanwhile. A frame is
 * handed to the I/O thread before the mark {@link #flushRequested} is looked at, so a sender that finds the mark set
 * knows that a flush will come behind its frame: the first of the two tasks takes the mark away, the second flushes.
 *
 * <p>A frame that the I/O thread sends itself must not overtake those that other threads have handed to it and that it
 * has not come to: as long as a flush is on its way it queues behind them.
 *
 * <p>An accepted connection whose caller does not take its replies is not read from until it does.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails reaches exceptionCaught or channelInactive
final class NettyConnection extends SimpleChannelInboundHandler<ByteBuf> implements Connection {

    private static final Logger LOG = LoggerFactory.getLogger(NettyConnection.class);
    private static final HostAddress UNKNOWN_ADDRESS = new HostAddress("unknown", 0);

    private final Channel channel;
    private final HostAddress remote;
    private final ConnectionHandler handler;
    private final boolean pauseReading;
    private final ReadGate gate;
    private final AtomicBoolean flushRequested = new AtomicBoolean();

    /** Flushes that were asked for and are not done; 0 only when every frame that was handed over is written. */
    private final AtomicInteger flushesOnTheWay = new AtomicInteger();

    private final Runnable flush = this::flush;
    private final Runnable flushBehindQueue = this::flushBehindQueue;

    /** Of the I/O thread: whether {@link #channelReadComplete} is going to come. */
    private boolean reading;

    private @Nullable Throwable closeCause;
    private boolean greeted;

    private NettyConnection(
            Channel channel, HostAddress remote, Transport.Acceptor makeHandler, boolean pauseReading, ReadGate gate) {
        this.channel = channel;
        this.remote = remote;
        this.pauseReading = pauseReading;
        this.gate = gate;
        this.handler = makeHandler.accept(this);
    }

    /** The calling side of a connection. */
    static NettyConnection ofCaller(Channel channel, HostAddress remote, ConnectionHandler handler, ReadGate gate) {
        return new NettyConnection(channel, remote, connection -> handler, false, gate);
    }

    /** The accepting side of a connection. */
    static NettyConnection ofAccepted(Channel channel, Transport.Acceptor acceptor, ReadGate gate) {
        return new NettyConnection(channel, addressOf(channel.remoteAddress()), acceptor, true, gate);
    }

    static HostAddress addressOf(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? new HostAddress(inet.getHostString(), inet.getPort())
                : UNKNOWN_ADDRESS;
    }

    @Override
    public void send(ByteBuf frame) {
        if (!channel.eventLoop().inEventLoop()) {
            channel.write(frame, channel.voidPromise());
        } else if (flushesOnTheWay.get() == 0) {
            channel.write(frame, channel.voidPromise());
            if (reading) {
                return;
            }
        } else {
            writeBehindQueue(frame);
        }
        requestFlush();
    }

    private void writeBehindQueue(ByteBuf frame) {
        try {
            channel.eventLoop().execute(() -> channel.write(frame, channel.voidPromise()));
        } catch (RejectedExecutionException e) {
            frame.release();
            LOG.trace("the transport is closed", e);
        }
    }

    private void requestFlush() {
        if (flushRequested.get()) {
            return;
        }
        // Counted before the mark is set: a thread that finds the mark set finds the flush counted.
        flushesOnTheWay.incrementAndGet();
        if (flushRequested.compareAndSet(false, true)) {
            execute(flushBehindQueue);
        } else {
            flushesOnTheWay.decrementAndGet();
        }
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
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

    private void flushBehindQueue() {
        flushRequested.set(false);
        execute(flush);
    }

    private void flush() {
        channel.flush();
        flushesOnTheWay.decrementAndGet();
    }

    private void execute(Runnable task) {
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.trace("the transport is closed", e);
        }
    }
}
