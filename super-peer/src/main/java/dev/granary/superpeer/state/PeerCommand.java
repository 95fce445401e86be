package dev.granary.superpeer.state;

import dev.granary.overlay.HostAddress;
import dev.granary.schema.Code;
import dev.granary.schema.RecordTypes;
import dev.granary.schema.U16;
import java.util.List;
import java.util.UUID;

/**
 * What changes what an arc knows of its storage peers.
 *
 * <pre>
 *  16 open peer       nid u16, diskId, incarnation i64, name, address, httpAddress, capacityBytes i64, lidCount i64,
 *                      machine, failureZone, list of new zones, resumeDump i64
 *  17 reserve LIDs    nid u16, incarnation i64, fromLid i64, lidLimit i64, list of new zones
 *  18 close lease     nid u16, incarnation i64
 *  19 lease length    leaseNanos i64
 *  20 park            nid u16, incarnation i64, dumpId i64
 *  21 restore creator nid u16, incarnation i64, lidMark i64, backup i64
 *  22 end restore     nid u16
 *   new zone          lids i64, list of: nid u16, epoch i64, wanted u8
 * </pre>
 */
public sealed interface PeerCommand extends ArcCommand {

    /** All of them by their types. */
    RecordTypes<PeerCommand> TYPES = RecordTypes.of("arc command", PeerCommand.class);

    @Override
    default int type() {
        return TYPES.codeOf(this);
    }

    /**
     * A storage peer's incarnation is admitted, and gets its first block of LIDs when it is new.
     *
     * @param nid its NID
     * @param diskId the disk that the NID belongs to
     * @param incarnation of the process, not 0
     * @param name for people
     * @param address where it serves the binary protocol
     * @param httpAddress where it serves HTTP
     * @param capacityBytes size of its chunk memory
     * @param lidCount the number of LIDs to reserve for a new incarnation, at least 1
     * @param machine the label of the machine that it runs on, empty for none
     * @param failureZone the label of the failure zone that it runs in, empty for none
     * @param zones for these LIDs, one behind the other
     * @param resumeDump the dump of a parked incarnation that this one has, 0 for none
     */
    @Code(16)
    record OpenPeer(
            @U16 int nid,
            UUID diskId,
            long incarnation,
            String name,
            HostAddress address,
            HostAddress httpAddress,
            long capacityBytes,
            long lidCount,
            String machine,
            String failureZone,
            List<NewZone> zones,
            long resumeDump)
            implements PeerCommand {
        public OpenPeer {
            zones = List.copyOf(zones);
        }
    }

    /**
     * More LIDs are reserved for an incarnation.
     *
     * @param nid its NID
     * @param incarnation of the process
     * @param fromLid the limit so far; with another one nothing changes
     * @param lidLimit LIDs below it are reserved from now on; a lower one than before changes nothing
     * @param zones for the LIDs from the limit so far on, one behind the other
     */
    @Code(17)
    record ReserveLids(@U16 int nid, long incarnation, long fromLid, long lidLimit, List<NewZone> zones)
            implements PeerCommand {
        public ReserveLids {
            zones = List.copyOf(zones);
        }
    }

    /** An incarnation serves nothing any more: it has given its lease back, or its lease has ended. */
    @Code(18)
    record CloseLease(@U16 int nid, long incarnation) implements PeerCommand {}

    /** An incarnation has stopped for a while, with its memory on its disk: nobody takes its place. */
    @Code(20)
    record Park(@U16 int nid, long incarnation, long dumpId) implements PeerCommand {}

    /**
     * No lease longer than this is out from now on. Committed before longer leases are granted, and when all longer
     * ones have surely ended, so that the wait after a restart is never shorter than a lease that is still out.
     */
    @Code(19)
    record SetLeaseLength(long leaseNanos) implements PeerCommand {}

    /**
     * What a creator made in another cluster, below a mark, comes out of a backup from now on (ADR 0140).
     *
     * @param incarnation of its storage peer, which is empty and ends by this; 0 when there never was one
     * @param backup the backup's fingerprint, not 0
     */
    @Code(21)
    record RestoreCreator(@U16 int nid, long incarnation, long lidMark, long backup) implements PeerCommand {}

    /** Nothing more of a creator's chunks comes out of the backup: what has not come is lost. */
    @Code(22)
    record EndRestore(@U16 int nid) implements PeerCommand {}

    @Override
    default int position() {
        return switch (this) {
            case OpenPeer open -> open.nid;
            case ReserveLids reserve -> reserve.nid;
            case CloseLease close -> close.nid;
            case SetLeaseLength _ -> 0;
            case Park park -> park.nid;
            case RestoreCreator restore -> restore.nid;
            case EndRestore end -> end.nid;
        };
    }
}
