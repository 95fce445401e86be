package dev.granary.storage.lease;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The ring that a storage peer knows, and the addresses to ask when it knows none. Used by tasks of one scheduler. */
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

    /** Takes over a ring, unless a newer one is known. */
    void update(Ring newer) {
        Ring known = ring;
        if (known == null || newer.epoch() > known.epoch()) {
            ring = newer;
        }
    }

    /** Notes the address of a super-peer that has contacted this peer; it is asked as well. */
    void heardOf(HostAddress superPeer) {
        heardOf = superPeer;
    }

    /** Returns the newest ring that is known, or null. */
    @Nullable
    Ring present() {
        return ring;
    }

    long epoch() {
        Ring known = ring;
        return known == null ? 0 : known.epoch();
    }

    /** Returns the super-peers that know the arc of a NID, the responsible one first; empty when no ring is known. */
    List<RingMember> holdersOf(int nid) {
        Ring known = ring;
        return known == null ? List.of() : known.holdersOf(nid);
    }

    /** Returns the next address of the seeds and members of the ring, in turn. */
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
