package dev.granary.storage.data;

import java.util.Locale;

/** The outcome for a chunk of a request, as metrics count it. */
public enum Outcome {
    OK,
    /** There is no such chunk, or it is lost. */
    NOT_FOUND,
    /** Not now or not here: no lease, no room, no LIDs, another owner, a retry that cannot be answered. */
    REFUSED,
    /** The request was malformed, or the peer failed. */
    ERROR;

    final String label = name().toLowerCase(Locale.ROOT);
}
