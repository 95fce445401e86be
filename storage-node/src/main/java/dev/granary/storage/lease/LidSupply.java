package dev.granary.storage.lease;

import org.jspecify.annotations.Nullable;

/** Sees to it that creates find LIDs. Called by I/O threads; must not block. */
public interface LidSupply {

    /**
     * Chunks were created.
     *
     * @param lidMark the LID from which on none has been given
     */
    void created(long lidMark);

    /** A create was refused because it wanted more LIDs than are reserved. */
    void exhausted(int wantedCount);

    /** Why there will be no more LIDs; null as long as there may be. */
    @Nullable
    String usedUp();
}
