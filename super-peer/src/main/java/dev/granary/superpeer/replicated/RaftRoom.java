package dev.granary.superpeer.replicated;

import dev.granary.env.Confined;
import dev.granary.superpeer.node.MemoryBudget;
import dev.granary.superpeer.node.SuperPeerMemory;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Decides to which super-peers another Raft message may be sent. Each super-peer has an equal part of the room, so that
 * one that receives nothing takes no room from the others. A super-peer with no message on the way may be sent one of
 * any size. Not thread-safe.
 */
final class RaftRoom {

    private static final int MAX_MESSAGES = 256;

    private final Confined confined = new Confined();
    private final MemoryBudget room;

    /** All super-peers to which a message was ever sent. */
    private final TreeMap<Integer, OnTheWay> peers = new TreeMap<>();

    private static final class OnTheWay {
        private int messages;
        private long bytes;
    }

    RaftRoom(MemoryBudget room) {
        this.room = room;
    }

    /** Takes room for a message to a super-peer, and returns whether it may be sent. */
    boolean tryTake(int nid, int sizeBytes) {
        assert confined.here() : confined;
        OnTheWay peer = peers.computeIfAbsent(nid, any -> new OnTheWay());
        int parts = Math.min(peers.size(), SuperPeerMemory.OTHER_SUPER_PEERS);
        long partBytes = Math.min(SuperPeerMemory.MAX_BYTES_TO_ONE, room.limitBytes() / parts);
        boolean fits = peer.messages < MAX_MESSAGES && peer.bytes + sizeBytes <= partBytes;
        if (peer.messages == 0) {
            room.take(sizeBytes);
        } else if (!fits || !room.tryTake(sizeBytes)) {
            return false;
        }
        peer.messages++;
        peer.bytes += sizeBytes;
        return true;
    }

    /** Gives the room of a message back, as the message has arrived or never will. */
    void give(int nid, int sizeBytes) {
        assert confined.here() : confined;
        OnTheWay peer = Objects.requireNonNull(peers.get(nid));
        peer.messages--;
        peer.bytes -= sizeBytes;
        room.give(sizeBytes);
    }
}
