package dev.granary.memory.page;

/** The outcome of an attempt to place a chunk in a stripe. */
public enum Outcome {
    DONE,
    /** No LID may be given. */
    NO_LID,
    /** No block is large enough. */
    NO_MEMORY,
    /** Somebody holds the latches of all suitable pages: try again without the stripe's lock. */
    BUSY
}
