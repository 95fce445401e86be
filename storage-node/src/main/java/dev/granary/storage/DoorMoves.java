package dev.granary.storage;

import dev.granary.overlay.Nid;
import dev.granary.storage.door.Door;
import dev.granary.storage.keyed.SlotOwners;
import dev.granary.storage.migrate.GroupMoves;

/**
 * Tells a door of slot groups that leave its storage peer.
 *
 * @param owners knows the peer
 */
record DoorMoves(Door door, SlotOwners owners) implements GroupMoves {

    @Override
    public void begun(int group) {
        door.groupLeaves(group);
    }

    @Override
    public void came(int group, long epoch) {}

    @Override
    public void ended(int group, int ownerNid, long epoch) {
        door.groupLeft(group, ownerNid == Nid.NONE ? owners.nid() : ownerNid);
    }
}
