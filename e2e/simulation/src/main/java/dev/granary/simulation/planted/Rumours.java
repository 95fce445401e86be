package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.MessageType;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import java.util.function.ToLongFunction;

/** Networks through which super-peers hear wrong news about which incarnations of storage peers have ended. */
final class Rumours {

    private Rumours() {}

    /** Arcs never hear that an incarnation of another arc's storage peer has ended. */
    static Transport deafToEnds(Environment world, Transport transport) {
        return new TamperedNetwork(transport, changed(peer -> 0));
    }

    /** Arcs take a silent storage peer of another arc for one whose incarnation has ended. */
    static Transport believingSilence(Environment world, Transport transport) {
        return new TamperedNetwork(transport, changed(peer -> peer.live() ? peer.fencedEpoch() : peer.epoch()));
    }

    private static Tamperer changed(ToLongFunction<PeerInfo> fencedEpoch) {
        return new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REPLY, MessageType.LIST_PEERS.code())) {
                    return true;
                }
                PeerList list = MessageType.LIST_PEERS.readReply(payload(frame));
                PeerList told = new PeerList(
                        list.ringEpoch(),
                        list.peers().stream()
                                .map(peer -> withFencedEpoch(peer, fencedEpoch.applyAsLong(peer)))
                                .toList(),
                        list.arcs(),
                        list.groups());
                link.deliver(frame(Frame.KIND_REPLY, MessageType.LIST_PEERS.code(), correlation(frame), told));
                return false;
            }
        };
    }

    private static PeerInfo withFencedEpoch(PeerInfo peer, long fencedEpoch) {
        return new PeerInfo(
                peer.nid(),
                peer.name(),
                peer.address(),
                peer.httpAddress(),
                peer.live(),
                peer.leaseRemainingNanos(),
                peer.epoch(),
                peer.firstLid(),
                peer.ranges(),
                peer.drain(),
                peer.usesPerSecond(),
                peer.statistics(),
                fencedEpoch,
                peer.machine(),
                peer.failureZone(),
                peer.parked(),
                peer.redisAddress());
    }
}
