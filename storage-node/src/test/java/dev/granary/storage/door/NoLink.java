package dev.granary.storage.door;

import dev.granary.storage.door.notice.Notice;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorCounters.Closing;
import io.netty.buffer.ByteBuf;

/** Of a client without a connection. */
public final class NoLink implements Client.Link {

    public static final Client.Link INSTANCE = new NoLink();

    private NoLink() {}

    @Override
    public void close(Closing why) {}

    @Override
    public void closeAfterReply() {}

    @Override
    public void check(long nowNanos) {}

    @Override
    public void resetTransaction() {}

    @Override
    public void push(ByteBuf message) {
        message.release();
    }

    @Override
    public void notice(Notice notice) {}

    @Override
    public int queued() {
        return -1;
    }

    @Override
    public int heldBytes() {
        return 0;
    }

    @Override
    public long unsentBytes() {
        return 0;
    }
}
