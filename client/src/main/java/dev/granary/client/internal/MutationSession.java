package dev.granary.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashSet;
import java.util.Set;

/**
 * Counts the requests that change chunks of one storage peer, so that a repeated request is carried out once (SAFETY
 * rule "retries"; {@link dev.granary.net.message.MutationHeader}). Thread-safe.
 *
 * <p>Invariants: (1) acked ≤ next − 1; (2) every ended sequence is at most acked or in {@code ended}; (3) acked + 1 is
 * not in {@code ended}.
 */
final class MutationSession {

    private final long id;

    @GuardedBy("this")
    private long next = 1;

    @GuardedBy("this")
    private long acked;

    @GuardedBy("this")
    private final Set<Long> ended = new HashSet<>();

    /**
     * Makes a session without requests.
     *
     * @param id the id of this client's session with this storage peer; no other session of any client has it
     */
    MutationSession(long id) {
        this.id = id;
    }

    long id() {
        return id;
    }

    /** Returns the sequence of a new request. The caller must end it, whatever its outcome. */
    synchronized long begin() {
        return next++;
    }

    /** Ends a request, which will not be sent again. */
    synchronized void end(long sequence) {
        if (sequence == acked + 1) {
            // Nearly always the case, and without a set of boxes.
            acked++;
        } else {
            ended.add(sequence);
        }
        while (!ended.isEmpty() && ended.remove(acked + 1)) {
            acked++;
        }
        assert invariantsHold() : this;
    }

    @GuardedBy("this")
    private boolean invariantsHold() {
        return acked < next && !ended.contains(acked + 1) && ended.size() <= next - 1 - acked;
    }

    @Override
    public synchronized String toString() {
        return "session " + Long.toHexString(id) + ": acked " + acked + ", next " + next + ", ended " + ended;
    }

    /** Returns the sequence up to which all requests have ended. */
    synchronized long acked() {
        return acked;
    }
}
