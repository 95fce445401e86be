package dev.granary.env;

/** A clock of one node. In the simulator each node has its own, with drift. Thread-safe. */
public interface Clock {

    /** Monotonic time in nanoseconds from an arbitrary origin. Leases and deadlines are counted on it. */
    long nanoTime();

    /** Wall-clock time in milliseconds since 1970, for people and logs only: never for leases or order. */
    long wallMillis();
}
