package dev.granary.storage.migrate;

import dev.granary.overlay.Nid;

/** Learns of slot groups that leave this storage peer, or come, by a migration. Tasks of the scheduler tell it. */
public interface GroupMoves {

    /** Learns nothing. */
    GroupMoves NOBODY = new GroupMoves() {
        @Override
        public void begun(int group) {}

        @Override
        public void ended(int group, int ownerNid, long epoch) {}

        @Override
        public void came(int group, long epoch) {}
    };

    /** The group begins to leave; it is served here for as long as that takes. */
    void begun(int group);

    /**
     * The migration has ended.
     *
     * @param ownerNid its owner now; {@link Nid#NONE} when it has not left
     * @param epoch of its placement if it has left
     */
    void ended(int group, int ownerNid, long epoch);

    /**
     * This storage peer is the owner of a group that another one had.
     *
     * @param epoch of its placement
     */
    void came(int group, long epoch);
}
