package dev.granary.client;

/**
 * The durability level: when a change of chunks is acknowledged, and so what it survives (docs/guides/durability.md).
 */
public enum Durability {
    /** At once. The backups get the change soon afterwards; it may be lost when its owner dies before that. */
    ASYNC,
    /**
     * When all in-sync backups of the chunk's zone have the change in memory: it survives the loss of all but one of
     * these machines.
     */
    REPLICATED,
    /** When all in-sync backups have the change on disk: it survives a loss of power of all machines. */
    SYNCED
}
