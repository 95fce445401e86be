package dev.granary.memory;

/**
 * Locks that callers hold on chunks, at one moment.
 *
 * @param readLocked chunks that are locked for reading
 * @param writeLocked chunks that are locked for writing
 * @param readers read locks held, several of which may be on one chunk
 * @param waiting callers that wait for a lock
 */
public record LockFigures(int readLocked, int writeLocked, int readers, int waiting) {}
