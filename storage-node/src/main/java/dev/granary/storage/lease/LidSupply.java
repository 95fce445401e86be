package dev.granary.storage.lease;

import org.jspecify.annotations.Nullable;

/** Provides LIDs for creates. Called by I/O threads; must not block. */
public interface LidSupply {

    /**
     * Notes that chunks were created.
     *
     * @param lidMark no LID from this one on has been given
     */
    void created(long lidMark);

    /** Notes that a create was refused because it wanted more LIDs than are reserved. */
    void exhausted(int wantedCount);

    /** Returns why there will be no more LIDs; null as long as there may be. */
    @Nullable
    String usedUp();
}
