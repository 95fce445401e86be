package dev.granary.net.netty;

import dev.granary.net.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts the stream of bytes into frames. A large frame is received only when there is room for it in the budget of the
 * transport; until then its connection is not read from, and the sender waits. A sender that has room and sends
 * nothing for a while is disconnected, so that the others do not wait for it for ever.
 *
 * <p>Until the other side has {@linkplain #greeted greeted}, the decoder takes small frames only. A port disconnects a
 * caller that has not greeted in time (ADR 0323). I/O thread of the connection only.
 */
final class FrameDecoder extends LengthFieldBasedFrameDecoder {

    private static final Logger LOG = LoggerFactory.getLogger(FrameDecoder.class);

    /**
     * A connection may have a part of a smaller frame without room for it: many thousands of these take little memory.
     */
    private static final int SMALL_BYTES = 16 << 10;

    private static final int RETRY_MILLIS = 10;

    private static final int TLS_ALERT = 21;
    private static final int TLS_HANDSHAKE = 22;
    private static final int TLS_VERSION = 3;

    private final InboundBudget budget;
    private final ReadGate gate;
    private final int stallMillis;

    private final int helloBytes;
    private final Traffic traffic;
    private final @Nullable ConnectionLimits limits;
    private boolean greeted;
    private boolean tooLarge;
    private @Nullable ScheduledFuture<?> helloTimer;

    /** The room that is taken for the frame that is being received; 0 for none. */
    private long takenBytes;

    /** How many bytes of that frame have come. */
    private int receivedBytes;

    private boolean waiting;
    private @Nullable ScheduledFuture<?> timer;

    /**
     * @param helloBytes the largest frame before the hello
     * @param traffic of the I/O thread of the connection
     * @param limits of the port that has accepted the connection; null for the side that has opened it
     */
    FrameDecoder(
            InboundBudget budget,
            ReadGate gate,
            int stallMillis,
            int helloBytes,
            Traffic traffic,
            @Nullable ConnectionLimits limits) {
        super(ByteOrder.LITTLE_ENDIAN, Frame.MAX_BYTES, Frame.LENGTH_OFFSET, Frame.LENGTH_BYTES, 0, 0, true);
        this.budget = budget;
        this.gate = gate;
        this.stallMillis = stallMillis;
        this.helloBytes = helloBytes;
        this.traffic = traffic;
        this.limits = limits;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
        ConnectionLimits present = limits;
        if (present != null && !greeted) {
            helloTimer = context.executor()
                    .schedule(() -> closeSilent(context, present), present.helloMillis(), TimeUnit.MILLISECONDS);
        }
        super.channelActive(context);
    }

    private void closeSilent(ChannelHandlerContext context, ConnectionLimits present) {
        present.count(ConnectionLimits.Refusal.SILENT);
        LOG.info(
                "closing the connection from {}: no hello has come for {} ms",
                context.channel().remoteAddress(),
                present.helloMillis());
        var _ = context.close();
    }

    /** The other side has said who it is: larger frames are taken from now on. */
    void greeted() {
        greeted = true;
        endHelloTimer();
    }

    private void endHelloTimer() {
        ScheduledFuture<?> planned = helloTimer;
        helloTimer = null;
        if (planned != null) {
            planned.cancel(false);
        }
    }

    /** Nobody is heard with more than a hello before it. */
    private void checkHello(long sizeBytes, ByteBuf in) {
        if (greeted || sizeBytes <= helloBytes) {
            return;
        }
        if (isTls(in)) {
            if (limits != null && !tooLarge) {
                limits.count(ConnectionLimits.Refusal.TLS);
            }
            tooLarge = true;
            throw new TooLongFrameException("the other side speaks TLS, and this side does not");
        }
        if (limits != null && !tooLarge) {
            limits.count(ConnectionLimits.Refusal.FRAME);
        }
        tooLarge = true;
        throw new TooLongFrameException(
                "a frame of " + sizeBytes + " bytes came before the hello, where at most " + helloBytes + " are taken");
    }

    /** Whether the bytes begin a record of TLS (RFC 8446 section 5.1): an alert or a handshake, of version 3. */
    private static boolean isTls(ByteBuf in) {
        int type = in.getUnsignedByte(in.readerIndex());
        return (type == TLS_ALERT || type == TLS_HANDSHAKE) && in.getByte(in.readerIndex() + 1) == TLS_VERSION;
    }

    /** As the superclass, which makes a view of the buffer in the other byte order for each frame. */
    @Override
    protected long getUnadjustedFrameLength(ByteBuf buffer, int offset, int sizeBytes, ByteOrder order) {
        return buffer.getUnsignedIntLE(offset);
    }

    @Override
    protected @Nullable Object decode(ChannelHandlerContext context, ByteBuf in) throws Exception {
        if (takenBytes == 0 && in.readableBytes() >= Frame.LENGTH_BYTES) {
            long sizeBytes = Frame.LENGTH_BYTES + in.getUnsignedIntLE(in.readerIndex() + Frame.LENGTH_OFFSET);
            checkHello(sizeBytes, in);
            boolean large = sizeBytes > SMALL_BYTES && sizeBytes <= Frame.MAX_BYTES;
            if (large && in.readableBytes() < sizeBytes && !waiting) {
                take(context, sizeBytes);
            }
        }
        receivedBytes = in.readableBytes();
        Object frame = super.decode(context, in);
        if (frame != null) {
            traffic.received(receivedBytes - in.readableBytes());
            giveBack();
        }
        return frame;
    }

    private void take(ChannelHandlerContext context, long sizeBytes) {
        if (budget.tryTake(sizeBytes)) {
            takenBytes = sizeBytes;
            if (waiting) {
                waiting = false;
                gate.waitForRoom(false);
            }
            watch(context, receivedBytes);
        } else {
            if (!waiting) {
                waiting = true;
                gate.waitForRoom(true);
            }
            after(RETRY_MILLIS, context, () -> take(context, sizeBytes));
        }
    }

    private void watch(ChannelHandlerContext context, int seenBytes) {
        after(stallMillis, context, () -> {
            if (receivedBytes == seenBytes) {
                LOG.warn(
                        "closing the connection with {}: {} of {} bytes of a frame have come, and none for {} ms",
                        context.channel().remoteAddress(),
                        receivedBytes,
                        takenBytes,
                        stallMillis);
                var _ = context.close();
            } else {
                watch(context, receivedBytes);
            }
        });
    }

    /**
     * Looks again after a while. If that throws, nobody else would ever read from the connection again, or watch it,
     * and its room would stay taken: it is closed instead.
     */
    private void after(int delayMillis, ChannelHandlerContext context, Runnable look) {
        timer = context.executor()
                .schedule(
                        () -> {
                            try {
                                look.run();
                            } catch (Throwable thrown) {
                                LOG.error(
                                        "closing the connection with {}: room for a frame could not be looked for",
                                        context.channel().remoteAddress(),
                                        thrown);
                                var _ = context.close();
                            }
                        },
                        delayMillis,
                        TimeUnit.MILLISECONDS);
    }

    private void giveBack() {
        ScheduledFuture<?> planned = timer;
        timer = null;
        if (planned != null) {
            planned.cancel(false);
        }
        budget.give(takenBytes);
        takenBytes = 0;
        if (waiting) {
            // The rest had come already.
            waiting = false;
            gate.waitForRoom(false);
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        endHelloTimer();
        giveBack();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        endHelloTimer();
        giveBack();
        super.channelInactive(context);
    }
}
