package dev.granary.superpeer.state;

import dev.granary.overlay.HostAddress;
import dev.granary.schema.Nullable;
import dev.granary.schema.U16;
import java.util.UUID;

/**
 * What an arc knows for ever about a storage peer.
 *
 * @param nid its NID
 * @param diskId the disk that the NID belongs to; never changes
 * @param incarnation the process that may hold the lease
 * @param fencedIncarnation the incarnation before, which must never serve again; 0 when there was none
 * @param epoch the incarnation epoch: 1 for the first incarnation, one more for each later
 * @param firstLid the first LID of this incarnation; the chunks below it were of earlier ones and are lost
 * @param lidLimit LIDs below this are reserved for this incarnation or were for earlier ones
 * @param closed whether this incarnation has given its lease back, or has ended
 * @param parked whether this incarnation is parked: it has stopped for a while and nobody takes its place
 * @param dumpId the number of the dump that it was parked with, or has resumed from, 0 for none
 * @param name for people
 * @param address where it serves the binary protocol
 * @param httpAddress where it serves HTTP
 * @param capacityBytes size of its chunk memory
 * @param machine the label of the machine that it runs on, empty for none
 * @param failureZone the label of the failure zone that it runs in, empty for none
 * @param redisAddress where it serves Redis clients, null when it does not
 */
public record PeerRecord(
        @U16 int nid,
        UUID diskId,
        long incarnation,
        long fencedIncarnation,
        long epoch,
        long firstLid,
        long lidLimit,
        boolean closed,
        boolean parked,
        long dumpId,
        String name,
        HostAddress address,
        HostAddress httpAddress,
        long capacityBytes,
        String machine,
        String failureZone,
        @Nullable HostAddress redisAddress) {

    /** Returns the record of the same incarnation with what may change while it lives, such as addresses. */
    public PeerRecord at(PeerCommand.OpenPeer now) {
        return new PeerRecord(
                nid,
                diskId,
                incarnation,
                fencedIncarnation,
                epoch,
                firstLid,
                lidLimit,
                closed,
                parked,
                dumpId,
                now.name(),
                now.address(),
                now.httpAddress(),
                now.capacityBytes(),
                now.machine(),
                now.failureZone(),
                now.redisAddress());
    }

    public PeerRecord withLidLimit(long newLidLimit) {
        return with(incarnation, fencedIncarnation, newLidLimit, closed, parked, dumpId);
    }

    public PeerRecord withLeaseClosed() {
        return with(incarnation, fencedIncarnation, lidLimit, true, false, 0);
    }

    public PeerRecord parkedWith(long newDumpId) {
        return with(incarnation, fencedIncarnation, lidLimit, closed, true, newDumpId);
    }

    /**
     * Returns the record of a process that has resumed the parked one. It has the parked one's chunks and zones, and
     * the same incarnation epoch.
     */
    public PeerRecord resumed(PeerCommand.OpenPeer now) {
        return with(now.incarnation(), incarnation, lidLimit, false, false, dumpId)
                .at(now);
    }

    private PeerRecord with(
            long newIncarnation,
            long newFencedIncarnation,
            long newLidLimit,
            boolean nowClosed,
            boolean nowParked,
            long newDumpId) {
        return new PeerRecord(
                nid,
                diskId,
                newIncarnation,
                newFencedIncarnation,
                epoch,
                firstLid,
                newLidLimit,
                nowClosed,
                nowParked,
                newDumpId,
                name,
                address,
                httpAddress,
                capacityBytes,
                machine,
                failureZone,
                redisAddress);
    }
}
