package dev.granary.memory;

/**
 * Counts of the writes to chunks, so that a get can tell that nothing was written while it read, and need not write a
 * lock itself. Many chunks share one of the words: a write to one of them makes a get of another read again, which is
 * rare and harmless (ADR 0012).
 *
 * <p>Whoever holds a chunk's write lock counts after writing and before unlocking. A get reads the count, the entry,
 * the payload, the entry again, the count again. If it saw a byte of a write, it finds either the writer's bit, another
 * entry, or another count: the writer's bit was set before the byte was written, and goes only after the count.
 */
final class Versions {

    private static final int COUNT = 512;

    /** What the words take in the VMB. */
    static final int BYTES = COUNT * Long.BYTES;

    private final Vmb vmb;
    private final long words;

    Versions(Vmb vmb, long words) {
        this.vmb = vmb;
        this.words = words;
    }

    long read(long lid) {
        return vmb.getAcquire(word(lid));
    }

    /** Under the write lock of the LID's chunk. */
    void count(long lid) {
        vmb.add(word(lid), 1);
    }

    private long word(long lid) {
        return words + ((lid & (COUNT - 1)) << 3);
    }
}
