package dev.granary.storage.door.state;

import dev.granary.resp.RequestLimits;
import java.util.concurrent.TimeUnit;

/**
 * How much clients of a door may take.
 *
 * @param clients how many may be connected
 * @param request the most that one may send in a request; a transaction has the same limits
 * @param replyBytes bytes of replies that one client has not taken; it is closed when there are more
 * @param heldBytes bytes of requests and replies of all clients; above that a client that holds much is closed
 * @param chunkBytes bytes of heap that values of chunks take on their way between all clients and owners
 * @param stallNanos how long a client may leave replies before it is closed
 * @param idleNanos how long a client may ask nothing before it is closed; 0 for ever
 */
public record DoorLimits(
        int clients,
        RequestLimits request,
        int replyBytes,
        long heldBytes,
        long chunkBytes,
        long stallNanos,
        long idleNanos) {

    public static final int DEFAULT_CLIENTS = 10_000;

    private static final int DEFAULT_REPLY_BYTES = 64 << 20;
    private static final long DEFAULT_HELD_BYTES = 256L << 20;
    private static final long DEFAULT_CHUNK_BYTES = 256L << 20;
    private static final long DEFAULT_STALL_SECONDS = 60;

    public static DoorLimits defaults() {
        return new DoorLimits(
                DEFAULT_CLIENTS,
                RequestLimits.DEFAULT,
                DEFAULT_REPLY_BYTES,
                DEFAULT_HELD_BYTES,
                DEFAULT_CHUNK_BYTES,
                TimeUnit.SECONDS.toNanos(DEFAULT_STALL_SECONDS),
                0);
    }

    public DoorLimits withClients(int most) {
        return new DoorLimits(most, request, replyBytes, heldBytes, chunkBytes, stallNanos, idleNanos);
    }

    public DoorLimits withRequest(RequestLimits other) {
        return new DoorLimits(clients, other, replyBytes, heldBytes, chunkBytes, stallNanos, idleNanos);
    }

    public DoorLimits withReplyBytes(int most) {
        return new DoorLimits(clients, request, most, heldBytes, chunkBytes, stallNanos, idleNanos);
    }

    public DoorLimits withHeldBytes(long most) {
        return new DoorLimits(clients, request, replyBytes, most, chunkBytes, stallNanos, idleNanos);
    }

    public DoorLimits withChunkBytes(long most) {
        return new DoorLimits(clients, request, replyBytes, heldBytes, most, stallNanos, idleNanos);
    }

    public DoorLimits withStallNanos(long nanos) {
        return new DoorLimits(clients, request, replyBytes, heldBytes, chunkBytes, nanos, idleNanos);
    }

    public DoorLimits withIdleNanos(long nanos) {
        return new DoorLimits(clients, request, replyBytes, heldBytes, chunkBytes, stallNanos, nanos);
    }
}
