package dev.granary.net.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {

    private static final int FRAME_BYTES = 20_000;
    private static final int STALL_MILLIS = 1_000;

    private final InboundBudget budget = new InboundBudget(FRAME_BYTES);
    private final PlantedChannel channel = new PlantedChannel();

    /** A channel whose setting whether it is read from can be made to fail. */
    private static final class PlantedChannel extends EmbeddedChannel {
        private @Nullable ChannelConfig own;
        private boolean fails;

        @Override
        public ChannelConfig config() {
            // The constructor of the superclass asks for it.
            if (own == null) {
                own = new DefaultChannelConfig(this) {
                    @Override
                    public ChannelConfig setAutoRead(boolean autoRead) {
                        if (fails) {
                            throw new IllegalStateException("planted");
                        }
                        return super.setAutoRead(autoRead);
                    }
                };
            }
            return own;
        }
    }

    private void beginFrame() {
        FrameDecoder decoder = new FrameDecoder(budget, new ReadGate(channel), STALL_MILLIS, 100, new Traffic(), null);
        decoder.greeted();
        channel.pipeline().addLast(decoder);
        ByteBuf part = Unpooled.buffer();
        part.writeIntLE(FRAME_BYTES - Frame.LENGTH_BYTES).writeZero(100);
        channel.writeInbound(part);
    }

    private void pass(long millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }

    @Test
    void decode_roomComesLater_readsOn() {
        assertThat(budget.tryTake(FRAME_BYTES)).isTrue();
        beginFrame();
        assertThat(channel.config().isAutoRead()).isFalse();

        budget.give(FRAME_BYTES);
        pass(20);

        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(budget.bytes()).isEqualTo(FRAME_BYTES);
    }

    @Test
    void decode_lookForRoomThrows_connectionIsClosedAndItsRoomGivenBack() {
        assertThat(budget.tryTake(FRAME_BYTES)).isTrue();
        beginFrame();

        channel.fails = true;
        budget.give(FRAME_BYTES);
        pass(20);

        assertThat(channel.isOpen()).isFalse();
        assertThat(budget.bytes()).isZero();
    }

    @Test
    void decode_nothingComesForLong_connectionIsClosedAndItsRoomGivenBack() {
        beginFrame();
        pass(STALL_MILLIS / 2);
        assertThat(channel.isOpen()).isTrue();

        pass(STALL_MILLIS);
        pass(STALL_MILLIS);

        assertThat(channel.isOpen()).isFalse();
        assertThat(budget.bytes()).isZero();
    }
}
