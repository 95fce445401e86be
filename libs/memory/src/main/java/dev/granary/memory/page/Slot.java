package dev.granary.memory.page;

import dev.granary.memory.os.Padded;

/** A place for a new chunk, which a stripe has found. Reused; belongs to the thread that holds the stripe's lock. */
public final class Slot extends Padded {

    /** Directory entry of the page. */
    public long page;

    /** Which of its slots. */
    public int index;

    /** The word to publish in a page of entries; in others 0, and the live bit is set. */
    long entry;

    /** Where the bytes go. */
    public long payload;

    void set(long toPage, int toIndex, long toEntry, long toPayload) {
        this.page = toPage;
        this.index = toIndex;
        this.entry = toEntry;
        this.payload = toPayload;
    }

    public void copyFrom(Slot other) {
        set(other.page, other.index, other.entry, other.payload);
    }
}
