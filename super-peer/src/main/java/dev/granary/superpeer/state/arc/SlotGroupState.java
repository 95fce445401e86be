package dev.granary.superpeer.state.arc;

import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcPart;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The slot groups of an arc: creators of chunks without a node (ADR 0280). What is known of a group is its range and
 * its zone, which {@link RangeState} keeps, so that this part adds nothing to a snapshot.
 *
 * <p>Invariants: (1) a group that was opened is one range from LID 1 on, with one owner; (2) the limit of its LIDs
 * never falls; (3) only a group that nobody has is opened, and its epoch is higher than any before.
 */
final class SlotGroupState implements ArcPart {

    private final RangeState ranges;

    /** @param ranges keeps the ranges and zones of the groups */
    SlotGroupState(RangeState ranges) {
        this.ranges = ranges;
    }

    @Override
    public int id() {
        return 4;
    }

    /** Returns the range of a slot group; null when it was never opened, or the NID is none of a group. */
    @Nullable
    CidRange find(int groupNid) {
        return SlotGroup.isGroup(groupNid) ? ranges.find(Cid.firstOf(groupNid)) : null;
    }

    /** Returns the ranges of all slot groups that were ever opened, ascending. */
    List<CidRange> all() {
        List<CidRange> found = new ArrayList<>();
        for (int group = 0; group < SlotGroup.COUNT; group++) {
            CidRange range = find(SlotGroup.nid(group));
            if (range != null) {
                found.add(range);
            }
        }
        found.sort((left, right) -> Cid.compare(left.startCid(), right.startCid()));
        return found;
    }

    /** Returns the limit of a group with this range: LIDs below it belong to the group. */
    static long limitOf(CidRange range) {
        return Cid.lid(range.endCidInclusive()) + 1;
    }

    @Override
    public ArcCommand readCommand(int type, ByteBuf in) {
        return RecordBytes.read(SlotGroupCommand.TYPES, type, in);
    }

    @Override
    public ArcResult apply(ArcCommand command) {
        return switch (command) {
            case SlotGroupCommand.OpenSlotGroup open -> open(open);
            case SlotGroupCommand.ExtendSlotGroup extend -> extend(extend);
            default -> throw new IllegalArgumentException("not a command of slot groups: " + command);
        };
    }

    private ArcResult open(SlotGroupCommand.OpenSlotGroup command) {
        int group = command.groupNid();
        ZoneMember owner = new ZoneMember(command.ownerNid(), command.ownerEpoch());
        ranges.named(owner);
        command.members().forEach(ranges::named);
        CidRange known = find(group);
        if (known != null && known.placement().state() != PlacementState.LOST) {
            return result(known);
        }
        if (!ranges.isPresent(owner)) {
            return new RangeResult.NotNow("this incarnation of the owner has ended");
        }
        if (ranges.zones().numbersLeft(group) == 0) {
            return new RangeResult.NotNow(PeerState.outOfNumbersMessage(group));
        }
        long epoch = known == null ? 1 : known.placement().epoch() + 1;
        ZoneRecord zone = ranges.zones().make(group, epoch, owner, command.members(), command.wanted(), true);
        if (known == null) {
            ranges.insert(Cid.firstOf(group), Cid.of(group, SlotGroup.FIRST_LIDS), zone.placement());
        } else {
            // What was lost stays lost, but its LIDs are the group's: the limit never falls.
            ranges.place(known, zone.placement());
            ranges.zones().dropUnused(group);
        }
        return result(group);
    }

    private ArcResult extend(SlotGroupCommand.ExtendSlotGroup command) {
        int group = command.groupNid();
        ZoneMember owner = new ZoneMember(command.ownerNid(), command.ownerEpoch());
        CidRange known = find(group);
        if (known == null || known.placement().owner() != owner.nid() || !isOwned(known.placement(), owner)) {
            return new RangeResult.NotNow("storage peer " + Nid.toHex(owner.nid()) + " does not own the slot group "
                    + Nid.toHex(group) + " in this incarnation");
        }
        long limit = limitOf(known);
        long next = Math.min(command.wantedLimit(), 1 + Math.min(2 * (limit - 1), SlotGroup.MAX_LIDS));
        if (command.lidLimit() != limit || next <= limit) {
            return result(known);
        }
        if (ranges.migrations().overlapsRunning(known.startCid(), known.endCidInclusive())) {
            // The new LIDs would stay with the source when the others have gone.
            return new RangeResult.NotNow("slot group " + Nid.toHex(group) + " is on its way to another storage peer");
        }
        ranges.insert(Cid.of(group, limit), Cid.of(group, next - 1), known.placement());
        return result(group);
    }

    private boolean isOwned(Placement placement, ZoneMember owner) {
        ZoneRecord zone = ranges.zones().find(placement.zone());
        return ranges.isPresent(owner) && (zone == null || zone.ownerEpoch() == owner.epoch());
    }

    private RangeResult.Group result(int group) {
        CidRange now = find(group);
        if (now == null) {
            throw new IllegalStateException("slot group " + Nid.toHex(group) + " has no range");
        }
        return result(now);
    }

    private static RangeResult.Group result(CidRange range) {
        return new RangeResult.Group(range.placement(), limitOf(range));
    }

    /** Writes nothing: ranges and zones are in the part of {@link RangeState}. */
    @Override
    public void write(Arc within, ByteBuf out) {}

    @Override
    public void read(ByteBuf in) {}

    @Override
    public void remove(Arc within) {}
}
