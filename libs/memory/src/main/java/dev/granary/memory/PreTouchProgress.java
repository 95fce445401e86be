package dev.granary.memory;

/** Is told how far the operating system has come with giving memory. Called by several threads, one at a time. */
@FunctionalInterface
public interface PreTouchProgress {

    /** Tells nobody. */
    PreTouchProgress NONE = (touchedBytes, totalBytes) -> {};

    /**
     * So much of the memory has been taken.
     *
     * @param touchedBytes grows with each call, up to the total
     */
    void touched(long touchedBytes, long totalBytes);
}
