package dev.granary.storage.lease;

import java.io.Serial;

/**
 * This incarnation of a storage peer has lost its lease for good, since others have taken its place or its chunks were
 * given up. Nothing is wrong with the peer: a later incarnation of the same disk is welcome (ADR 0123).
 */
public final class IncarnationEndedException extends Exception {

    @Serial
    private static final long serialVersionUID = 1;

    /** An end, told by a super-peer's answer. */
    public IncarnationEndedException(Throwable answer) {
        super(answer.getMessage(), answer);
    }
}
