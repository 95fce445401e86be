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
 * Requests that wait because their chunks are on their way to another storage peer. They are handled again when a
 * transition has changed, in their order, and then wait once more or are answered. Thread-safe.
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

    /** Bytes of requests that wait. */
    long bytes() {
        return bytes.get();
    }

    /** To be taken before it is looked whether a request must wait. */
    int stamp() {
        return wakes.get();
    }

    /** Puts a request aside until it is known who owns its chunks, unless too many are put aside. */
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

    /** Puts a request aside, its payload at the begin; false when too many are. */
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
            // A transition may have changed between the look at it and the adding here.
            wake();
        }
        return true;
    }

    /** Handles again, soon, all that wait. */
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
