package dev.granary.storage.replicate;

import dev.granary.env.Confined;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.lease.ArcCalls;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where other storage peers serve, as their super-peers say. Read by any thread, asked by tasks of the scheduler.
 * Addresses are no identity: who answers there must have the NID.
 */
final class PeerAddresses {

    private final Confined confined = new Confined();
    private final ArcCalls arcs;
    private final Map<Integer, HostAddress> known = new ConcurrentHashMap<>();
    private final Set<Integer> asked = new HashSet<>();

    PeerAddresses(ArcCalls arcs) {
        this.arcs = arcs;
    }

    @Nullable
    HostAddress find(int nid) {
        return known.get(nid);
    }

    void learn(int nid, HostAddress address) {
        known.put(nid, address);
    }

    /**
     * Asks where a peer serves now, unless that is being asked already.
     *
     * @param then runs when an answer has come, or none
     */
    void ask(int nid, Runnable then) {
        assert confined.here() : confined;
        if (!asked.add(nid)) {
            return;
        }
        arcs.callArc(
                nid,
                MessageType.ASK_PEER,
                new AskPeer(nid),
                info -> {
                    asked.remove(nid);
                    known.put(nid, info.address());
                    then.run();
                },
                failure -> {
                    asked.remove(nid);
                    then.run();
                });
    }
}
