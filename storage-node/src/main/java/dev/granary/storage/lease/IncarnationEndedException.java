package dev.granary.storage.lease;

import java.io.Serial;

/**
 * This incarnation of a storage peer has lost its lease for good: others have taken its place, or its chunks were given
 * up. The peer itself is in order: a later incarnation of the same disk may join (ADR 0123).
 */
public final class IncarnationEndedException extends Exception {

    @Serial
    private static final long serialVersionUID = 1;

    /** Makes an exception from the super-peer's answer that says so. */
    public IncarnationEndedException(Throwable answer) {
        super(answer.getMessage(), answer);
    }
}
