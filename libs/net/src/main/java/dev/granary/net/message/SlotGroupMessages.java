package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.schema.I32;
import dev.granary.schema.Nullable;
import dev.granary.schema.U16;
import java.util.List;

/**
 * Slot groups: opened and extended by owners at the arc of the group's NID, which lists them (ADR 0280); and their keys
 * that are asked for most, which their owners tell.
 */
public final class SlotGroupMessages {

    private SlotGroupMessages() {}

    /**
     * Asks a storage peer which of its keys are asked for most. Keys are data: the answer is for nobody but
     * administrators who may read all keys.
     *
     * @param most how many keys are told, at most {@link #MAX_HOT_KEYS}
     */
    public record AskHotKeys(@I32 int most) implements Message {}

    /** The most keys of one {@link HotKeyList}. */
    public static final int MAX_HOT_KEYS = 64;

    /**
     * The keys of a storage peer that are asked for most.
     *
     * @param keys the busiest first
     */
    public record HotKeyList(List<HotKey> keys) implements Message {

        /**
         * A key that is asked for much.
         *
         * @param key its first 1024 bytes, a character each
         * @param groupNid the NID of its slot group
         * @param perSecond how many requests read or change it in a second, estimated
         */
        public record HotKey(String key, @U16 int groupNid, long perSecond) {}

        public HotKeyList {
            keys = List.copyOf(keys);
        }
    }

    /**
     * Asks the arc of a slot group for the group, and opens it if nobody has it: if it was never opened, or is lost.
     * Opened is a shared zone with the LIDs 1 to 65,536 of the group, owned by the asking storage peer. The arc commits
     * that before it answers. A group that is served or recovering stays as it is. Answered with a
     * {@link SlotGroupPlace}.
     *
     * @param groupNid the NID of the slot group
     * @param ownerNid the storage peer that is to own it if nobody has it; 0 for none: then nothing is opened, and the
     *     answer says who should open it
     * @param ownerEpoch of the incarnation of that peer, 0 when there is none
     */
    public record OpenSlotGroup(@U16 int groupNid, @U16 int ownerNid, long ownerEpoch) implements Message {}

    /**
     * Who has a slot group.
     *
     * @param placement of its range and zone; null when nobody has the group, as it was never opened or is lost
     * @param lidLimit LIDs below it belong to the group; 0 when nobody has it
     * @param opened whether the owner has opened the zone, as the answer to such a question or for a migration; false
     *     when it has recovered the zone
     * @param nid the storage peer to go to: the owner, or the one that should open the group when nobody has it; 0
     *     while the group is recovering, or there is no storage peer that could open it
     * @param address where this storage peer serves the binary protocol; null when there is none, or its address is not
     *     known yet
     */
    public record SlotGroupPlace(
            @Nullable Placement placement,
            long lidLimit,
            boolean opened,
            @U16 int nid,
            @Nullable HostAddress address) implements Message {}

    /**
     * The owner of a slot group asks for more LIDs, in the group's zone. The arc commits them before it answers. Asking
     * again changes nothing, because the known limit is another one by then. Answered with {@link SlotGroupLimit}, or
     * with {@link ErrorCode#NOT_FOUND} when the asking storage peer does not own the group.
     *
     * @param groupNid the NID of the slot group
     * @param ownerNid the asking storage peer
     * @param ownerEpoch of its incarnation
     * @param lidLimit LIDs below it belong to the group, as far as the owner knows
     * @param wantedLimit LIDs below it are wanted; a group has at most twice as many LIDs as before, and at most 2^24
     */
    public record ExtendSlotGroup(
            @U16 int groupNid, @U16 int ownerNid, long ownerEpoch, long lidLimit, long wantedLimit)
            implements Message {}

    /**
     * The LIDs of a slot group as they are now.
     *
     * @param placement of the group's range and zone
     * @param lidLimit LIDs below it belong to the group
     */
    public record SlotGroupLimit(Placement placement, long lidLimit) implements Message {}

    /**
     * The slot groups in the arcs of which the answering super-peer has a copy that follows its group.
     *
     * @param groups by their NIDs, ascending; those that were ever opened
     */
    public record SlotGroupList(List<Group> groups) implements Message {

        /**
         * A slot group.
         *
         * @param groupNid its NID
         * @param ownerNid the storage peer that serves it, 0 for none
         * @param epoch of its placement; of two answers about a group that with the higher one is newer
         * @param state of its placement
         * @param lidLimit LIDs below it belong to the group
         * @param leads whether the answering super-peer leads the arc; its copy may be a little behind otherwise
         */
        public record Group(
                @U16 int groupNid, @U16 int ownerNid, long epoch, PlacementState state, long lidLimit, boolean leads) {}

        public SlotGroupList {
            groups = List.copyOf(groups);
        }
    }
}
