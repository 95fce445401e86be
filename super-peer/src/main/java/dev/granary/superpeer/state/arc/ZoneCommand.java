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
 * Changes the zones of an arc (ADR 0103, 0104).
 *
 * <pre>
 *  40 open zone            creator u16, owner u16, ownerEpoch i64, members, wanted u8
 *  41 change copies        zone i32, owner u16, ownerEpoch i64, expectedEpoch i64, dropped list of u16, members,
 *                          wanted u8
 *  42 decide recoveries    creator u16, list of: zone i32, epoch i64, candidate u16, candidateEpoch i64,
 *                          lastSequence i64, leastEpoch i64, members
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
     * Opens a zone in which an owner logs the chunks of a creator that it takes over.
     *
     * @param members of the zone if it does not exist yet
     * @param wanted how many members the zone should have
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
     * Changes the members of a served zone, if the zone is at the expected zone epoch and has the same owner. A member
     * that is added again has filled its copy again.
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
     * The decision about the recovery of a zone.
     *
     * @param epoch the zone epoch
     */
    record Decision(@I32 int zone, long epoch, ZoneRecord.Recovery recovery) {}

    /** Takes decisions, each if its zone is still at that zone epoch and has no decision yet. */
    @Code(42)
    record DecideRecoveries(@U16 int creatorNid, List<Decision> decisions) implements ZoneCommand {
        public DecideRecoveries {
            decisions = List.copyOf(decisions);
        }
    }

    /**
     * Ends a recovery, as the recovery candidate has the zone in memory: it becomes the owner, if it still is the
     * candidate.
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

    /** A zone at a zone epoch. */
    record ZoneAt(@I32 int zone, long epoch) {}

    /** Restarts recoveries at the next zone epoch, each if its zone is still at that zone epoch. */
    @Code(44)
    record RestartRecoveries(@U16 int creatorNid, List<ZoneAt> zones) implements ZoneCommand {
        public RestartRecoveries {
            zones = List.copyOf(zones);
        }
    }

    /** Marks recovering zones as lost, each if it is still at that zone epoch. */
    @Code(45)
    record LoseZones(@U16 int creatorNid, List<ZoneAt> zones) implements ZoneCommand {
        public LoseZones {
            zones = List.copyOf(zones);
        }
    }

    /**
     * Closes zones that have no range and to which no migration may bring one, each if it is still at that zone epoch
     * (ADR 0126).
     */
    @Code(46)
    record CloseZones(@U16 int creatorNid, List<ZoneAt> zones) implements ZoneCommand {
        public CloseZones {
            zones = List.copyOf(zones);
        }
    }

    /** Returns the incarnations that this command names as present ones. */
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
