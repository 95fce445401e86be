package dev.granary.storage.door.chunks;

import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.DeadlineExceededException;
import dev.granary.client.LockHeldException;
import dev.granary.client.LockLostException;
import dev.granary.client.OutcomeUnknownException;
import dev.granary.client.StorageFullException;
import dev.granary.env.Futures;

/**
 * What a client is told of a request about chunks that failed.
 *
 * <pre>
 *   NOCHUNK     there is no such chunk
 *   CHUNKLOST   it was there, and is lost
 *   LOCKHELD    another one holds the lock
 *   LOCKLOST    the lock has ended; another one may have it
 *   OOM         there is no room for the chunk
 *   TRYAGAIN    nothing was done: try again
 *   ERR         anything else; "outcome unknown" when a change may have been carried out
 * </pre>
 */
final class ChunkErrors {

    private ChunkErrors() {}

    /** @param isChange whether the request may have changed something */
    static String text(Throwable failure, boolean isChange) {
        Throwable cause = Futures.causeOf(failure);
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return switch (cause) {
            case ChunkNotFoundException _ -> "NOCHUNK " + message;
            case ChunkLostException _ -> "CHUNKLOST " + message;
            case LockHeldException _ -> "LOCKHELD " + message;
            case LockLostException _ -> "LOCKLOST " + message;
            case StorageFullException _ -> "OOM " + message;
            case OutcomeUnknownException _ -> unknown(message);
            case DeadlineExceededException _ -> isChange ? unknown(message) : "TRYAGAIN " + message;
            default -> "ERR " + message;
        };
    }

    private static String unknown(String message) {
        return "ERR outcome unknown: " + message;
    }
}
