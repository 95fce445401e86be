package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.RebuildRing;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** Networks that make super-peers tell storage peers, and each other, what the safety rules forbid. */
final class DishonestSuperPeers {

    /** How many storage peers are asked what they have. */
    private static final int WITNESSES = 2;

    private DishonestSuperPeers() {}

    /** Tells storage peers that some zones are meant to have no copies. */
    static Transport grantingZonesWithoutCopies(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (is(frame, Frame.KIND_REPLY, MessageType.OPEN_LEASE.code())) {
                    OpenLeaseReply reply = MessageType.OPEN_LEASE.readReply(payload(frame));
                    OpenLeaseReply told = new OpenLeaseReply(
                            reply.leaseNanos(),
                            reply.epoch(),
                            reply.firstLid(),
                            reply.lidLimit(),
                            0,
                            reply.resumed(),
                            withoutCopies(reply.ranges()));
                    link.send(frame(Frame.KIND_REPLY, MessageType.OPEN_LEASE.code(), correlation(frame), told));
                    return false;
                }
                if (is(frame, Frame.KIND_REPLY, MessageType.RESERVE_LIDS.code())) {
                    ReserveLidsReply reply = MessageType.RESERVE_LIDS.readReply(payload(frame));
                    ReserveLidsReply told = new ReserveLidsReply(reply.lidLimit(), 0, withoutCopies(reply.ranges()));
                    link.send(frame(Frame.KIND_REPLY, MessageType.RESERVE_LIDS.code(), correlation(frame), told));
                    return false;
                }
                return true;
            }
        });
    }

    private static List<CidRange> withoutCopies(List<CidRange> ranges) {
        return ranges.stream()
                .map(range -> new CidRange(
                        range.startCid(),
                        range.endCidInclusive(),
                        new Placement(
                                range.placement().owner(),
                                new int[0],
                                range.placement().epoch(),
                                range.placement().zone(),
                                range.placement().state())))
                .toList();
    }

    /** Rebuilds a lost ring from what the first storage peers have, whatever others may know. */
    static Transport askingFewWitnesses(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.REBUILD_RING.code())) {
                    return true;
                }
                RebuildRing asked = MessageType.REBUILD_RING.readRequest(payload(frame));
                RebuildRing few = new RebuildRing(
                        asked.storagePeers()
                                .subList(
                                        0,
                                        Math.min(WITNESSES, asked.storagePeers().size())),
                        true);
                link.deliver(frame(Frame.KIND_REQUEST, MessageType.REBUILD_RING.code(), correlation(frame), few));
                return false;
            }
        });
    }
}
