package dev.granary.storage.lease;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a storage peer knows about the ring, and whom to ask when that is not enough. Tasks of one scheduler. */
final class RingView {

    private final List<HostAddress> seeds;
    private @Nullable Ring ring;
    private @Nullable HostAddress heardOf;
    private int turn;

    RingView(List<HostAddress> seeds) {
        if (seeds.isEmpty()) {
            throw new IllegalArgumentException("a storage peer needs the address of a super-peer");
        }
        this.seeds = List.copyOf(seeds);
    }

    /** Takes a ring over unless a newer one is known. */
    void update(Ring newer) {
        Ring known = ring;
        if (known == null || newer.epoch() > known.epoch()) {
            ring = newer;
        }
    }

    /** A super-peer has shown itself: it is asked as well. */
    void heardOf(HostAddress superPeer) {
        heardOf = superPeer;
    }

    /** The newest ring that is known, or null. */
    @Nullable
    Ring present() {
        return ring;
    }

    long epoch() {
        Ring known = ring;
        return known == null ? 0 : known.epoch();
    }

    /** The super-peers that know the arc of a NID, the responsible one first; empty when no ring is known. */
    List<RingMember> holdersOf(int nid) {
        Ring known = ring;
        return known == null ? List.of() : known.holdersOf(nid);
    }

    /** Seeds and members of the ring in turn: another one with each call. */
    HostAddress next() {
        Set<HostAddress> all = new LinkedHashSet<>(seeds);
        Ring known = ring;
        if (known != null) {
            known.members().forEach(member -> all.add(member.address()));
        }
        if (heardOf != null) {
            all.add(heardOf);
        }
        List<HostAddress> candidates = new ArrayList<>(all);
        turn = turn % candidates.size();
        return candidates.get(turn++);
    }
}
