package dev.granary.bench.redis;

/** What a driver asks for. Used by one thread. */
public interface Requests {

    /** There is nothing to ask for now. */
    long NONE = -1;

    /** The next {@link Operation}, or {@link #NONE}. */
    long next();

    /** Takes note of an answer. */
    default void answered(long operation, Reply.Outcome outcome) {}
}
