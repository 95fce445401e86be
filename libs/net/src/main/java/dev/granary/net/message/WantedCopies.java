package dev.granary.net.message;

/** How many members a zone should have, as messages tell it in a byte. */
public final class WantedCopies {

    /** In place of a number: who answers has not heard of all storage peers yet, and what was told before holds. */
    public static final int UNKNOWN = 255;

    private WantedCopies() {}
}
