package dev.granary.process;

import org.jspecify.annotations.Nullable;

/** Ends the process from inside. Thread-safe. */
public interface ProcessControl {

    /**
     * Says why the process cannot go on, stops it in an orderly way and ends it with exit code 1. Returns at once; only
     * the first call counts.
     *
     * @param reason for people: what happened and what to do
     */
    void fail(String reason, @Nullable Throwable cause);
}
