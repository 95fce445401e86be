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
 * What other arcs say about their storage peers that own chunks of this arc or take part in its migrations. In memory
 * only: a fact may be old, and is asked for again. Runs as tasks of the node's scheduler.
 */
public final class PeerFacts {

    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Node node;
    private final ArcCaller arcs;
    private final Map<Integer, Known> known = new TreeMap<>();

    /** Storage peers about which a question of {@link #latest} is under way. */
    private final Set<Integer> asking = new HashSet<>();

    private record Known(PeerInfo info, long atNanos) {}

    public PeerFacts(Node node, ArcCaller arcs) {
        this.node = node;
        this.arcs = arcs;
    }

    /**
     * Returns what was heard last of a peer, or null. Unless that was a moment ago, also asks the peer's arc, so that
     * the next call knows more: the peer may have another address by now.
     */
    @Nullable
    public PeerInfo latest(int nid) {
        if (asking.add(nid)) {
            ask(nid, (info, failure) -> asking.remove(nid));
        }
        return last(nid);
    }

    /** Returns what was heard last of a peer, or null. Asks nobody. */
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

    /** Forgets what is known of a peer, as its address did not answer. */
    public void forget(int nid) {
        known.remove(nid);
    }
}
