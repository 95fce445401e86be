package dev.granary.storage.door;

import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.door.notice.EndpointType;
import dev.granary.storage.door.notice.Notice;
import dev.granary.storage.door.notice.NoticeNumbers;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.door.state.RedirectMode;
import dev.granary.storage.keyed.SlotOwners;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells clients that have asked for it of planned maintenance (ADR 0313): those that know the cluster of slot groups
 * that leave this peer, the others of the end of this door. Thread-safe.
 */
final class Maintenance {

    /** How long a door serves after it has told its clients to go. They are told these whole seconds. */
    static final int MOVING_SECONDS = 5;

    /** So much longer, because notices take a moment to be written. */
    private static final long MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

    private final DoorState door;
    private final NoticeNumbers numbers = new NoticeNumbers();
    private final Loop looks;
    private final CompletableFuture<Void> left = new CompletableFuture<>();

    /** Ids of the clients that were told to go. */
    private final Set<Long> told = ConcurrentHashMap.newKeySet();

    private volatile long number;
    private volatile long endNanos;

    Maintenance(DoorState door, Scheduler scheduler) {
        this.door = door;
        this.looks = Loop.every(scheduler, "door-leaving", LOOK_NANOS, this::look);
    }

    /** A slot group begins to leave this peer. */
    void groupLeaves(int group) {
        tell(new Notice.SlotsMigrating(nextNumber(), group));
    }

    /**
     * The migration of a slot group from this peer has ended.
     *
     * @param ownerNid its owner, which is this peer if it has not left
     */
    void groupLeft(int group, int ownerNid) {
        HostAddress here = door.announced();
        SlotOwners.Door owner =
                ownerNid == door.owners().nid() ? null : door.owners().door(ownerNid);
        // A peer without a door is served for by any other one, such as this one.
        tell(new Notice.SlotsMigrated(nextNumber(), group, here, owner == null ? here : owner.address()));
    }

    private void tell(Notice notice) {
        for (Client client : door.clients().all()) {
            if (client.notices() != null) {
                client.link().notice(notice);
            }
        }
    }

    private long nextNumber() {
        return numbers.next(door.owners().nid(), door.clock().wallMillis());
    }

    /**
     * Tells clients that know no cluster to go elsewhere. Completes when they have gone, or when the time is over that
     * they were told; at once if there are none, or if there is no other door. Call it once.
     */
    CompletableFuture<Void> leave() {
        if (others().isEmpty() || !isAwaited()) {
            return CompletableFuture.completedFuture(null);
        }
        number = nextNumber();
        endNanos = door.clock().nanoTime() + TimeUnit.SECONDS.toNanos(MOVING_SECONDS) + MARGIN_NANOS;
        LOG.atInfo().log("Redis clients are told to go to other storage peers");
        looks.begin();
        return left;
    }

    /** Looks no more. */
    void stop() {
        looks.stop();
        left.complete(null);
    }

    private void look() {
        if (!isAwaited() || door.clock().nanoTime() - endNanos >= 0) {
            stop();
            return;
        }
        List<SlotOwners.Door> others = others();
        for (Client client : door.clients().all()) {
            EndpointType type = client.notices();
            // Also those that have come since the last look.
            if (type != null && told.add(client.id())) {
                client.link().notice(new Notice.Moving(number, endNanos, endpoint(type, client, others)));
            }
        }
    }

    private boolean isAwaited() {
        return door.clients().all().stream().anyMatch(client -> client.notices() != null && !client.aware());
    }

    private List<SlotOwners.Door> others() {
        int nid = door.owners().nid();
        return door.owners().doors().stream().filter(each -> each.nid() != nid).toList();
    }

    /** Each client is sent to another door than the one before it. */
    private @Nullable HostAddress endpoint(EndpointType type, Client client, List<SlotOwners.Door> others) {
        // Who never redirects has said that clients do not reach what is announced.
        return others.isEmpty() || door.config().redirect() == RedirectMode.NEVER
                ? null
                : type.seen(others.get((int) (client.id() % others.size())).address());
    }
}
