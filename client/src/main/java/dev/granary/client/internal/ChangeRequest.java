package dev.granary.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The request id of some chunks of a batch. The chunks keep it, however often and to whichever owner they are sent
 * (SAFETY rule "retries", ADR 0094). Thread-safe.
 */
final class ChangeRequest {

    private final MutationSession session;
    private final long sequence;

    @GuardedBy("this")
    private int open;

    /**
     * Takes the next id.
     *
     * @param session the session with the storage peer that gets the first request
     * @param chunks number of chunks with this id
     */
    ChangeRequest(MutationSession session, int chunks) {
        this.session = session;
        this.sequence = session.begin();
        this.open = chunks;
    }

    long sessionId() {
        return session.id();
    }

    long sequence() {
        return sequence;
    }

    long acked() {
        return session.acked();
    }

    /** Notes that {@code chunks} chunks have their answer and will not be sent again. */
    void answered(int chunks) {
        synchronized (this) {
            open -= chunks;
            if (open > 0) {
                return;
            }
        }
        session.end(sequence);
    }
}
