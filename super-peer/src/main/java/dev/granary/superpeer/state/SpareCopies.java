package dev.granary.superpeer.state;

import dev.granary.overlay.Placement;
import dev.granary.schema.U16;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies that a zone does not count on, but that are worth something if the copies of its members cannot be read
 * (ADR 0229): those of members that its last recovery left out, and the one from which its owner recovered it. They
 * stay on their disks until the zone has as many members as it should have.
 *
 * @param lastSequence the last batch of that recovery; what spare copies have above it was acknowledged to nobody, and
 *     what the zone has above it they lack
 * @param copies at most {@link #MAX_COPIES}, those that were left out last first
 */
public record SpareCopies(long lastSequence, List<Spare> copies) {

    static final int MAX_COPIES = 2 * Placement.MAX_BACKUPS;

    /**
     * A spare copy.
     *
     * @param nid the storage peer that has it
     * @param leastEpoch the copy counts if its backup opened it at this zone epoch or later; one with a lower epoch
     *     may have batches that an earlier recovery has cut
     */
    public record Spare(@U16 int nid, long leastEpoch) {}

    /** Copies the list. */
    public SpareCopies {
        copies = List.copyOf(copies);
    }

    /** Returns the storage peers with spare copies. */
    public List<Integer> nids() {
        return copies.stream().map(Spare::nid).toList();
    }

    /** Whether a storage peer has a spare copy, as far as is known. */
    public boolean isOn(int nid) {
        return copies.stream().anyMatch(spare -> spare.nid == nid);
    }

    /**
     * Returns the spare copies of a zone whose recovery ends now, null when there are none. Spare copies from before
     * stay if the recovery takes no batch that they lack.
     *
     * @param before the zone with the decision about its recovery
     * @param members of the zone from now on
     */
    static @Nullable SpareCopies after(ZoneRecord before, Set<Integer> members) {
        ZoneRecord.Recovery recovery = Objects.requireNonNull(before.recovery());
        List<Spare> spares = new ArrayList<>();
        before.members().forEach(member -> spares.add(new Spare(member.nid(), recovery.leastEpoch())));
        SpareCopies earlier = before.spares();
        if (earlier != null && recovery.lastSequence() <= earlier.lastSequence) {
            earlier.copies.stream()
                    .filter(spare -> spares.stream().noneMatch(each -> each.nid == spare.nid))
                    .forEach(spares::add);
        }
        return of(recovery.lastSequence(), spares, members);
    }

    /** Returns these without those whose peers have become members, null when none is left. */
    @Nullable
    SpareCopies without(Set<Integer> members) {
        return of(lastSequence, copies, members);
    }

    private static @Nullable SpareCopies of(long lastSequence, List<Spare> spares, Set<Integer> members) {
        List<Spare> left = spares.stream()
                .filter(spare -> !members.contains(spare.nid))
                .limit(MAX_COPIES)
                .toList();
        return left.isEmpty() ? null : new SpareCopies(lastSequence, left);
    }
}
