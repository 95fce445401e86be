package dev.granary.net.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;

/**
 * Whether a connection is read from: not while its peer takes no answers, nor while there is no room for a frame. The
 * first in the pipeline: a decoder that has no whole frame yet asks for more even when reading is off. I/O thread only.
 */
final class ReadGate extends ChannelOutboundHandlerAdapter {

    private final Channel channel;
    private boolean blocked;
    private boolean waitsForRoom;

    ReadGate(Channel channel) {
        this.channel = channel;
    }

    void block(boolean value) {
        blocked = value;
        update();
    }

    void waitForRoom(boolean value) {
        waitsForRoom = value;
        update();
    }

    @Override
    public void read(ChannelHandlerContext context) {
        // Nothing is lost: when there is room, or the peer takes answers again, reading is turned on, which reads.
        if (!waitsForRoom) {
            context.read();
        }
    }

    private void update() {
        assert channel.eventLoop().inEventLoop();
        channel.config().setAutoRead(!blocked && !waitsForRoom);
    }
}
