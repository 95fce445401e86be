package dev.granary.superpeer.state;

import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.schema.U16;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an arc knows of a zone (ADR 0103).
 *
 * @param placement who serves and logs it; that of all its ranges
 * @param ownerEpoch of the owner's incarnation, 0 while there is no owner
 * @param memberEpochs of the members' incarnations, in the order of the placement's backups
 * @param shared whether it was made for chunks that were migrated, and not for LIDs that were reserved
 * @param open whether its owner logs there what it takes over of this creator's chunks
 * @param alone whether its owner has recovered it and has had no member since:
 *     then the log from which it did is the last copy (ADR 0125)
 * @param recovery what was decided about its recovery, null while nothing is
 */
public record ZoneRecord(
        Placement placement,
        long ownerEpoch,
        List<Long> memberEpochs,
        boolean shared,
        boolean open,
        boolean alone,
        @Nullable Recovery recovery) {

    /**
     * Who recovers a zone, and from what. The old members stay in the placement until that is done (SAFETY rule
     * "recovery").
     *
     * @param candidateNid who replays its copy and becomes the owner
     * @param candidateEpoch of its incarnation
     * @param lastSequence changes behind it were never acknowledged and do not count
     * @param kept the members whose copies count
     */
    public record Recovery(@U16 int candidateNid, long candidateEpoch, long lastSequence, List<ZoneMember> kept) {

        public Recovery {
            kept = List.copyOf(kept);
        }

        public void write(ByteBuf out) {
            RecordBytes.write(this, out);
        }

        public static Recovery read(ByteBuf in) {
            return RecordBytes.read(Recovery.class, in);
        }
    }

    /** Copies the epochs. */
    public ZoneRecord {
        memberEpochs = List.copyOf(memberEpochs);
        if (memberEpochs.size() != placement.backupCount()) {
            throw new IllegalArgumentException(memberEpochs.size() + " epochs for the members of " + placement);
        }
    }

    /** The identifier. */
    public int id() {
        return placement.zone();
    }

    /** The NID of the peer that made the CIDs of its chunks. */
    public int creatorNid() {
        return BackupZone.creatorOf(id());
    }

    /** Whether the zone has no owner and is to get one. */
    public boolean isRecovering() {
        return placement.state() == PlacementState.RECOVERING;
    }

    /**
     * The epoch in which a zone that is recovered gets its next owner; its copies are sealed in it too. A zone that is
     * begun afresh has a higher one.
     */
    public long recoveryEpoch() {
        return placement.epoch() + 1;
    }

    /** The members with their incarnations, in order. */
    public List<ZoneMember> members() {
        ZoneMember[] members = new ZoneMember[memberEpochs.size()];
        for (int i = 0; i < members.length; i++) {
            members[i] = new ZoneMember(placement.backup(i), memberEpochs.get(i));
        }
        return List.of(members);
    }

    /** Served by an owner with these members; how many there should be decides the state. */
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
                null);
    }

    /**
     * Served by an owner that has recovered it, with these members. Without any its own log is the last copy, and it
     * takes no writes, whatever is wanted.
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
        return new ZoneRecord(
                served.placement, served.ownerEpoch, served.memberEpochs, before.shared, false, alone, null);
    }

    /** Without an owner from the next epoch on. The log of an owner that was alone is a copy like that of a member. */
    public ZoneRecord recovering() {
        int[] backups = alone ? new int[] {placement.owner()} : placement.backups();
        List<Long> epochs = alone ? List.of(ownerEpoch) : memberEpochs;
        Placement next = new Placement(Nid.NONE, backups, placement.epoch() + 1, id(), PlacementState.RECOVERING);
        return new ZoneRecord(next, 0, epochs, shared, false, false, null);
    }

    /** The same with a decision. */
    public ZoneRecord decided(Recovery decision) {
        return new ZoneRecord(placement, ownerEpoch, memberEpochs, shared, open, alone, decision);
    }

    /** Lost for good from the next epoch on. */
    public ZoneRecord lost() {
        Placement next = new Placement(Nid.NONE, new int[0], placement.epoch() + 1, id(), PlacementState.LOST);
        return new ZoneRecord(next, 0, List.of(), shared, false, false, null);
    }

    /** The same at a higher epoch. */
    public ZoneRecord at(long epoch) {
        Placement next = new Placement(placement.owner(), placement.backups(), epoch, id(), placement.state());
        return new ZoneRecord(next, ownerEpoch, memberEpochs, shared, open, alone, recovery);
    }

    public ZoneRecord opened() {
        return new ZoneRecord(placement, ownerEpoch, memberEpochs, shared, true, alone, recovery);
    }

    private static int[] nids(List<ZoneMember> members) {
        return members.stream().mapToInt(ZoneMember::nid).toArray();
    }

    public void write(ByteBuf out) {
        Fields.writePlacement(out, placement);
        out.writeLongLE(ownerEpoch);
        memberEpochs.forEach(out::writeLongLE);
        out.writeBoolean(shared).writeBoolean(open).writeBoolean(alone).writeBoolean(recovery != null);
        if (recovery != null) {
            recovery.write(out);
        }
    }

    public static ZoneRecord read(ByteBuf in) {
        Placement placement = Fields.readPlacement(in);
        long ownerEpoch = in.readLongLE();
        Long[] memberEpochs = new Long[placement.backupCount()];
        for (int i = 0; i < memberEpochs.length; i++) {
            memberEpochs[i] = in.readLongLE();
        }
        boolean shared = in.readBoolean();
        boolean open = in.readBoolean();
        boolean alone = in.readBoolean();
        Recovery recovery = in.readBoolean() ? Recovery.read(in) : null;
        return new ZoneRecord(placement, ownerEpoch, List.of(memberEpochs), shared, open, alone, recovery);
    }
}
