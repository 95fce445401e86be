package dev.granary.superpeer.state.arc;

import dev.granary.overlay.BackupZone;
import dev.granary.schema.Code;
import dev.granary.schema.I32;
import dev.granary.schema.RecordTypes;
import dev.granary.schema.U16;
import dev.granary.schema.U8;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * What changes the zones of an arc (ADR 0103, 0104).
 *
 * <pre>
 *  40 open zone            creator u16, owner u16, ownerEpoch i64, members, wanted u8
 *  41 change copies        zone i32, owner u16, ownerEpoch i64, expectedEpoch i64, dropped list of u16, members,
 *                          wanted u8
 *  42 decide recoveries    creator u16, list of: zone i32, epoch i64, candidate u16, candidateEpoch i64,
 *                          lastSequence i64, members
 *  43 end recovery         zone i32, epoch i64, nid u16, nidEpoch i64, wanted u8
 *  44 restart recoveries   creator u16, list of: zone i32, epoch i64
 *  45 lose zones           creator u16, list of: zone i32, epoch i64
 *  46 close zones          creator u16, list of: zone i32, epoch i64
 *   members   list of: nid u16, epoch i64
 * </pre>
 */
public sealed interface ZoneCommand extends ArcCommand {

    /** All of them by their types. */
    RecordTypes<ZoneCommand> TYPES = RecordTypes.of("arc command", ZoneCommand.class);

    @Override
    default int type() {
        return TYPES.codeOf(this);
    }

    /** The smallest type. */
    int FIRST_TYPE = 40;

    /**
     * An owner needs a zone for what it takes over of a creator's chunks.
     *
     * @param members of the zone if it has to be made
     * @param wanted how many members it should have
     */
    @Code(40)
    record OpenZone(
            @U16 int creatorNid,
            @U16 int ownerNid,
            long ownerEpoch,
            List<ZoneMember> members,
            @U8 int wanted) implements ZoneCommand {
        public OpenZone {
            members = List.copyOf(members);
        }
    }

    /**
     * A zone that is served gets other members, if it is at the expected epoch and of the same owner. A member that is
     * added and is one already has filled its copy afresh.
     */
    @Code(41)
    record ChangeCopies(
            @I32 int zone,
            @U16 int ownerNid,
            long ownerEpoch,
            long expectedEpoch,
            List<@U16 Integer> dropped,
            List<ZoneMember> added,
            @U8 int wanted)
            implements ZoneCommand {
        public ChangeCopies {
            dropped = List.copyOf(dropped);
            added = List.copyOf(added);
        }
    }

    /**
     * What is decided about the recovery of a zone.
     *
     * @param epoch of its placement
     */
    record Decision(@I32 int zone, long epoch, ZoneRecord.Recovery recovery) {}

    /** Decisions, each if its zone is still at that epoch and nothing is decided yet. */
    @Code(42)
    record DecideRecoveries(@U16 int creatorNid, List<Decision> decisions) implements ZoneCommand {
        public DecideRecoveries {
            decisions = List.copyOf(decisions);
        }
    }

    /**
     * The candidate has a zone in memory: it becomes the owner, if it still is the candidate.
     *
     * @param epoch of the recovery
     */
    @Code(43)
    record EndRecovery(
            @I32 int zone,
            long epoch,
            @U16 int nid,
            long nidEpoch,
            @U8 int wanted) implements ZoneCommand {}

    /** A zone at an epoch of its placement. */
    record ZoneAt(@I32 int zone, long epoch) {}

    /** Recoveries begin afresh, with the next epoch, each if its zone is still at that epoch. */
    @Code(44)
    record RestartRecoveries(@U16 int creatorNid, List<ZoneAt> zones) implements ZoneCommand {
        public RestartRecoveries {
            zones = List.copyOf(zones);
        }
    }

    /** Zones that are being recovered are lost, each if it is still at that epoch. */
    @Code(45)
    record LoseZones(@U16 int creatorNid, List<ZoneAt> zones) implements ZoneCommand {
        public LoseZones {
            zones = List.copyOf(zones);
        }
    }

    /**
     * Zones that no range points to and no migration may bring one are no more,
     * each if it is still at that epoch (ADR 0126).
     */
    @Code(46)
    record CloseZones(@U16 int creatorNid, List<ZoneAt> zones) implements ZoneCommand {
        public CloseZones {
            zones = List.copyOf(zones);
        }
    }

    /** The incarnations that it names as present ones. */
    default List<ZoneMember> named() {
        return switch (this) {
            case OpenZone open -> {
                List<ZoneMember> named = new ArrayList<>(open.members);
                named.add(new ZoneMember(open.ownerNid, open.ownerEpoch));
                yield named;
            }
            case ChangeCopies change -> change.added;
            case DecideRecoveries decide ->
                decide.decisions.stream()
                        .map(each -> new ZoneMember(each.recovery.candidateNid(), each.recovery.candidateEpoch()))
                        .toList();
            case EndRecovery _, RestartRecoveries _, LoseZones _, CloseZones _ -> List.of();
        };
    }

    @Override
    default int position() {
        return switch (this) {
            case OpenZone open -> open.creatorNid;
            case ChangeCopies change -> BackupZone.creatorOf(change.zone);
            case DecideRecoveries decide -> decide.creatorNid;
            case EndRecovery end -> BackupZone.creatorOf(end.zone);
            case RestartRecoveries restart -> restart.creatorNid;
            case LoseZones lose -> lose.creatorNid;
            case CloseZones close -> close.creatorNid;
        };
    }
}
