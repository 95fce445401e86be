package dev.granary.client;

/** When a change of chunks is answered, and so what it survives (docs/guides/durability.md). */
public enum Durability {
    /** At once: backups get it soon, and it may be lost when its owner dies before that. */
    ASYNC,
    /**
     * When all backups of the chunk's zone have it in memory: it survives the loss of all but one of these machines.
     */
    REPLICATED,
    /** When all backups have it on their disks: it survives that all machines lose their power. */
    SYNCED
}
