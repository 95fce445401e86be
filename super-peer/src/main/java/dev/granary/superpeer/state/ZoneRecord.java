package dev.granary.superpeer.state;

import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.schema.Nullable;
import dev.granary.schema.U16;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What an arc knows of a zone (ADR 0103).
 *
 * @param placement of the zone and of all its ranges
 * @param ownerEpoch of the owner's incarnation, 0 while there is no owner
 * @param memberEpochs of the members' incarnations, in the order of the placement's backups
 * @param shared whether the zone was made for chunks that were migrated, and not for reserved LIDs
 * @param open whether the owner logs in this zone the chunks of the creator that it takes over
 * @param alone whether the owner has recovered the zone and the zone has had no member since: then the copy from which
 *     the owner recovered it is the last one (ADR 0125)
 * @param spares copies for when those of the members cannot be read, null when there are none (ADR 0229)
 * @param recovery the decision about the zone's recovery, null while there is none
 */
public record ZoneRecord(
        Placement placement,
        long ownerEpoch,
        List<Long> memberEpochs,
        boolean shared,
        boolean open,
        boolean alone,
        @Nullable SpareCopies spares,
        @Nullable Recovery recovery) {

    /**
     * Which storage peer recovers a zone, and from which copies. The old members stay in the placement until the
     * recovery has ended (SAFETY rule "recovery").
     *
     * @param candidateNid the recovery candidate, which replays a copy and becomes the owner
     * @param candidateEpoch of its incarnation
     * @param lastSequence batches behind it were never acknowledged and do not count
     * @param leastEpoch the lowest zone epoch at which one of the copies that count was opened
     * @param kept the members whose copies count
     */
    public record Recovery(
            @U16 int candidateNid, long candidateEpoch, long lastSequence, long leastEpoch, List<ZoneMember> kept) {

        public Recovery {
            kept = List.copyOf(kept);
        }
    }

    /** Copies the epochs. */
    public ZoneRecord {
        memberEpochs = List.copyOf(memberEpochs);
        if (memberEpochs.size() != placement.backupCount()) {
            throw new IllegalArgumentException(memberEpochs.size() + " epochs for the members of " + placement);
        }
    }

    /** Returns the id of the zone. */
    public int id() {
        return placement.zone();
    }

    /** Returns the NID of the creator of the zone's chunks. */
    public int creatorNid() {
        return BackupZone.creatorOf(id());
    }

    /** Whether the zone has no owner and a recovery is to give it one. */
    public boolean isRecovering() {
        return placement.state() == PlacementState.RECOVERING;
    }

    /**
     * Returns the zone epoch at which the zone gets its next owner; its copies are sealed at this epoch, too. Each new
     * attempt of the recovery has a higher one.
     */
    public long recoveryEpoch() {
        return placement.epoch() + 1;
    }

    /** Returns the members with their incarnation epochs, in order. */
    public List<ZoneMember> members() {
        ZoneMember[] members = new ZoneMember[memberEpochs.size()];
        for (int i = 0; i < members.length; i++) {
            members[i] = new ZoneMember(placement.backup(i), memberEpochs.get(i));
        }
        return List.of(members);
    }

    /**
     * Returns a zone that an owner serves with these members. Their wanted number decides whether the placement is in
     * sync or degraded.
     */
    public static ZoneRecord served(
            int zone,
            long epoch,
            ZoneMember owner,
            List<ZoneMember> members,
            int wanted,
            boolean shared,
            boolean open) {
        PlacementState state = members.size() < wanted ? PlacementState.DEGRADED : PlacementState.IN_SYNC;
        return new ZoneRecord(
                new Placement(owner.nid(), nids(members), epoch, zone, state),
                owner.epoch(),
                members.stream().map(ZoneMember::epoch).toList(),
                shared,
                open,
                false,
                null,
                null);
    }

    /**
     * Returns this zone with other members, at the next zone epoch. Its spare copies stay until it has as many members
     * as are wanted.
     */
    public ZoneRecord changed(List<ZoneMember> members, int wanted) {
        ZoneMember owner = new ZoneMember(placement.owner(), ownerEpoch);
        ZoneRecord next = served(id(), placement.epoch() + 1, owner, members, wanted, shared, open);
        return spares == null ? next : next.withSpares(spares.without(next.memberNids()));
    }

    private Set<Integer> memberNids() {
        return Arrays.stream(placement.backups()).boxed().collect(Collectors.toSet());
    }

    private ZoneRecord withSpares(@Nullable SpareCopies kept) {
        boolean whole = placement.state() == PlacementState.IN_SYNC;
        return new ZoneRecord(placement, ownerEpoch, memberEpochs, shared, open, alone, whole ? null : kept, recovery);
    }

    /**
     * Returns a zone that its owner has recovered and serves with these members. Without any member the owner's own log
     * is the last copy, and the owner takes no writes, however many members are wanted.
     */
    public static ZoneRecord recovered(ZoneRecord before, ZoneMember owner, List<ZoneMember> members, int wanted) {
        boolean alone = members.isEmpty();
        ZoneRecord served = served(
                before.id(),
                before.recoveryEpoch(),
                owner,
                members,
                alone ? Math.max(1, wanted) : wanted,
                before.shared,
                false);
        ZoneRecord recovered = new ZoneRecord(
                served.placement, served.ownerEpoch, served.memberEpochs, before.shared, false, alone, null, null);
        return recovered.withSpares(SpareCopies.after(before, recovered.memberNids()));
    }

    /**
     * Returns this zone without an owner, at the next zone epoch. The log of an owner that was alone becomes a copy
     * like that of a member.
     */
    public ZoneRecord recovering() {
        int[] backups = alone ? new int[] {placement.owner()} : placement.backups();
        List<Long> epochs = alone ? List.of(ownerEpoch) : memberEpochs;
        Placement next = new Placement(Nid.NONE, backups, placement.epoch() + 1, id(), PlacementState.RECOVERING);
        ZoneRecord recovering = new ZoneRecord(next, 0, epochs, shared, false, false, null, null);
        return spares == null ? recovering : recovering.withSpares(spares.without(recovering.memberNids()));
    }

    /** Returns this zone with a decision about its recovery. */
    public ZoneRecord decided(Recovery decision) {
        return new ZoneRecord(placement, ownerEpoch, memberEpochs, shared, open, alone, spares, decision);
    }

    /** Returns this zone as lost, at the next zone epoch. */
    public ZoneRecord lost() {
        Placement next = new Placement(Nid.NONE, new int[0], placement.epoch() + 1, id(), PlacementState.LOST);
        return new ZoneRecord(next, 0, List.of(), shared, false, false, null, null);
    }

    /** Returns this zone at a higher zone epoch. */
    public ZoneRecord at(long epoch) {
        Placement next = new Placement(placement.owner(), placement.backups(), epoch, id(), placement.state());
        return new ZoneRecord(next, ownerEpoch, memberEpochs, shared, open, alone, spares, recovery);
    }

    public ZoneRecord opened() {
        return new ZoneRecord(placement, ownerEpoch, memberEpochs, shared, true, alone, spares, recovery);
    }

    private static int[] nids(List<ZoneMember> members) {
        return members.stream().mapToInt(ZoneMember::nid).toArray();
    }
}
