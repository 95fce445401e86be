package dev.granary.superpeer.arc;

import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.raft.MemberId;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.SuperPeerMemory;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.peer.PeerFacts;
import dev.granary.superpeer.replicated.RaftHost;
import dev.granary.superpeer.replicated.Replica;
import dev.granary.superpeer.replicated.VoterKeeper;
import dev.granary.superpeer.ring.RingBook;
import dev.granary.superpeer.ring.RingMembership;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.ring.RingView;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * This super-peer's copy of one arc: the state, its Raft group, and what answers for it while this super-peer leads the
 * group. The super-peer whose arc it is leads when it can. Tasks of the node's scheduler.
 */
public final class ArcReplica {

    private final Node node;
    private final RaftHost host;
    private final RingBook book;
    private final long groupId;
    private final ArcCaller arcs;
    private final PeerFacts facts;
    private final PeerCatalog catalog;
    private final Runnable onChange;
    private final Runnable onCommand;
    private final ArcState state = new ArcState();
    private final Replica<ArcCommand, ArcResult> replica;
    private final VoterKeeper keeper;
    private final RingMembership membership;
    private final ArcTransfers transfers;
    private @Nullable ArcServices services;
    private boolean removed;

    /**
     * Opens a copy with what is on the disk.
     *
     * @param onChange called when this super-peer begins or ceases to serve the arc, and when it looks at leases
     * @param onCommand called after each command that was carried out on the state
     */
    ArcReplica(
            Node node,
            RaftHost host,
            RingBook book,
            RingMembership membership,
            long groupId,
            MemberId self,
            ArcCaller arcs,
            PeerFacts facts,
            PeerCatalog catalog,
            Runnable onChange,
            Runnable onCommand)
            throws IOException {
        this.node = node;
        this.host = host;
        this.book = book;
        this.membership = membership;
        this.groupId = groupId;
        this.arcs = arcs;
        this.facts = facts;
        this.catalog = catalog;
        this.onChange = onChange;
        this.onCommand = onCommand;
        int owner = GroupId.nid(groupId);
        this.replica = host.open(groupId, self, owner, state, new Events());
        this.keeper = new VoterKeeper(node, host, replica, voters -> wantedVoters(), owner);
        this.transfers = new ArcTransfers(node, host, book, this, arcs, replica);
    }

    /** The NID of the super-peer whose arc it is. */
    public int ownerNid() {
        return GroupId.nid(groupId);
    }

    public ArcState state() {
        return state;
    }

    /** Who leads as far as is known here. */
    public int leaderNid() {
        return replica.leaderNid();
    }

    /** The number of this arc among those that its super-peer has had. */
    int generation() {
        return GroupId.generation(groupId);
    }

    RingMembership membership() {
        return membership;
    }

    /**
     * What the copy takes: the state with the last changes of names, and the last snapshot that the group keeps of it.
     */
    long bytes() {
        return state.footprintBytes() + state.historyBytes() + replica.snapshotBytes();
    }

    /** What is handed out or fetched of the arc. */
    long partBytes() {
        return transfers.bytes();
    }

    /**
     * Whether the arc may become larger by what can be refused. The next snapshot is no larger than the state; the last
     * one does not count, as it shrinks long after the state, nor do the last changes of names, which become more when
     * names are removed.
     */
    private boolean hasRoom() {
        Ring ring = book.ring();
        int superPeers = ring == null ? Ring.HOLDERS_PER_ARC : ring.members().size();
        return SuperPeerMemory.STATE_AND_SNAPSHOT * state.footprintBytes()
                < node.config().memory().arcBytes(superPeers);
    }

    /** Whether this super-peer leads the group and has the whole state. */
    boolean leads() {
        return replica.leads();
    }

    /** Whether this super-peer leads, and as many vote as can be had. */
    boolean isComplete() {
        return replica.leads() && keeper.isCompleteEnough();
    }

    /** What moves parts of the arc. */
    public ArcTransfers transfers() {
        return transfers;
    }

    /** The ring has changed: there may be something to move. */
    void ringChanged() {
        if (replica.leads()) {
            transfers.look();
        }
    }

    /** Storage peers have come or gone with a part: each lease counts as if it had been granted now. */
    void restartServices() {
        if (replica.leads()) {
            stop();
            startServices();
        }
    }

    private void startServices() {
        ArcServices fresh = new ArcServices(
                node, ownerNid(), state, replica, book::ring, arcs, facts, catalog, onChange, this::hasRoom);
        services = fresh;
        fresh.begin();
        onChange.run();
    }

    /**
     * Whether this super-peer answers for the arc: not while a part is the arc's already and has not been accepted, nor
     * while the arc is rebuilt because all that was known of it is lost.
     */
    boolean serves() {
        RingView view = book.view();
        int coming = state.comingBy();
        boolean accepts = coming != 0 && (view == null || !view.isUnderWay(coming));
        boolean rebuilt = view != null && view.isBeingRebuilt(ownerNid());
        return services != null && services.peers().isServing() && !accepts && !rebuilt;
    }

    /**
     * What answers for the arc.
     *
     * @throws NullPointerException while this super-peer does not {@linkplain #serves serve} it
     */
    public ArcServices services() {
        return Objects.requireNonNull(services);
    }

    /** Who votes, as this super-peer has seen since it leads; empty otherwise. */
    List<Integer> voters() {
        return replica.leads() ? keeper.voters() : List.of();
    }

    /** Whether the arc is led, and is on as many super-peers as it is to be if this super-peer leads it. */
    boolean isSettled() {
        return replica.leads() ? serves() && keeper.isComplete() : replica.leaderNid() != 0;
    }

    /** Whether this super-peer has been removed from the group. */
    boolean isRemoved() {
        return removed;
    }

    /** Ends this copy and deletes it. */
    void discard() {
        stop();
        host.discard(groupId);
    }

    /** Ends this copy; what is on the disk stays. */
    void stop() {
        if (services != null) {
            services.end();
            services = null;
        }
    }

    /** The super-peer itself and the next two; itself alone while there are only two, as two outvote nobody. */
    private List<Integer> wantedVoters() {
        RingView view = Objects.requireNonNull(book.view());
        boolean comes =
                view.generationOf(ownerNid()) != generation() && view.groupGenerationOf(ownerNid()) == generation();
        Ring ring = comes ? view.ringWith(ownerNid()) : view.ring();
        if (ring.member(ownerNid()).isEmpty()) {
            return List.of();
        }
        List<Integer> holders =
                ring.holdersOf(ownerNid()).stream().map(RingMember::nid).toList();
        return holders.size() < Ring.HOLDERS_PER_ARC ? List.of(ownerNid()) : holders;
    }

    private final class Events implements Replica.Listener {

        @Override
        public void changed() {
            onCommand.run();
        }

        @Override
        public void leadershipBegan() {
            keeper.begin();
            startServices();
            transfers.begin();
        }

        @Override
        public void leadershipEnded() {
            stop();
            onChange.run();
        }

        @Override
        public void removed() {
            removed = true;
            onChange.run();
        }
    }
}
