package dev.granary.storage;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.concurrent.CompletableFuture;

/** A transport without buffers while a test wants that; connections have their own buffers. */
final class ScarceTransport implements Transport {

    /** How many more buffers it gives. */
    int buffersLeft = Integer.MAX_VALUE;

    /** The bytes of answers that nobody takes. */
    long unsentBytes;

    private final Transport transport;
    private final ByteBufAllocator allocator = new AbstractByteBufAllocator() {
        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            if (buffersLeft == 0) {
                throw new OutOfMemoryError("no buffers in this test");
            }
            buffersLeft--;
            return new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            return newHeapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    };

    ScarceTransport(Transport transport) {
        this.transport = transport;
    }

    @Override
    public CompletableFuture<HostAddress> listen(HostAddress bind, Acceptor acceptor) {
        return transport.listen(bind, acceptor);
    }

    @Override
    public CompletableFuture<Connection> connect(HostAddress remote, ConnectionHandler handler) {
        return transport.connect(remote, handler);
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public long outboundBytes() {
        return unsentBytes;
    }

    @Override
    public void close() {
        transport.close();
    }
}
