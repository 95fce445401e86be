package dev.granary.superpeer.state;

import dev.granary.overlay.HostAddress;
import dev.granary.schema.Code;
import dev.granary.schema.Nullable;
import dev.granary.schema.RecordTypes;
import dev.granary.schema.U16;
import java.util.List;
import java.util.UUID;

/**
 * Changes what an arc knows of its storage peers.
 *
 * <pre>
 *  16 open peer       nid u16, diskId, incarnation i64, name, address, httpAddress, capacityBytes i64, lidCount i64,
 *                      machine, failureZone, list of new zones, resumeDump i64, optional redisAddress
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
     * Admits an incarnation of a storage peer. A new one gets its first block of LIDs.
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
     * @param zones for these LIDs, in ascending order
     * @param resumeDump the number of the dump of a parked incarnation that this one has loaded, 0 for none
     * @param redisAddress where it serves Redis clients, null when it does not
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
            long resumeDump,
            @Nullable HostAddress redisAddress)
            implements PeerCommand {
        public OpenPeer {
            zones = List.copyOf(zones);
        }
    }

    /**
     * Reserves more LIDs for an incarnation.
     *
     * @param nid its NID
     * @param incarnation of the process
     * @param fromLid the limit before; when the limit is another one, nothing changes
     * @param lidLimit LIDs below this are reserved from now on; a lower limit than before changes nothing
     * @param zones for the LIDs from the limit before on, in ascending order
     */
    @Code(17)
    record ReserveLids(@U16 int nid, long incarnation, long fromLid, long lidLimit, List<NewZone> zones)
            implements PeerCommand {
        public ReserveLids {
            zones = List.copyOf(zones);
        }
    }

    /** Ends an incarnation: it has given its lease back, or its lease has ended. */
    @Code(18)
    record CloseLease(@U16 int nid, long incarnation) implements PeerCommand {}

    /** Parks an incarnation, whose memory is in a dump on its disk: no other storage peer takes its place. */
    @Code(20)
    record Park(@U16 int nid, long incarnation, long dumpId) implements PeerCommand {}

    /**
     * Sets the length that no lease exceeds from now on. Committed before longer leases are granted, or once all longer
     * ones have surely ended. So the wait after a restart is never shorter than a lease that has not ended.
     */
    @Code(19)
    record SetLeaseLength(long leaseNanos) implements PeerCommand {}

    /**
     * Begins to restore the chunks below a mark that a creator made in another cluster (ADR 0140).
     *
     * @param incarnation of the creator's storage peer, which is empty and ends by this command; 0 when there never was
     *     one
     * @param backup the fingerprint of the cluster backup, not 0
     */
    @Code(21)
    record RestoreCreator(@U16 int nid, long incarnation, long lidMark, long backup) implements PeerCommand {}

    /** Ends the restore of a creator's chunks: those that have not come are lost. */
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
