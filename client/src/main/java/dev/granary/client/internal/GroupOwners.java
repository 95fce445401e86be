package dev.granary.client.internal;

import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.internal.ClusterDirectory.Owner;
import dev.granary.env.Futures;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the owners of slot groups. A group is one range of chunks, so that the directory knows its owner as it knows
 * that of chunks (ADR 0272). Thread-safe.
 */
final class GroupOwners {

    /** Nobody has the group: it was never opened, or it is lost. */
    static final Place NOBODY = new Place(null, false);

    private final ClusterDirectory directory;

    /**
     * Where requests on a group go.
     *
     * @param owner null when nobody has the group
     * @param open whether nobody has the group, and this storage peer should open it
     */
    record Place(@Nullable Owner owner, boolean open) {}

    GroupOwners(ClusterDirectory directory) {
        this.directory = directory;
    }

    /** Returns the chunk by which the owner of a group is looked up. */
    static long cidOf(int group) {
        return Cid.firstOf(SlotGroup.nid(group));
    }

    /**
     * Finds the owner of a group.
     *
     * @param open whether somebody should open the group if nobody has it
     */
    CompletableFuture<Place> find(int group, boolean open, long timeoutNanos) {
        long cid = cidOf(group);
        Owner cached = directory.cachedOwner(cid);
        if (cached != null) {
            return CompletableFuture.completedFuture(new Place(cached, false));
        }
        return directory
                .owner(cid, timeoutNanos)
                .thenApply(owner -> new Place(owner, false))
                .exceptionallyCompose(failure -> switch (Futures.causeOf(failure)) {
                    case ChunkNotFoundException _, ChunkLostException _ ->
                        open ? findOpener(group, timeoutNanos) : CompletableFuture.completedFuture(NOBODY);
                    case Throwable other -> CompletableFuture.failedFuture(other);
                });
    }

    private CompletableFuture<Place> findOpener(int group, long timeoutNanos) {
        int nid = SlotGroup.nid(group);
        return directory
                .askSuperPeer(nid, MessageType.OPEN_SLOT_GROUP, new OpenSlotGroup(nid, 0, 0), timeoutNanos)
                .thenApply(place -> new Place(opener(group, place), true));
    }

    private static Owner opener(int group, SlotGroupPlace place) {
        HostAddress address = place.address();
        if (place.placement() != null) {
            throw again(group, "have been opened by another client");
        }
        if (place.nid() == Nid.NONE || address == null) {
            throw again(group, "have no storage peer that could own them at present");
        }
        return new Owner(place.nid(), address);
    }

    private static CompletionException again(int group, String why) {
        int first = SlotGroup.firstSlot(group);
        return new CompletionException(new Retry.AgainException(
                "the hash slots " + first + " to " + (first + SlotGroup.SLOTS - 1) + " " + why));
    }
}
