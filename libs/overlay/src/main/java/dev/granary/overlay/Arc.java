package dev.granary.overlay;

import dev.granary.schema.U16;

/**
 * A piece of the ring of 65,536 NIDs: what a super-peer is responsible for.
 *
 * @param fromExclusive the NID of the predecessor, not in the arc
 * @param toInclusive the NID of the super-peer itself, in the arc; when both are equal the arc is the whole ring
 */
public record Arc(@U16 int fromExclusive, @U16 int toInclusive) {

    /** Checks that both are NIDs. */
    public Arc {
        Nid.requireValid(fromExclusive);
        Nid.requireValid(toInclusive);
    }

    /** Whether the NID lies in the arc. */
    public boolean contains(int nid) {
        Nid.requireValid(nid);
        if (fromExclusive < toInclusive) {
            return nid > fromExclusive && nid <= toInclusive;
        }
        return nid > fromExclusive || nid <= toInclusive;
    }

    /** Whether all of another arc lies in this one. */
    public boolean contains(Arc other) {
        if (size() == Nid.RING_SIZE) {
            return true;
        }
        int begin = (other.fromExclusive - fromExclusive) & Nid.MAX;
        return begin + other.size() <= size();
    }

    /** Whether some place lies in both arcs. */
    public boolean overlaps(Arc other) {
        return contains(other.toInclusive) || other.contains(toInclusive);
    }

    /** The number of places on the ring, 1..65536. */
    public int size() {
        int distance = (toInclusive - fromExclusive) & Nid.MAX;
        return distance == 0 ? Nid.RING_SIZE : distance;
    }

    /** The arc as people see it, for instance {@code (0x8001, 0x0001]}. */
    @Override
    public String toString() {
        return "(" + Nid.toHex(fromExclusive) + ", " + Nid.toHex(toInclusive) + "]";
    }
}
