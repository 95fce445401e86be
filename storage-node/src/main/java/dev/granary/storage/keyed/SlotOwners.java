package dev.granary.storage.keyed;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who owns which slot group, and where its door is. A hint: owners may have changed since. Thread-safe. */
public interface SlotOwners {

    /** The NID of this storage peer; {@link Nid#NONE} before it has one. */
    int nid();

    /** Returns the owner of a slot group; {@link Nid#NONE} when it has none, or none is known. */
    int owner(int group);

    /** Returns all storage peers with a door that are known, by their NIDs, ascending. */
    List<Door> doors();

    /** Returns the door of a storage peer; null when none is known. */
    default @Nullable Door door(int nid) {
        return doors().stream().filter(door -> door.nid() == nid).findFirst().orElse(null);
    }

    /**
     * The port for Redis clients of a storage peer.
     *
     * @param address as it is announced to clients
     */
    record Door(int nid, HostAddress address) {}
}
