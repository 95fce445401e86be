package dev.granary.storage.data;

import dev.granary.net.message.ErrorReply;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.storage.probe.StorageProbe;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps deferred requests, which wait because their chunks are on their way to another storage peer. When a transition
 * has changed they are handled again, in their order, and then wait once more or are answered. Thread-safe.
 */
final class Parking {

    private static final int MAX_REQUESTS = 16_384;
    private static final long FULL_RETRY_NANOS = 2_000_000;

    private final ChunkService service;
    private final Replies replies;
    private final Executor executor;
    private final ConcurrentLinkedQueue<RpcRequest> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean waking = new AtomicBoolean();
    private final AtomicInteger wakes = new AtomicInteger();

    /**
     * @param maxBytes of requests that wait
     */
    Parking(ChunkService service, Replies replies, Executor executor, long maxBytes) {
        this.maxBytes = maxBytes;
        this.service = service;
        this.replies = replies;
        this.executor = executor;
    }

    /** Returns the bytes of the deferred requests. */
    long bytes() {
        return bytes.get();
    }

    /** Returns the stamp, which the caller must read before it checks whether a request must wait. */
    int stamp() {
        return wakes.get();
    }

    /** Defers a request until the owner of its chunks is known, or refuses it when too many are deferred. */
    void parkOrRefuse(RpcRequest request, Operation operation, int stamp, int chunks) {
        if (!park(request, stamp)) {
            replies.refuse(
                    request,
                    operation,
                    chunks,
                    ErrorReply.retryLater(
                            FULL_RETRY_NANOS,
                            "the chunk is moving, and no more requests fit among those that wait for that"));
        }
    }

    /** Defers a request whose payload is at the beginning. Returns false when too many are deferred. */
    private boolean park(RpcRequest request, int stamp) {
        int sizeBytes = request.payload().readableBytes();
        if (count.get() >= MAX_REQUESTS || bytes.get() + sizeBytes > maxBytes) {
            return false;
        }
        count.incrementAndGet();
        bytes.addAndGet(sizeBytes);
        request.payload().retain();
        waiting.add(request);
        StorageProbe.REQUEST_PARKED.hit();
        if (stamp != wakes.get()) {
            // A transition may have changed between the caller's check and this point.
            wake();
        }
        return true;
    }

    /** Handles all deferred requests again soon. */
    void wake() {
        wakes.incrementAndGet();
        if (!waiting.isEmpty() && waking.compareAndSet(false, true)) {
            executor.execute(this::handleAll);
        }
    }

    private void handleAll() {
        waking.set(false);
        for (int left = count.get(); left > 0; left--) {
            RpcRequest request = waiting.poll();
            if (request == null) {
                return;
            }
            count.decrementAndGet();
            bytes.addAndGet(-request.payload().readableBytes());
            try {
                StorageProbe.PARKED_REQUEST_HANDLED.hit();
                service.handleAgain(request);
            } finally {
                request.payload().release();
            }
        }
    }
}
