package dev.granary.superpeer.status;

import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.StatusText;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.process.JsonText;
import dev.granary.superpeer.arc.Arcs;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.ring.RingBook;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Puts together what the console shows: the status of the whole cluster, and the plans and migrations of all arcs. Asks
 * every other super-peer, and leaves out those that do not answer soon. Runs as tasks of the node's scheduler.
 */
public final class ClusterOverview {

    /** As long as {@link ClusterStatus} waits, so that the answer takes no longer than the status alone. */
    private static final long ASK_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** A super-peer lists so few plans and migrations that it needs a tenth of this. */
    private static final int MAX_WORK_CHARACTERS = 1 << 20;

    private final Node node;
    private final RingBook book;
    private final Arcs arcs;
    private final ClusterStatus status;

    public ClusterOverview(Node node, RingBook book, Arcs arcs, ClusterStatus status) {
        this.node = node;
        this.book = book;
        this.arcs = arcs;
        this.status = status;
    }

    /** Returns the overview as docs/formats/status.md describes it. Completes on the scheduler. */
    public CompletableFuture<String> gather() {
        return status.gather().thenCombine(new Round().begin(), this::write);
    }

    private String write(String statusJson, Map<Integer, String> work) {
        JsonText json = new JsonText().object();
        json.field(
                "at",
                Instant.ofEpochMilli(node.environment().clock().wallMillis()).toString());
        json.field("from", Nid.toHex(node.rpcIdentity().nid()));
        json.raw("status", statusJson);
        json.object("work");
        work.forEach((nid, text) -> json.raw(Nid.toHex(nid), text));
        return json.end().end().toString();
    }

    /** Asks for the work of each super-peer once. */
    private final class Round {
        private final Map<Integer, String> work = new TreeMap<>();
        private final CompletableFuture<Map<Integer, String>> all = new CompletableFuture<>();
        private int outstanding;

        private CompletableFuture<Map<Integer, String>> begin() {
            int ownNid = node.rpcIdentity().nid();
            work.put(ownNid, arcs.workJson());
            RingView view = book.view();
            List<SuperPeerRecord> others = view == null
                    ? List.of()
                    : view.superPeers().stream()
                            .filter(superPeer -> superPeer.nid() != ownNid)
                            .toList();
            outstanding = others.size();
            for (SuperPeerRecord other : others) {
                HostAddress known = book.addressOf(other.nid());
                node.ask(
                        known == null ? other.address() : known,
                        other.nid(),
                        MessageType.LIST_WORK,
                        new Empty(),
                        ASK_TIMEOUT_NANOS,
                        (told, failure) -> answered(other.nid(), told));
            }
            endIfComplete();
            return all;
        }

        /** Called with null when there was no answer; a super-peer of an earlier version refuses the question. */
        private void answered(int nid, @Nullable StatusText told) {
            if (told != null && told.json().length() <= MAX_WORK_CHARACTERS) {
                work.put(nid, told.json());
            }
            outstanding--;
            endIfComplete();
        }

        private void endIfComplete() {
            if (outstanding == 0) {
                all.complete(work);
            }
        }
    }
}
