package dev.granary.storage;

import dev.granary.env.Scheduler;
import dev.granary.overlay.Nid;
import dev.granary.storage.migrate.GroupMoves;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what the door says of owners up to date, and tells it of moves; tasks of the scheduler. The new owner
 * learns first: if the former one did, each would send clients to the other.
 */
final class AnnouncedMoves implements GroupMoves {

    /** The new owner of a slot group is told well within this time. */
    private static final long KNOWN_NANOS = 100_000_000;

    private final Scheduler scheduler;
    private final Supplier<@Nullable NodeParts> parts;
    private volatile GroupMoves learner = GroupMoves.NOBODY;

    /** @param parts returns null before the node listens */
    AnnouncedMoves(Scheduler scheduler, Supplier<@Nullable NodeParts> parts) {
        this.scheduler = scheduler;
        this.parts = parts;
    }

    /** Names who learns of slot groups that leave. Called before the node starts. */
    void tell(GroupMoves told) {
        learner = told;
    }

    @Override
    public void begun(int group) {
        learner.begun(group);
    }

    @Override
    public void ended(int group, int ownerNid, long epoch) {
        if (ownerNid == Nid.NONE) {
            learner.ended(group, ownerNid, epoch);
            return;
        }
        scheduler.schedule(KNOWN_NANOS, () -> {
            learn(group, ownerNid, epoch);
            learner.ended(group, ownerNid, epoch);
        });
    }

    @Override
    public void came(int group, long epoch) {
        NodeParts known = parts.get();
        if (known != null) {
            learn(group, known.identity().nid(), epoch);
        }
        learner.came(group, epoch);
    }

    private void learn(int group, int ownerNid, long epoch) {
        NodeParts known = parts.get();
        if (known != null) {
            known.keyed().moved(group, ownerNid, epoch);
        }
    }
}
