package dev.granary.net.cluster;

import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which super-peer to ask about an arc: the one that answered last; after a failure the next of those that
 * know the arc. For one who asks about the same arc again and again. Tasks of one scheduler.
 */
public final class ArcRoute {

    private final Supplier<@Nullable Ring> ring;
    private @Nullable Target answering;
    private int turn;

    public ArcRoute(Supplier<@Nullable Ring> ring) {
        this.ring = ring;
    }

    /**
     * The super-peer to ask next.
     *
     * @param nid whose arc it is
     * @throws IllegalStateException while no ring is known
     */
    public Target target(int nid) {
        Target last = answering;
        if (last != null) {
            return last;
        }
        Ring known = ring.get();
        if (known == null) {
            throw new IllegalStateException("the ring is asked for before it is known");
        }
        List<RingMember> holders = known.holdersOf(nid);
        return Target.of(holders.get(turn % holders.size()));
    }

    /** One has answered: it is asked from now on, if another one had named it. */
    public void answered(int nid, Target by) {
        if (!by.equals(target(nid))) {
            answering = by;
        }
    }

    /**
     * One has refused or was silent, and so was who it named. Several may have been asked at once, beginning with the
     * same one: only the first failure leads to the next,
     * or three failures would lead all of them past two that answer, and back.
     *
     * @param asked what {@link #target} said when it was asked
     */
    public void failed(int nid, Target asked) {
        if (asked.equals(target(nid))) {
            answering = null;
            turn++;
        }
    }
}
