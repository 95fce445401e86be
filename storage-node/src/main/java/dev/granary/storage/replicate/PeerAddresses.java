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
 * The addresses of other storage peers, as their super-peers report them. Any thread reads them; tasks of the scheduler
 * ask for them. An address is no identity: the process that answers there must have the NID.
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
     * Asks for the present address of a storage peer, unless such a question is on its way.
     *
     * @param then runs when the question has ended, with an answer or without
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
