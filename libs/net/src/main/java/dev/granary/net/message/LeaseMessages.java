package dev.granary.net.message;

import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.WantedCopies;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.schema.Coded;
import dev.granary.schema.I32;
import dev.granary.schema.Nullable;
import dev.granary.schema.U16;
import dev.granary.schema.U8;
import java.util.List;
import java.util.UUID;

/** Leases and LIDs of a storage peer, from its arc; and what arcs report of storage peers. */
public final class LeaseMessages {

    private LeaseMessages() {}

    /**
     * A storage peer introduces its incarnation to its arc's super-peer and asks for a lease.
     *
     * @param nid its NID
     * @param diskId the disk that the NID belongs to
     * @param incarnation of the process; a new one means that the RAM of the former is gone
     * @param name for people
     * @param address where it serves the binary protocol
     * @param httpAddress where it serves HTTP
     * @param capacityBytes size of its chunk memory
     * @param machine the label of the machine that it runs on; copies of a zone are kept on different ones;
     *     empty for none
     * @param failureZone the label of the failure zone that it runs in, used in the same way; empty for none
     * @param resumeDump the dump of memory with which an earlier incarnation was parked and which this one has; 0 for
     *     none
     * @param redisAddress where it serves Redis clients; null when it does not
     */
    public record OpenLease(
            @U16 int nid,
            UUID diskId,
            long incarnation,
            String name,
            HostAddress address,
            HostAddress httpAddress,
            long capacityBytes,
            String machine,
            String failureZone,
            long resumeDump,
            @Nullable HostAddress redisAddress)
            implements Message {}

    /**
     * A lease is granted.
     *
     * @param leaseNanos how long it lasts, counted by the peer from the moment it sent the request
     * @param epoch of the peer's ranges, higher than that of any earlier incarnation
     * @param firstLid the first LID that this incarnation may give; all below were of earlier ones and their chunks are
     *     lost. After a resume it is that of the parked incarnation
     * @param lidLimit LIDs below it are reserved for this incarnation
     * @param wantedCopies how many in-sync backups a zone should have now, 0 when there is no other storage peer
     * @param resumed whether this incarnation takes the place of the parked one and has all that it had
     * @param ranges the reserved LIDs that this incarnation owns, with their zones, ascending
     */
    public record OpenLeaseReply(
            long leaseNanos,
            long epoch,
            long firstLid,
            long lidLimit,
            @U8 int wantedCopies,
            boolean resumed,
            List<CidRange> ranges)
            implements Message {

        public OpenLeaseReply {
            ranges = List.copyOf(ranges);
        }
    }

    /**
     * A storage peer renews its lease and reports.
     *
     * @param nid its NID
     * @param incarnation of the process
     * @param epoch of its ranges as it knows it
     * @param statistics what it holds
     */
    public record RenewLease(@U16 int nid, long incarnation, long epoch, PeerStatistics statistics)
            implements Message {}

    /**
     * A lease is renewed.
     *
     * @param leaseNanos how long it lasts, counted by the peer from the moment it sent the request
     * @param lidLimit LIDs below it are reserved
     * @param ringEpoch of the ring as the super-peer knows it; if it is higher than the peer's, the peer asks for the
     *     ring
     * @param wantedCopies how many in-sync backups a zone should have now, 0 when there is no other storage peer,
     *     {@link WantedCopies#UNKNOWN} when that is not known yet
     * @param zonesMark changes when zones that the peer owns in this arc have changed: then the peer asks by
     *     {@link ListZones}
     */
    public record RenewLeaseReply(
            long leaseNanos,
            long lidLimit,
            long ringEpoch,
            @U8 int wantedCopies,
            long zonesMark) implements Message {}

    /**
     * A storage peer stops in an orderly way: it no longer serves anything and gives its lease back.
     */
    public record CloseLease(@U16 int nid, long incarnation) implements Message {}

    /**
     * A storage peer asks for more LIDs before it gives them (SAFETY: the mark is reserved before use).
     *
     * @param nid its NID
     * @param incarnation of the process
     * @param knownLimit LIDs below it are known to the peer, with their zones
     * @param wantedLimit LIDs below it are wanted
     */
    public record ReserveLids(@U16 int nid, long incarnation, long knownLimit, long wantedLimit) implements Message {}

    /**
     * LIDs are reserved.
     *
     * @param lidLimit LIDs below it are reserved; at least what was wanted
     * @param wantedCopies how many in-sync backups a zone should have now, 0 when there is no other storage peer
     * @param ranges the reserved LIDs from the known limit on, with their zones, ascending
     */
    public record ReserveLidsReply(long lidLimit, @U8 int wantedCopies, List<CidRange> ranges) implements Message {

        public ReserveLidsReply {
            ranges = List.copyOf(ranges);
        }
    }

    /**
     * A storage peer tells its super-peer how busy it is and with what. Rates decay by half in about ten seconds.
     *
     * @param nid its NID
     * @param chunksPerSecond read or changed in all, with requests for keys
     * @param hot the chunks that are used most, the busiest first
     * @param ranges the ranges that are used most, the busiest first
     */
    public record ReportLoad(@U16 int nid, long chunksPerSecond, List<HotChunk> hot, List<HotRange> ranges)
            implements Message {

        /**
         * A chunk that is used much.
         *
         * @param cid of the chunk
         * @param perSecond how often it is read or changed, estimated
         */
        public record HotChunk(long cid, long perSecond) {}

        /**
         * Consecutive CIDs that are used much: those of a zone, or of all chunks of a creator that are in no zone.
         *
         * @param zone in which they are; 0 when they are in none, because they need no copies
         * @param startCid the first of them
         * @param endCidInclusive the last of them; chunks of others may lie between them
         * @param perSecond how often chunks and keys in it are read or changed, estimated
         */
        public record HotRange(@I32 int zone, long startCid, long endCidInclusive, long perSecond) {}

        public ReportLoad {
            hot = List.copyOf(hot);
            ranges = List.copyOf(ranges);
        }
    }

    /**
     * What a storage peer holds.
     *
     * @param chunks number of chunks
     * @param payloadBytes their bytes
     * @param bookkeepingBytes all bytes of chunk memory in use that are not payload
     * @param usedBytes payload and bookkeeping
     * @param capacityBytes size of its chunk memory
     * @param copies copies of others' zones on its disk
     * @param logBytes that the logs on its disk take
     */
    public record PeerStatistics(
            long chunks,
            long payloadBytes,
            long bookkeepingBytes,
            long usedBytes,
            long capacityBytes,
            long copies,
            long logBytes)
            implements Message {}

    /**
     * A storage peer as its super-peer sees it.
     *
     * @param nid its NID
     * @param name for people
     * @param address where it serves
     * @param httpAddress where it serves HTTP
     * @param live whether it holds a lease
     * @param leaseRemainingNanos what is left of the lease, 0 when there is none
     * @param epoch of its ranges
     * @param firstLid first LID of its incarnation; chunks below it are lost
     * @param ranges number of ranges that it owns in the answering super-peer's arc
     * @param drain whether everything is leaving it or has left it
     * @param usesPerSecond how often its chunks are used, as it last reported; 0 when it has not reported lately
     * @param statistics as last reported
     * @param fencedEpoch it is committed that incarnations with this epoch or a lower one serve nothing any more
     * @param machine the label of the machine that it runs on, empty for none
     * @param failureZone the label of the failure zone that it runs in, empty for none
     * @param parked whether it has stopped for a while with a dump of its memory, and nobody takes its place
     * @param redisAddress where it serves Redis clients; null when it does not
     */
    public record PeerInfo(
            @U16 int nid,
            String name,
            HostAddress address,
            HostAddress httpAddress,
            boolean live,
            long leaseRemainingNanos,
            long epoch,
            long firstLid,
            long ranges,
            Drain drain,
            long usesPerSecond,
            PeerStatistics statistics,
            long fencedEpoch,
            String machine,
            String failureZone,
            boolean parked,
            @Nullable HostAddress redisAddress)
            implements Message {

        /** Whether everything is leaving it or has left it. */
        public boolean draining() {
            return drain != Drain.NONE;
        }

        /** How far the drain of a storage peer is, by the plans of its arc. */
        public enum Drain implements Coded {
            /** It takes chunks. */
            NONE(0),
            /** Everything is leaving it. */
            RUNNING(1),
            /** It owns no chunk and takes none. */
            DONE(2);

            private final int code;

            Drain(int code) {
                this.code = code;
            }

            @Override
            public int code() {
                return code;
            }
        }
    }

    /**
     * The storage peers of the arcs that the answering super-peer serves: usually its own, and those whose super-peers
     * it stands in for.
     *
     * @param ringEpoch of the ring as it knows it
     * @param peers by NID, ascending
     * @param arcs the NIDs of the super-peers whose arcs it serves, ascending
     * @param groups who votes in the groups that it leads
     */
    public record PeerList(long ringEpoch, List<PeerInfo> peers, List<@U16 Integer> arcs, List<GroupVoters> groups)
            implements Message {

        /**
         * Who votes in a group.
         *
         * @param nid of the super-peer whose arc it is, 0 for the ring
         * @param voters their NIDs, as the leader saw them last; without a change that is under way
         */
        public record GroupVoters(@U16 int nid, List<@U16 Integer> voters) {
            public GroupVoters {
                voters = List.copyOf(voters);
            }
        }

        public PeerList {
            peers = List.copyOf(peers);
            arcs = List.copyOf(arcs);
            groups = List.copyOf(groups);
        }
    }

    /**
     * Asks the super-peer of a storage peer's arc for that peer: its incarnation's epoch, its address,
     * and whether it lives.
     *
     * @param nid of the storage peer
     */
    public record AskPeer(@U16 int nid) implements Message {}
}
