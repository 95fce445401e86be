package dev.granary.testkit;

/** What the acknowledgement of a change promises, from less to more. */
public enum Promise {
    /** The owner has it: gone with the owner. */
    ASYNC,
    /** All copies have it in memory: gone when all lose their power. */
    REPLICATED,
    /** All copies have it on the disk: never gone. */
    SYNCED
}
