package dev.granary.simulation.big;

import dev.granary.net.Frame;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.Message;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The bytes of messages with their frames; of a message that has a codec, as the codec writes it. */
final class MessageSizes {

    /** Two addresses of some 40 characters each, a name, ports, lengths and the NID. */
    static final int RING_MEMBER_BYTES = 120;

    /** An AppendEntries of a Raft group without entries, and its answer. */
    static final int RAFT_HEARTBEAT_BYTES = 2 * (Frame.HEADER_BYTES + 60);

    final int renewalBytes;
    final int lookupBytes;

    MessageSizes() {
        int nid = Nid.storageNid(1);
        Placement placement = new Placement(
                nid, new int[] {Nid.storageNid(2), Nid.storageNid(3), Nid.storageNid(4)}, 1, 1, PlacementState.IN_SYNC);
        CidRange range = new CidRange(Cid.of(nid, 1), Cid.of(nid, 2), placement);
        HostAddress address = new HostAddress("granary-storage-1234.granary-storage.cache.svc", 7500);
        renewalBytes = bytes(new RenewLease(nid, 1, 1, new PeerStatistics(1, 1, 1, 1, 1, 1, 1)))
                + bytes(new RenewLeaseReply(1, 1, 1, 1, 1));
        lookupBytes = bytes(new Lookup(range.startCid())) + bytes(new LookupReply(range, address, 1));
    }

    static int ringBytes(int members) {
        return 2 * Frame.HEADER_BYTES + members * RING_MEMBER_BYTES;
    }

    private static int bytes(Message message) {
        ByteBuf out = Unpooled.buffer();
        try {
            message.writeTo(out);
            return Frame.HEADER_BYTES + out.readableBytes();
        } finally {
            out.release();
        }
    }
}
