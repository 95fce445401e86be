package dev.granary.superpeer.peer;

import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Node;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What other arcs say about their storage peers, which own chunks or take part in migrations here. In memory only: what
 * is known may be old, and is asked for again. Runs as tasks of the node's scheduler.
 */
public final class PeerFacts {

    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Node node;
    private final ArcCaller arcs;
    private final Map<Integer, Known> known = new TreeMap<>();

    /** Peers about which a question of {@link #latest} is on its way. */
    private final Set<Integer> asking = new HashSet<>();

    private record Known(PeerInfo info, long atNanos) {}

    public PeerFacts(Node node, ArcCaller arcs) {
        this.node = node;
        this.arcs = arcs;
    }

    /**
     * What was heard last of a peer, or null. Unless that was a moment ago its arc is asked, for those who want to know
     * next: the peer may serve elsewhere by now.
     */
    @Nullable
    public PeerInfo latest(int nid) {
        if (asking.add(nid)) {
            ask(nid, (info, failure) -> asking.remove(nid));
        }
        return last(nid);
    }

    /** What was heard last of a peer, or null. */
    @Nullable
    public PeerInfo last(int nid) {
        Known found = known.get(nid);
        return found == null ? null : found.info;
    }

    /** Asks the arc of a peer, unless that was done a moment ago. */
    public void ask(int nid, BiConsumer<@Nullable PeerInfo, @Nullable Throwable> then) {
        Known found = known.get(nid);
        if (found != null && node.nanoTime() - found.atNanos < FRESH_NANOS) {
            then.accept(found.info, null);
            return;
        }
        arcs.call(nid, MessageType.ASK_PEER, new AskPeer(nid), (info, failure) -> {
            if (info != null) {
                known.put(nid, new Known(info, node.nanoTime()));
            }
            then.accept(info, failure);
        });
    }

    /** What is known of a peer is out of date: its address did not answer. */
    public void forget(int nid) {
        known.remove(nid);
    }
}
