package dev.granary.memory;

/** Takes the progress of the operating system in giving memory. Called by several threads, one at a time. */
@FunctionalInterface
public interface PreTouchProgress {

    /** Tells nobody. */
    PreTouchProgress NONE = (touchedBytes, totalBytes) -> {};

    /**
     * Takes how much of the memory the operating system has given.
     *
     * @param touchedBytes grows with each call, up to the total
     */
    void touched(long touchedBytes, long totalBytes);
}
