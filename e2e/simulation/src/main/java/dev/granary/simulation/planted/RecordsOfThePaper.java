package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;

/**
 * A super-peer's network through which it reports only those facts about a range that fit into the paper's record: an
 * owner and its backups. The record has no room for an epoch, nor for "nobody serves the range": then it names the
 * range's creator as its owner.
 */
final class RecordsOfThePaper implements Tamperer {

    private RecordsOfThePaper() {}

    static Transport of(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new RecordsOfThePaper());
    }

    @Override
    public boolean leaves(Link link, ByteBuf frame) {
        if (is(frame, Frame.KIND_REPLY, MessageType.LOOKUP.code())) {
            LookupReply reply = MessageType.LOOKUP.readReply(payload(frame));
            tell(link, frame, new LookupReply(recordOf(reply.range()), reply.ownerAddress(), reply.ringEpoch()));
            return false;
        }
        if (is(frame, Frame.KIND_REPLY, MessageType.AWAY_RANGES.code())) {
            RangeList list = MessageType.AWAY_RANGES.readReply(payload(frame));
            tell(
                    link,
                    frame,
                    new RangeList(
                            list.nextCid(),
                            list.ranges().stream()
                                    .map(RecordsOfThePaper::recordOf)
                                    .toList()));
            return false;
        }
        return true;
    }

    private static void tell(Link link, ByteBuf instead, Message told) {
        link.send(frame(Frame.kind(instead), Frame.type(instead), correlation(instead), told));
    }

    private static CidRange recordOf(CidRange range) {
        int owner = range.placement().owner();
        return new CidRange(
                range.startCid(),
                range.endCidInclusive(),
                Placement.unreplicated(owner == Nid.NONE ? Cid.nid(range.startCid()) : owner, 1));
    }
}
