package dev.granary.storage.door;

import dev.granary.net.Proof;
import dev.granary.net.tls.TlsContexts;
import dev.granary.storage.door.keys.Routes;
import dev.granary.storage.door.notice.Notice;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorCounters.Closing;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.keyed.KeyedCalls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a client: when it is read from, when replies are flushed, and when it is closed. It is not read
 * from while bytes wait, because a call runs or the client takes no replies: what it sends waits in the network.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails reaches exceptionCaught or channelInactive.
final class Session extends ChannelInboundHandlerAdapter implements Client.Link {

    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    /** A client that holds no more than this is not closed for what all hold. */
    private static final int SMALL_BYTES = 64 << 10;

    /** A monitor that has not taken so much is closed. */
    private static final int MONITOR_BYTES = 1 << 20;

    /** How long a client that is refused has for reading why, while what it sends is dropped. */
    private static final int REFUSED_MILLIS = 1_000;

    private final DoorState door;
    private final DoorLimits limits;
    private final Channel channel;
    private final Client client;
    private final Output output;
    private final RequestLoop loop;
    private boolean reading;
    private boolean inputEnded;
    private boolean closing;
    private Closing why = Closing.CLIENT;

    /** When the connection became unwritable, and what was unsent then; 0 while it is writable. */
    private long stalledNanos;

    private long stalledBytes;

    // Read by other threads too, for people and for checks that look again on the I/O thread.
    private volatile int notedHeld;
    private volatile long notedUnsent;
    private volatile int notedQueued = -1;

    Session(DoorState door, Routes routes, KeyedCalls keyed, Channel channel) {
        this.door = door;
        this.limits = door.config().limits();
        this.channel = channel;
        this.client = new Client(
                door.clients().nextId(),
                text(channel.remoteAddress()),
                host(channel.remoteAddress()),
                text(channel.localAddress()),
                door.clock().nanoTime(),
                door.access().accounts(),
                this);
        this.output = new Output(channel, door.counters());
        this.loop = new RequestLoop(door, routes, keyed, channel, client, output, this::settle);
        door.counters().opened();
        door.clients().add(client);
    }

    private static String host(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : "unknown";
    }

    private static String text(@Nullable SocketAddress address) {
        String host = host(address);
        int port = address instanceof InetSocketAddress inet ? inet.getPort() : 0;
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        door.counters().received(bytes.readableBytes());
        client.activeNanos(door.clock().nanoTime());
        reading = true;
        if (closing || loop.isFinished()) {
            bytes.release();
            return;
        }
        loop.received(bytes);
        loop.proceed();
        settle();
    }

    /** The connection is going to be closed, because its handshake has failed. */
    void refusedByTls() {
        why = Closing.TLS;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        reading = false;
        settle();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            stalledNanos = 0;
            loop.proceed();
        } else {
            stalledNanos = door.clock().nanoTime();
            stalledBytes = output.unsentBytes();
        }
        settle();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            // The client sends nothing more, and may still wait for replies.
            inputEnded = true;
            reading = false;
            settle();
        } else if (event instanceof SslHandshakeCompletionEvent ended && ended.isSuccess()) {
            Proof proof = TlsContexts.proofOf(channel);
            String problem = proof.problemAsClient();
            if (problem != null) {
                refuse(proof, problem);
            }
        }
    }

    /** Says why, and closes the connection; at once would let what the client sends meanwhile destroy the reply. */
    private void refuse(Proof proof, String problem) {
        why = Closing.TLS;
        closing = true;
        LOG.atWarn()
                .addKeyValue("client", client.address())
                .log("refusing the client '{}': {}", proof.subject(), problem);
        String printable = problem.replaceAll("[^ -~]", "?");
        channel.writeAndFlush(Unpooled.copiedBuffer(
                "-NOPERM " + printable + ": show one with the role 'client'\r\n", StandardCharsets.US_ASCII));
        channel.eventLoop().schedule(() -> channel.close(), REFUSED_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Flushes if nothing more is to be collected, and decides whether to read on or to close. */
    private void settle() {
        if (closing) {
            return;
        }
        boolean ends = loop.isFinished() || (inputEnded && loop.isAtRest());
        if (!reading && !loop.isBusy()) {
            output.flush();
        }
        noteBytes();
        if (closing) {
            return;
        }
        if (ends) {
            closing = true;
            // What is left of its replies is waited for, within limits.
            stalledNanos = door.clock().nanoTime();
            stalledBytes = output.unsentBytes();
            output.flush();
            channel.writeAndFlush(channel.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
            return;
        }
        channel.config().setAutoRead(!loop.isHeldUp() && channel.isWritable());
    }

    private void noteBytes() {
        int held = loop.heldBytes();
        long unsent = output.unsentBytes();
        long all = door.clients().held(held - notedHeld + unsent - notedUnsent);
        notedHeld = held;
        notedUnsent = unsent;
        notedQueued = loop.transaction().queued();
        if (unsent > limits.replyBytes()) {
            closeNow(Closing.SLOW);
        } else if (all > limits.heldBytes() && held + unsent > SMALL_BYTES) {
            closeNow(Closing.MEMORY);
        }
    }

    private void closeNow(Closing reason) {
        if (why == Closing.CLIENT) {
            closing = true;
            why = reason;
            LOG.atDebug().addKeyValue("client", client.address()).log("closing a client: {}", reason.label());
        }
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closing = true;
        door.monitors().remove(client);
        door.clients().remove(client);
        door.clients().held(-notedHeld - notedUnsent);
        notedHeld = 0;
        notedUnsent = 0;
        loop.close();
        output.end();
        door.counters().closed(why);
        door.clients().leave();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException) {
            LOG.atDebug().addKeyValue("client", client.address()).log("a connection of a client has ended", cause);
            closeNow(Closing.CLIENT);
        } else {
            LOG.atError()
                    .addKeyValue("client", client.address())
                    .addKeyValue("command", client.lastCommand())
                    .setCause(cause)
                    .log("a request of a client has failed; its connection is closed");
            closeNow(Closing.FAILURE);
        }
    }

    @Override
    public void close(Closing reason) {
        execute(() -> closeNow(reason));
    }

    @Override
    public void closeAfterReply() {
        loop.finish();
    }

    @Override
    public void resetTransaction() {
        loop.transaction().reset();
    }

    @Override
    public void push(ByteBuf message) {
        execute(() -> {
            if (closing) {
                message.release();
            } else if (output.unsentBytes() > MONITOR_BYTES) {
                message.release();
                closeNow(Closing.SLOW);
            } else {
                loop.flush();
                door.counters().sent(message.readableBytes());
                channel.writeAndFlush(message, channel.voidPromise());
            }
        });
    }

    @Override
    public void notice(Notice notice) {
        execute(() -> {
            if (!closing) {
                loop.tell(notice);
                settle();
            }
        });
    }

    @Override
    public void check(long nowNanos) {
        long idleNanos = door.settings().idleNanos();
        boolean idle = idleNanos > 0 && !client.monitor() && nowNanos - client.activeNanos() > idleNanos;
        if (idle || notedUnsent > 0) {
            execute(() -> checkHere(nowNanos, idle));
        }
    }

    private void checkHere(long nowNanos, boolean idle) {
        if (!channel.isActive()) {
            return;
        }
        noteBytes();
        long unsent = output.unsentBytes();
        if (stalledNanos != 0 && unsent < stalledBytes) {
            // It takes some, if slowly.
            stalledNanos = nowNanos;
            stalledBytes = unsent;
        } else if (stalledNanos != 0 && nowNanos - stalledNanos > limits.stallNanos()) {
            closeNow(Closing.SLOW);
        }
        if (idle && !closing && !loop.isBusy()) {
            closeNow(Closing.IDLE);
        }
    }

    private void execute(Runnable task) {
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.trace("the door has stopped", e);
        }
    }

    @Override
    public int queued() {
        return notedQueued;
    }

    @Override
    public int heldBytes() {
        return notedHeld;
    }

    @Override
    public long unsentBytes() {
        return notedUnsent;
    }
}
