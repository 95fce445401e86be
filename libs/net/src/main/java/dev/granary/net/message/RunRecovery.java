package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A super-peer has a storage peer recover zones from its copies and become their owner. Sent again and again as long as
 * they are being recovered, which changes nothing but brings the progress; a zone that comes with a higher epoch than
 * before begins afresh. Answered with a {@link RunRecoveryReply}.
 *
 * @param candidateEpoch of the incarnation that is meant
 * @param zones at most some hundred
 */
public record RunRecovery(long candidateEpoch, List<Zone> zones) implements Message {

    /**
     * A zone to be recovered.
     *
     * @param zone its id
     * @param epoch of this attempt: the zone's copies are sealed in it
     * @param lastSequence changes behind it were never acknowledged and do not count
     * @param members whose copies count, the candidate first
     * @param spans the CIDs that are in the zone now; whatever else its log has is another zone's
     * @param nextCid where to ask for more of them by {@link ZoneRanges}, 0 when these are all
     * @param acceptDamage whether the zone is to be recovered with what the candidate can read, if no member has a whole
     *     copy; otherwise the answer is {@link RunRecoveryReply.State#DAMAGED}
     */
    public record Zone(
            int zone,
            long epoch,
            long lastSequence,
            List<Member> members,
            List<Span> spans,
            long nextCid,
            boolean acceptDamage) {

        public Zone {
            members = List.copyOf(members);
            spans = List.copyOf(spans);
        }

        private static void write(ByteBuf out, Zone item) {
            out.writeIntLE(item.zone).writeLongLE(item.epoch).writeLongLE(item.lastSequence);
            Wire.writeList(out, item.members, Member::write);
            Wire.writeList(out, item.spans, Span::write);
            out.writeLongLE(item.nextCid).writeBoolean(item.acceptDamage);
        }

        private static Zone read(ByteBuf in) {
            return new Zone(
                    in.readIntLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    Wire.readList(in, Member::read),
                    Wire.readList(in, Span::read),
                    in.readLongLE(),
                    in.readBoolean());
        }
    }

    /**
     * A storage peer with a copy.
     *
     * @param nid its NID
     * @param address where it serves
     */
    public record Member(int nid, HostAddress address) {

        private static void write(ByteBuf out, Member member) {
            out.writeShortLE(member.nid);
            Wire.writeAddress(out, member.address);
        }

        private static Member read(ByteBuf in) {
            return new Member(in.readUnsignedShortLE(), Wire.readAddress(in));
        }
    }

    /**
     * Consecutive CIDs of one creator.
     *
     * @param startCid the first
     * @param endCidInclusive the last
     */
    public record Span(long startCid, long endCidInclusive) {

        private static void write(ByteBuf out, Span span) {
            out.writeLongLE(span.startCid).writeLongLE(span.endCidInclusive);
        }

        private static Span read(ByteBuf in) {
            return new Span(in.readLongLE(), in.readLongLE());
        }
    }

    public RunRecovery {
        zones = List.copyOf(zones);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(candidateEpoch);
        Wire.writeList(out, zones, Zone::write);
    }

    static RunRecovery read(ByteBuf in) {
        return new RunRecovery(in.readLongLE(), Wire.readList(in, Zone::read));
    }
}
