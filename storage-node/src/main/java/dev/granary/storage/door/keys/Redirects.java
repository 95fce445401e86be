package dev.granary.storage.door.keys;

import dev.granary.overlay.Nid;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.door.state.RedirectMode;
import dev.granary.storage.keyed.SlotOwners;
import org.jspecify.annotations.Nullable;

/**
 * Which requests are answered by the address of another door (ADR 0292): those for one slot that a storage peer with a
 * known door owns, of clients that follow. All others are served here, whoever owns their keys.
 */
public final class Redirects {

    private final DoorState door;

    public Redirects(DoorState door) {
        this.door = door;
    }

    /** Returns where a client is to go with a request; null if it is served here. */
    public @Nullable String moved(Client client, KeyPlaces places) {
        if (client.asking() || places.slot() == KeyPlaces.SEVERAL || !follows(client)) {
            return null;
        }
        SlotOwners owners = door.owners();
        int owner = owners.owner(places.group());
        if (owner == Nid.NONE || owner == owners.nid()) {
            return null;
        }
        SlotOwners.Door there = owners.door(owner);
        return there == null
                ? null
                : "MOVED " + places.slot() + " " + there.address().host() + ":"
                        + there.address().port();
    }

    private boolean follows(Client client) {
        RedirectMode mode = door.config().redirect();
        return mode == RedirectMode.ALWAYS
                || (mode == RedirectMode.AWARE
                        && door.aware().knows(client, door.clock().nanoTime()));
    }
}
