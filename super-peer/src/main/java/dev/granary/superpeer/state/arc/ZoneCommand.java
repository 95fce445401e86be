package dev.granary.superpeer.state.arc;

import dev.granary.overlay.BackupZone;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.Fields;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * What changes the zones of an arc (ADR 0103, 0104).
 *
 * <pre>
 *  40 open zone            creator u16, owner u16, ownerEpoch i64, wanted u8, members
 *  41 change copies        zone i32, owner u16, ownerEpoch i64, expectedEpoch i64, wanted u8, dropped list of u16, members
 *  42 decide recoveries    creator u16, list of: zone i32, epoch i64, candidate u16, candidateEpoch i64, lastSequence i64,
 *                          members
 *  43 end recovery         zone i32, epoch i64, nid u16, nidEpoch i64, wanted u8
 *  44 restart recoveries   creator u16, list of: zone i32, epoch i64
 *  45 lose zones           creator u16, list of: zone i32, epoch i64
 *  46 close zones          creator u16, list of: zone i32, epoch i64
 *   members   list of: nid u16, epoch i64
 * </pre>
 */
public sealed interface ZoneCommand extends ArcCommand {

    /** The smallest type. */
    int FIRST_TYPE = 40;

    /**
     * An owner needs a zone for what it takes over of a creator's chunks.
     *
     * @param members of the zone if it has to be made
     * @param wanted how many members it should have
     */
    record OpenZone(int creatorNid, int ownerNid, long ownerEpoch, List<ZoneMember> members, int wanted)
            implements ZoneCommand {
        public OpenZone {
            members = List.copyOf(members);
        }
    }

    /**
     * A zone that is served gets other members, if it is at the expected epoch and of the same owner. A member that is
     * added and is one already has filled its copy afresh.
     */
    record ChangeCopies(
            int zone,
            int ownerNid,
            long ownerEpoch,
            long expectedEpoch,
            List<Integer> dropped,
            List<ZoneMember> added,
            int wanted)
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
    record Decision(int zone, long epoch, ZoneRecord.Recovery recovery) {}

    /** Decisions, each if its zone is still at that epoch and nothing is decided yet. */
    record DecideRecoveries(int creatorNid, List<Decision> decisions) implements ZoneCommand {
        public DecideRecoveries {
            decisions = List.copyOf(decisions);
        }
    }

    /**
     * The candidate has a zone in memory: it becomes the owner, if it still is the candidate.
     *
     * @param epoch of the recovery
     */
    record EndRecovery(int zone, long epoch, int nid, long nidEpoch, int wanted) implements ZoneCommand {}

    /** A zone at an epoch of its placement. */
    record ZoneAt(int zone, long epoch) {}

    /** Recoveries begin afresh, with the next epoch, each if its zone is still at that epoch. */
    record RestartRecoveries(int creatorNid, List<ZoneAt> zones) implements ZoneCommand {
        public RestartRecoveries {
            zones = List.copyOf(zones);
        }
    }

    /** Zones that are being recovered are lost, each if it is still at that epoch. */
    record LoseZones(int creatorNid, List<ZoneAt> zones) implements ZoneCommand {
        public LoseZones {
            zones = List.copyOf(zones);
        }
    }

    /**
     * Zones that no range points to and no migration may bring one are no more, each if it is still at that epoch (ADR 0126).
     */
    record CloseZones(int creatorNid, List<ZoneAt> zones) implements ZoneCommand {
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
    default int type() {
        return switch (this) {
            case OpenZone _ -> 40;
            case ChangeCopies _ -> 41;
            case DecideRecoveries _ -> 42;
            case EndRecovery _ -> 43;
            case RestartRecoveries _ -> 44;
            case LoseZones _ -> 45;
            case CloseZones _ -> 46;
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

    @Override
    default void writeFields(ByteBuf out) {
        switch (this) {
            case OpenZone open -> {
                out.writeShortLE(open.creatorNid).writeShortLE(open.ownerNid).writeLongLE(open.ownerEpoch);
                out.writeByte(open.wanted);
                ZoneMember.write(out, open.members);
            }
            case ChangeCopies change -> {
                out.writeIntLE(change.zone).writeShortLE(change.ownerNid).writeLongLE(change.ownerEpoch);
                out.writeLongLE(change.expectedEpoch).writeByte(change.wanted);
                out.writeIntLE(change.dropped.size());
                change.dropped.forEach(out::writeShortLE);
                ZoneMember.write(out, change.added);
            }
            case DecideRecoveries decide -> {
                out.writeShortLE(decide.creatorNid).writeIntLE(decide.decisions.size());
                decide.decisions.forEach(decision -> {
                    out.writeIntLE(decision.zone).writeLongLE(decision.epoch);
                    decision.recovery.write(out);
                });
            }
            case EndRecovery end ->
                out.writeIntLE(end.zone)
                        .writeLongLE(end.epoch)
                        .writeShortLE(end.nid)
                        .writeLongLE(end.nidEpoch)
                        .writeByte(end.wanted);
            case RestartRecoveries restart -> writeZones(out, restart.creatorNid, restart.zones);
            case LoseZones lose -> writeZones(out, lose.creatorNid, lose.zones);
            case CloseZones close -> writeZones(out, close.creatorNid, close.zones);
        }
    }

    private static void writeZones(ByteBuf out, int creatorNid, List<ZoneAt> zones) {
        out.writeShortLE(creatorNid).writeIntLE(zones.size());
        zones.forEach(each -> out.writeIntLE(each.zone).writeLongLE(each.epoch));
    }

    private static List<ZoneAt> readZones(ByteBuf in) {
        return Fields.readList(in, each -> new ZoneAt(each.readIntLE(), each.readLongLE()));
    }

    /**
     * Reads what {@link #writeFields} wrote.
     *
     * @throws IllegalArgumentException when the type is unknown
     */
    static ZoneCommand read(int type, ByteBuf in) {
        return switch (type) {
            case 40 -> {
                int creator = in.readUnsignedShortLE();
                int owner = in.readUnsignedShortLE();
                long ownerEpoch = in.readLongLE();
                int wanted = in.readUnsignedByte();
                yield new OpenZone(creator, owner, ownerEpoch, ZoneMember.readList(in), wanted);
            }
            case 41 -> {
                int zone = in.readIntLE();
                int owner = in.readUnsignedShortLE();
                long ownerEpoch = in.readLongLE();
                long expected = in.readLongLE();
                int wanted = in.readUnsignedByte();
                List<Integer> dropped = Fields.readList(in, ByteBuf::readUnsignedShortLE);
                yield new ChangeCopies(zone, owner, ownerEpoch, expected, dropped, ZoneMember.readList(in), wanted);
            }
            case 42 ->
                new DecideRecoveries(
                        in.readUnsignedShortLE(),
                        Fields.readList(
                                in,
                                each -> new Decision(
                                        each.readIntLE(), each.readLongLE(), ZoneRecord.Recovery.read(each))));
            case 43 ->
                new EndRecovery(
                        in.readIntLE(),
                        in.readLongLE(),
                        in.readUnsignedShortLE(),
                        in.readLongLE(),
                        in.readUnsignedByte());
            case 44 -> new RestartRecoveries(in.readUnsignedShortLE(), readZones(in));
            case 45 -> new LoseZones(in.readUnsignedShortLE(), readZones(in));
            case 46 -> new CloseZones(in.readUnsignedShortLE(), readZones(in));
            default -> throw new IllegalArgumentException("arc command of the unknown type " + type);
        };
    }
}
