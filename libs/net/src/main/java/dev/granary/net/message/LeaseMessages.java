package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.WantedCopies;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/** Leases and LIDs of a storage peer, from its arc; and what arcs tell of storage peers. */
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
     * @param machine the label of the machine that it runs on; copies of a zone are kept on different ones; empty for none
     * @param failureZone the label of the failure zone that it runs in, alike; empty for none
     * @param resumeDump the dump of its memory that an earlier incarnation was parked with and this one has; 0 for none
     */
    public record OpenLease(
            int nid,
            UUID diskId,
            long incarnation,
            String name,
            HostAddress address,
            HostAddress httpAddress,
            long capacityBytes,
            String machine,
            String failureZone,
            long resumeDump)
            implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid);
            Wire.writeUuid(out, diskId);
            out.writeLongLE(incarnation);
            Wire.writeString(out, name);
            Wire.writeAddress(out, address);
            Wire.writeAddress(out, httpAddress);
            out.writeLongLE(capacityBytes);
            Wire.writeString(out, machine);
            Wire.writeString(out, failureZone);
            out.writeLongLE(resumeDump);
        }

        static OpenLease read(ByteBuf in) {
            return new OpenLease(
                    in.readUnsignedShortLE(),
                    Wire.readUuid(in),
                    in.readLongLE(),
                    Wire.readString(in),
                    Wire.readAddress(in),
                    Wire.readAddress(in),
                    in.readLongLE(),
                    Wire.readString(in),
                    Wire.readString(in),
                    in.readLongLE());
        }
    }

    /**
     * A lease is granted.
     *
     * @param leaseNanos how long it lasts, counted by the peer from the moment it sent the request
     * @param epoch of the peer's ranges, higher than that of any earlier incarnation
     * @param firstLid the first LID that this incarnation may give; all below were of earlier ones and their chunks are lost.
     *     When it has resumed, that of the incarnation that was parked
     * @param lidLimit LIDs below it are reserved for this incarnation
     * @param wantedCopies how many members a zone should have at present, 0 when there is no other storage peer
     * @param resumed whether this incarnation takes the place of the parked one and has all that it had
     * @param ranges the reserved LIDs that this incarnation owns, with their zones, ascending
     */
    public record OpenLeaseReply(
            long leaseNanos,
            long epoch,
            long firstLid,
            long lidLimit,
            int wantedCopies,
            boolean resumed,
            List<CidRange> ranges)
            implements Message {

        public OpenLeaseReply {
            ranges = List.copyOf(ranges);
        }

        @Override
        public void writeTo(ByteBuf out) {
            out.writeLongLE(leaseNanos).writeLongLE(epoch).writeLongLE(firstLid).writeLongLE(lidLimit);
            out.writeByte(wantedCopies).writeBoolean(resumed);
            Wire.writeList(out, ranges, Wire::writeRange);
        }

        static OpenLeaseReply read(ByteBuf in) {
            return new OpenLeaseReply(
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readUnsignedByte(),
                    in.readBoolean(),
                    Wire.readList(in, Wire::readRange));
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
    public record RenewLease(int nid, long incarnation, long epoch, PeerStatistics statistics) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid).writeLongLE(incarnation).writeLongLE(epoch);
            statistics.writeTo(out);
        }

        static RenewLease read(ByteBuf in) {
            return new RenewLease(in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE(), PeerStatistics.read(in));
        }
    }

    /**
     * A lease is renewed.
     *
     * @param leaseNanos how long it lasts, counted by the peer from the moment it sent the request
     * @param lidLimit LIDs below it are reserved
     * @param ringEpoch of the ring as the super-peer knows it; a higher one than the peer's means that it asks for the ring
     * @param wantedCopies how many members a zone should have at present, 0 when there is no other storage peer, {@link
     *     WantedCopies#UNKNOWN} when that is not known yet
     * @param zonesMark another one than before when zones that the peer owns in its arc have changed: then it asks by
     *     {@link ListZones}
     */
    public record RenewLeaseReply(long leaseNanos, long lidLimit, long ringEpoch, int wantedCopies, long zonesMark)
            implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeLongLE(leaseNanos).writeLongLE(lidLimit).writeLongLE(ringEpoch);
            out.writeByte(wantedCopies).writeLongLE(zonesMark);
        }

        static RenewLeaseReply read(ByteBuf in) {
            return new RenewLeaseReply(
                    in.readLongLE(), in.readLongLE(), in.readLongLE(), in.readUnsignedByte(), in.readLongLE());
        }
    }

    /**
     * A storage peer stops in an orderly way: it serves nothing any more and gives its lease back.
     */
    public record CloseLease(int nid, long incarnation) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid).writeLongLE(incarnation);
        }

        static CloseLease read(ByteBuf in) {
            return new CloseLease(in.readUnsignedShortLE(), in.readLongLE());
        }
    }

    /**
     * A storage peer asks for more LIDs before it gives them (SAFETY: the mark is reserved before use).
     *
     * @param nid its NID
     * @param incarnation of the process
     * @param knownLimit LIDs below it are known to the peer, with their zones
     * @param wantedLimit LIDs below it are wanted
     */
    public record ReserveLids(int nid, long incarnation, long knownLimit, long wantedLimit) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid)
                    .writeLongLE(incarnation)
                    .writeLongLE(knownLimit)
                    .writeLongLE(wantedLimit);
        }

        static ReserveLids read(ByteBuf in) {
            return new ReserveLids(in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE(), in.readLongLE());
        }
    }

    /**
     * LIDs are reserved.
     *
     * @param lidLimit LIDs below it are reserved; at least what was wanted
     * @param wantedCopies how many members a zone should have at present, 0 when there is no other storage peer
     * @param ranges the reserved LIDs from the known limit on, with their zones, ascending
     */
    public record ReserveLidsReply(long lidLimit, int wantedCopies, List<CidRange> ranges) implements Message {

        public ReserveLidsReply {
            ranges = List.copyOf(ranges);
        }

        @Override
        public void writeTo(ByteBuf out) {
            out.writeLongLE(lidLimit).writeByte(wantedCopies);
            Wire.writeList(out, ranges, Wire::writeRange);
        }

        static ReserveLidsReply read(ByteBuf in) {
            return new ReserveLidsReply(in.readLongLE(), in.readUnsignedByte(), Wire.readList(in, Wire::readRange));
        }
    }

    /**
     * A storage peer tells its super-peer how busy it is and with what. Rates decay by half in some ten seconds.
     *
     * @param nid its NID
     * @param chunksPerSecond read or changed in all
     * @param hot the chunks that are used most, the busiest first
     */
    public record ReportLoad(int nid, long chunksPerSecond, List<HotChunk> hot) implements Message {

        /**
         * A chunk that is used much.
         *
         * @param cid of the chunk
         * @param perSecond how often it is read or changed, estimated
         */
        public record HotChunk(long cid, long perSecond) {

            private static void write(ByteBuf out, HotChunk chunk) {
                out.writeLongLE(chunk.cid).writeLongLE(chunk.perSecond);
            }

            private static HotChunk read(ByteBuf in) {
                return new HotChunk(in.readLongLE(), in.readLongLE());
            }
        }

        public ReportLoad {
            hot = List.copyOf(hot);
        }

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid).writeLongLE(chunksPerSecond);
            Wire.writeList(out, hot, HotChunk::write);
        }

        static ReportLoad read(ByteBuf in) {
            return new ReportLoad(in.readUnsignedShortLE(), in.readLongLE(), Wire.readList(in, HotChunk::read));
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
            implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeLongLE(chunks).writeLongLE(payloadBytes).writeLongLE(bookkeepingBytes);
            out.writeLongLE(usedBytes).writeLongLE(capacityBytes);
            out.writeLongLE(copies).writeLongLE(logBytes);
        }

        static PeerStatistics read(ByteBuf in) {
            return new PeerStatistics(
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE());
        }
    }

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
     * @param usesPerSecond how often its chunks are used, as it told last; 0 when it has not told lately
     * @param statistics as last reported
     * @param fencedEpoch incarnations with this epoch or a lower one serve nothing any more, which is committed
     * @param machine the label of the machine that it runs on, empty for none
     * @param failureZone the label of the failure zone that it runs in, empty for none
     * @param parked whether it has stopped for a while with a dump of its memory, and nobody takes its place
     */
    public record PeerInfo(
            int nid,
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
            boolean parked)
            implements Message {

        /** Whether everything is leaving it or has left it. */
        public boolean draining() {
            return drain != Drain.NONE;
        }

        /** How far the drain of a storage peer is: what the plans of its arc say. */
        public enum Drain {
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

            private static Drain ofCode(int code) {
                for (Drain drain : values()) {
                    if (drain.code == code) {
                        return drain;
                    }
                }
                throw new FrameException("a drain is not in state " + code);
            }
        }

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid);
            Wire.writeString(out, name);
            Wire.writeAddress(out, address);
            Wire.writeAddress(out, httpAddress);
            out.writeBoolean(live)
                    .writeLongLE(leaseRemainingNanos)
                    .writeLongLE(epoch)
                    .writeLongLE(firstLid)
                    .writeLongLE(ranges)
                    .writeByte(drain.code)
                    .writeLongLE(usesPerSecond);
            statistics.writeTo(out);
            out.writeLongLE(fencedEpoch);
            Wire.writeString(out, machine);
            Wire.writeString(out, failureZone);
            out.writeBoolean(parked);
        }

        static PeerInfo read(ByteBuf in) {
            return new PeerInfo(
                    in.readUnsignedShortLE(),
                    Wire.readString(in),
                    Wire.readAddress(in),
                    Wire.readAddress(in),
                    in.readBoolean(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    Drain.ofCode(in.readUnsignedByte()),
                    in.readLongLE(),
                    PeerStatistics.read(in),
                    in.readLongLE(),
                    Wire.readString(in),
                    Wire.readString(in),
                    in.readBoolean());
        }
    }

    /**
     * The storage peers of the arcs that the answering super-peer serves: its own as a rule, and those whose super-peers it
     * stands in for.
     *
     * @param ringEpoch of the ring as it knows it
     * @param peers by NID, ascending
     * @param arcs the NIDs of the super-peers whose arcs it serves, ascending
     * @param groups who votes in the groups that it leads
     */
    public record PeerList(long ringEpoch, List<PeerInfo> peers, List<Integer> arcs, List<GroupVoters> groups)
            implements Message {

        /**
         * Who votes in a group.
         *
         * @param nid of the super-peer whose arc it is, 0 for the ring
         * @param voters their NIDs, as the leader saw them last; a change that is under way is not among them
         */
        public record GroupVoters(int nid, List<Integer> voters) {
            public GroupVoters {
                voters = List.copyOf(voters);
            }
        }

        public PeerList {
            peers = List.copyOf(peers);
            arcs = List.copyOf(arcs);
            groups = List.copyOf(groups);
        }

        @Override
        public void writeTo(ByteBuf out) {
            out.writeLongLE(ringEpoch);
            Wire.writeList(out, peers, (buffer, peer) -> peer.writeTo(buffer));
            Wire.writeList(out, arcs, ByteBuf::writeShortLE);
            Wire.writeList(out, groups, (buffer, group) -> {
                buffer.writeShortLE(group.nid());
                Wire.writeList(buffer, group.voters(), ByteBuf::writeShortLE);
            });
        }

        static PeerList read(ByteBuf in) {
            return new PeerList(
                    in.readLongLE(),
                    Wire.readList(in, PeerInfo::read),
                    Wire.readList(in, ByteBuf::readUnsignedShortLE),
                    Wire.readList(
                            in,
                            group -> new GroupVoters(
                                    group.readUnsignedShortLE(), Wire.readList(group, ByteBuf::readUnsignedShortLE))));
        }
    }

    /**
     * Asks the super-peer of a storage peer's arc for that peer: its incarnation's epoch, its address, and whether it lives.
     *
     * @param nid of the storage peer
     */
    public record AskPeer(int nid) implements Message {

        @Override
        public void writeTo(ByteBuf out) {
            out.writeShortLE(nid);
        }

        static AskPeer read(ByteBuf in) {
            return new AskPeer(in.readUnsignedShortLE());
        }
    }
}
