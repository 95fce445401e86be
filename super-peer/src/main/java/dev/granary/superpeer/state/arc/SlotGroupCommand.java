package dev.granary.superpeer.state.arc;

import dev.granary.schema.Code;
import dev.granary.schema.RecordTypes;
import dev.granary.schema.U16;
import dev.granary.schema.U8;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ZoneMember;
import java.util.List;

/**
 * Changes the slot groups of an arc (ADR 0280).
 *
 * <pre>
 *  64 open slot group     group u16, owner u16, ownerEpoch i64, members, wanted u8
 *  65 extend slot group   group u16, owner u16, ownerEpoch i64, lidLimit i64, wantedLimit i64
 *   members   list of: nid u16, epoch i64
 * </pre>
 */
public sealed interface SlotGroupCommand extends ArcCommand {

    /** All of them by their types. */
    RecordTypes<SlotGroupCommand> TYPES = RecordTypes.of("arc command", SlotGroupCommand.class);

    @Override
    default int type() {
        return TYPES.codeOf(this);
    }

    /**
     * Opens a slot group that nobody has: a shared zone of the owner, and a range in it.
     *
     * @param groupNid the NID of the slot group
     * @param ownerNid the storage peer that is to own it
     * @param ownerEpoch of its incarnation
     * @param members of the new zone
     * @param wanted how many members the zone should have
     */
    @Code(64)
    record OpenSlotGroup(
            @U16 int groupNid,
            @U16 int ownerNid,
            long ownerEpoch,
            List<ZoneMember> members,
            @U8 int wanted) implements SlotGroupCommand {
        public OpenSlotGroup {
            members = List.copyOf(members);
        }
    }

    /**
     * Gives a slot group more LIDs.
     *
     * @param groupNid the NID of the slot group
     * @param ownerNid the storage peer that owns it
     * @param ownerEpoch of its incarnation
     * @param lidLimit the limit before; when the limit is another one, nothing changes
     * @param wantedLimit LIDs below this belong to the group from now on, but at most twice as many as before
     */
    @Code(65)
    record ExtendSlotGroup(@U16 int groupNid, @U16 int ownerNid, long ownerEpoch, long lidLimit, long wantedLimit)
            implements SlotGroupCommand {}

    /** Returns the NID of the slot group. */
    int groupNid();

    @Override
    default int position() {
        return groupNid();
    }
}
