package dev.granary.storage;

import dev.granary.env.Clock;
import dev.granary.env.Scheduler;
import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.net.ConnectException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Clock, scheduler and network on virtual time; everything runs on the thread that advances it. */
final class VirtualWorld implements Clock, Scheduler, Transport {

    static final long LATENCY_NANOS = 5_000_000;

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::order));
    private final Map<HostAddress, Acceptor> listeners = new HashMap<>();
    private final Set<HostAddress> unreachable = new HashSet<>();
    private long nowNanos = -5_000_000_000L;
    private long order;
    private int nextPort = 1000;

    private record Task(long atNanos, long order, Runnable work) {}

    @Override
    public long nanoTime() {
        return nowNanos;
    }

    @Override
    public long wallMillis() {
        return nowNanos / 1_000_000;
    }

    @Override
    public void execute(Runnable task) {
        var _ = schedule(0, task);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable work) {
        Task task = new Task(nowNanos + Math.max(0, delayNanos), order++, work);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /** Runs everything that is due within a time. */
    void advance(long nanos) {
        long end = nowNanos + nanos;
        while (!tasks.isEmpty() && tasks.peek().atNanos <= end) {
            Task task = tasks.remove();
            nowNanos = task.atNanos;
            task.work.run();
        }
        nowNanos = end;
    }

    /** Moves the clock of everybody without running anything: a pause. */
    void pause(long nanos) {
        nowNanos += nanos;
    }

    /** Advances until something holds; fails after a minute of virtual time. */
    void advanceUntil(BooleanSupplier condition) {
        long limit = nowNanos + 60_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (nowNanos > limit) {
                throw new AssertionError("does not come true within a minute");
            }
            advance(1_000_000);
        }
    }

    /** Frames to and from an address are lost from now on, without a sign. */
    void cut(HostAddress address) {
        unreachable.add(address);
    }

    void heal(HostAddress address) {
        unreachable.remove(address);
    }

    @Override
    public CompletableFuture<HostAddress> listen(HostAddress bind, Acceptor acceptor) {
        HostAddress address = bind.port() == 0 ? new HostAddress(bind.host(), nextPort++) : bind;
        listeners.put(address, acceptor);
        return CompletableFuture.completedFuture(address);
    }

    @Override
    public CompletableFuture<Connection> connect(HostAddress remote, ConnectionHandler handler) {
        CompletableFuture<Connection> connected = new CompletableFuture<>();
        execute(() -> {
            Acceptor acceptor = listeners.get(remote);
            if (acceptor == null || unreachable.contains(remote)) {
                connected.completeExceptionally(new ConnectException(remote + " cannot be reached"));
                return;
            }
            End caller = new End(remote);
            End called = new End(remote);
            caller.connect(called, handler);
            called.connect(caller, acceptor.accept(called));
            connected.complete(caller);
        });
        return connected;
    }

    @Override
    public ByteBufAllocator allocator() {
        return ByteBufAllocator.DEFAULT;
    }

    @Override
    public void close() {
        listeners.clear();
    }

    /** One end of a connection. */
    private final class End implements Connection {

        private final HostAddress server;
        private @Nullable End other;
        private @Nullable ConnectionHandler handler;
        private boolean closed;

        End(HostAddress server) {
            this.server = server;
        }

        void connect(End newOther, ConnectionHandler newHandler) {
            other = newOther;
            handler = newHandler;
        }

        @Override
        public void send(ByteBuf frame) {
            End target = other;
            schedule(LATENCY_NANOS, () -> {
                try {
                    if (!closed && target != null && !target.closed && !unreachable.contains(server)) {
                        target.receive(frame);
                    }
                } finally {
                    frame.release();
                }
            });
        }

        private void receive(ByteBuf frame) {
            ConnectionHandler receiver = handler;
            if (receiver != null) {
                receiver.onFrame(this, frame);
            }
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public ByteBufAllocator allocator() {
            return ByteBufAllocator.DEFAULT;
        }

        @Override
        public HostAddress remoteAddress() {
            return server;
        }

        @Override
        public void close() {
            // After what was sent before has arrived.
            schedule(LATENCY_NANOS, () -> {
                End target = other;
                end();
                if (target != null) {
                    target.end();
                }
            });
        }

        private void end() {
            if (!closed && handler != null) {
                closed = true;
                handler.onClosed(this, null);
            }
        }
    }
}
