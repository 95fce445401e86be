package dev.granary.net.cluster;

import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which super-peer to ask about an arc: the one that answered last, and after a failure the next one that
 * knows the arc. For a caller that asks about the same arc again and again. Used by tasks of one scheduler.
 */
public final class ArcRoute {

    private final Supplier<@Nullable Ring> ring;
    private @Nullable Target answering;
    private int turn;

    public ArcRoute(Supplier<@Nullable Ring> ring) {
        this.ring = ring;
    }

    /**
     * Returns the super-peer to ask next.
     *
     * @param nid a NID in the arc
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

    /** Notes that a super-peer has answered. If another one had named it, it is asked first from now on. */
    public void answered(int nid, Target by) {
        if (!by.equals(target(nid))) {
            answering = by;
        }
    }

    /**
     * Notes that a super-peer, and the one that it named, refused or did not answer. Several requests may have begun
     * with the same super-peer at once. Only the first of their failures leads to the next one; otherwise three
     * failures would skip two super-peers that answer, and lead back to the first.
     *
     * @param asked what {@link #target} returned for this request
     */
    public void failed(int nid, Target asked) {
        if (asked.equals(target(nid))) {
            answering = null;
            turn++;
        }
    }
}
