package dev.granary.overlay;

import dev.granary.schema.U16;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The ring of super-peers at one epoch. Immutable, compared by value. Each super-peer is responsible for the NIDs
 * between its predecessor (exclusive) and itself (inclusive); all know each other, so that every lookup is one hop.
 * Source: "CID ranges" paper, section 2.2.
 *
 * <p>Invariants: (1) there is at least one member; (2) members are sorted by NID and no NID is there twice.
 *
 * @param clusterId minted once, when the cluster was bootstrapped
 * @param epoch rises by one with each change, from 1
 * @param expectedSize the number of super-peers that the ring is to have, 1..32768
 * @param formed whether all super-peers for which it was founded have joined; storage peers are admitted only then
 * @param members sorted by NID; given in any order
 */
public record Ring(UUID clusterId, long epoch, @U16 int expectedSize, boolean formed, List<RingMember> members) {

    /** The number of super-peers that know an arc: its owner and the next two of the ring. */
    public static final int HOLDERS_PER_ARC = 3;

    /** Sorts and copies the members and checks the invariants. */
    public Ring {
        members = members.stream()
                .sorted(Comparator.comparingInt(RingMember::nid))
                .toList();
        if (epoch < 1) {
            throw new IllegalArgumentException("ring epoch " + epoch + " is less than 1");
        }
        if (expectedSize < 1 || expectedSize > Nid.NODES_PER_ROLE) {
            throw new IllegalArgumentException(
                    "expected ring size " + expectedSize + " is not in 1.." + Nid.NODES_PER_ROLE);
        }
        if (members.isEmpty()) {
            throw new IllegalArgumentException("a ring without members");
        }
        int previousNid = Nid.NONE;
        for (RingMember member : members) {
            if (member.nid() == previousNid) {
                throw new IllegalArgumentException("NID " + Nid.toHex(previousNid) + " is on the ring twice");
            }
            previousNid = member.nid();
        }
    }

    /** The member that is responsible for a NID: the first at or after it on the ring. */
    public RingMember ownerOf(int nid) {
        Nid.requireValid(nid);
        for (RingMember member : members) {
            if (member.nid() >= nid) {
                return member;
            }
        }
        return members.getFirst();
    }

    /** The member with this NID. */
    public Optional<RingMember> member(int nid) {
        return members.stream().filter(member -> member.nid() == nid).findFirst();
    }

    /**
     * The members that know the arc of a NID: the responsible one first, then the next two of the ring. Callers ask the
     * next one when one is silent.
     */
    public List<RingMember> holdersOf(int nid) {
        int first = members.indexOf(ownerOf(nid));
        List<RingMember> holders = new ArrayList<>();
        for (int i = 0; i < Math.min(HOLDERS_PER_ARC, members.size()); i++) {
            holders.add(members.get((first + i) % members.size()));
        }
        return holders;
    }

    /** Whether a super-peer is one of {@link #holdersOf} a NID; one that is not on this ring never is. */
    public boolean isHolder(int superPeerNid, int nid) {
        int first = members.indexOf(ownerOf(nid));
        for (int i = 0; i < Math.min(HOLDERS_PER_ARC, members.size()); i++) {
            if (members.get((first + i) % members.size()).nid() == superPeerNid) {
                return true;
            }
        }
        return false;
    }

    /**
     * What a member is responsible for.
     *
     * @throws IllegalArgumentException when there is no member with this NID
     */
    public Arc arcOf(int nid) {
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i).nid() == nid) {
                int predecessor = i == 0 ? members.size() - 1 : i - 1;
                return new Arc(members.get(predecessor).nid(), nid);
            }
        }
        throw new IllegalArgumentException("NID " + nid + " is not on the ring");
    }

    /** The ring of the next epoch with a member added, or with the addresses and name of a known member replaced. */
    public Ring withMember(RingMember member) {
        List<RingMember> next = new ArrayList<>(members);
        next.removeIf(known -> known.nid() == member.nid());
        next.add(member);
        return new Ring(clusterId, epoch + 1, expectedSize, formed, next);
    }
}
