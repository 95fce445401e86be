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
 * @param stallNanos how long a client may leave replies before it is closed
 * @param idleNanos how long a client may ask nothing before it is closed; 0 for ever
 */
public record DoorLimits(
        int clients, RequestLimits request, int replyBytes, long heldBytes, long stallNanos, long idleNanos) {

    public static final int DEFAULT_CLIENTS = 10_000;

    private static final int DEFAULT_REPLY_BYTES = 64 << 20;
    private static final long DEFAULT_HELD_BYTES = 256L << 20;
    private static final long DEFAULT_STALL_SECONDS = 60;

    public static DoorLimits defaults() {
        return new DoorLimits(
                DEFAULT_CLIENTS,
                RequestLimits.DEFAULT,
                DEFAULT_REPLY_BYTES,
                DEFAULT_HELD_BYTES,
                TimeUnit.SECONDS.toNanos(DEFAULT_STALL_SECONDS),
                0);
    }

    public DoorLimits withClients(int most) {
        return new DoorLimits(most, request, replyBytes, heldBytes, stallNanos, idleNanos);
    }

    public DoorLimits withRequest(RequestLimits other) {
        return new DoorLimits(clients, other, replyBytes, heldBytes, stallNanos, idleNanos);
    }

    public DoorLimits withReplyBytes(int most) {
        return new DoorLimits(clients, request, most, heldBytes, stallNanos, idleNanos);
    }

    public DoorLimits withHeldBytes(long most) {
        return new DoorLimits(clients, request, replyBytes, most, stallNanos, idleNanos);
    }

    public DoorLimits withStallNanos(long nanos) {
        return new DoorLimits(clients, request, replyBytes, heldBytes, nanos, idleNanos);
    }

    public DoorLimits withIdleNanos(long nanos) {
        return new DoorLimits(clients, request, replyBytes, heldBytes, stallNanos, nanos);
    }
}
