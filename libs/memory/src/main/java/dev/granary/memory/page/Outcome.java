package dev.granary.memory.page;

/** What came of an attempt to place a chunk in a stripe. */
public enum Outcome {
    DONE,
    /** No LID may be given. */
    NO_LID,
    /** No block is large enough. */
    NO_MEMORY,
    /** Somebody holds the latches of all suitable pages: try again without the stripe's lock. */
    BUSY
}
