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
 * This super-peer's replica of one arc: the state, its Raft group, and the services of the arc while this super-peer
 * leads the group. The super-peer to which the arc belongs leads when it can. Tasks of the node's scheduler.
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
     * Opens a replica from the disk.
     *
     * @param onChange called when this super-peer begins or ceases to serve the arc, and when it looks at leases
     * @param onCommand called after each command that the state has applied
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

    /** Returns the NID of the super-peer to which the arc belongs. */
    public int ownerNid() {
        return GroupId.nid(groupId);
    }

    public ArcState state() {
        return state;
    }

    /** Returns the NID of the leader that this super-peer knows of, 0 when it knows of none. */
    public int leaderNid() {
        return replica.leaderNid();
    }

    /**
     * Whether this copy follows the group: it knows of a leader, or has known of one within the length of a lease. One
     * that was removed from the group and has not heard of that does not, and what it says grows old (ADR 0257).
     */
    boolean follows() {
        return replica.leaderlessNanos() <= node.config().leaseNanos();
    }

    /** Returns the number of this arc among those that its super-peer has had. */
    int generation() {
        return GroupId.generation(groupId);
    }

    RingMembership membership() {
        return membership;
    }

    /**
     * Returns the bytes of memory of this replica: the state with the last changes of names, and the last snapshot that
     * the Raft group keeps.
     */
    long bytes() {
        return state.footprintBytes() + state.historyBytes() + replica.snapshotBytes();
    }

    /** Returns the bytes of the part of the arc that is being handed out or fetched. */
    long partBytes() {
        return transfers.bytes();
    }

    /**
     * Whether the arc has room for requests that can be refused. Counts the state and the next snapshot, which is no
     * larger than the state. Does not count the last snapshot, which shrinks long after the state, nor the last changes
     * of names, which grow when names are removed.
     */
    private boolean hasRoom() {
        Ring ring = book.ring();
        int superPeers = ring == null ? Ring.HOLDERS_PER_ARC : ring.members().size();
        return SuperPeerMemory.STATE_AND_SNAPSHOT * state.footprintBytes()
                < node.config().memory().arcBytes(superPeers);
    }

    /** Whether this super-peer leads the Raft group and has the whole state. */
    boolean leads() {
        return replica.leads();
    }

    /** Whether this super-peer leads, and as many super-peers vote as are available. */
    boolean isComplete() {
        return replica.leads() && keeper.isCompleteEnough();
    }

    /** Returns what moves parts of the arc. */
    public ArcTransfers transfers() {
        return transfers;
    }

    /** Looks for a part to move after the ring has changed. */
    void ringChanged() {
        if (replica.leads()) {
            transfers.look();
        }
    }

    /**
     * Starts the services again after storage peers have come or gone with a part. Each lease counts as if it had been
     * granted now.
     */
    void restartServices() {
        if (replica.leads()) {
            stop();
            startServices(node.nanoTime());
        }
    }

    private boolean hasRingGrown(long withinMillis) {
        RingView view = book.view();
        return view != null && view.hasJustGrown(node.environment().clock().wallMillis(), withinMillis);
    }

    /** @param grantedBeforeNanos no other super-peer has granted a lease after this moment */
    private void startServices(long grantedBeforeNanos) {
        ArcServices fresh = new ArcServices(
                node,
                ownerNid(),
                state,
                replica,
                book::ring,
                this::hasRingGrown,
                arcs,
                facts,
                catalog,
                onChange,
                this::hasRoom);
        services = fresh;
        fresh.begin(grantedBeforeNanos);
        onChange.run();
    }

    /**
     * Whether this super-peer answers for the arc. It does not while a part belongs to the arc already and has not been
     * accepted, nor while the arc is being rebuilt.
     */
    boolean serves() {
        RingView view = book.view();
        int coming = state.comingBy();
        boolean accepts = coming != 0 && (view == null || !view.isUnderWay(coming));
        boolean rebuilt = view != null && view.isBeingRebuilt(ownerNid());
        return services != null && services.peers().isServing() && !accepts && !rebuilt;
    }

    /**
     * Returns the services of the arc.
     *
     * @throws NullPointerException while this super-peer does not {@linkplain #serves serve} the arc
     */
    public ArcServices services() {
        return Objects.requireNonNull(services);
    }

    /** Returns the NIDs of the voters that this super-peer has seen since it leads; empty while it does not lead. */
    List<Integer> voters() {
        return replica.leads() ? keeper.voters() : List.of();
    }

    /**
     * Whether the arc has a leader. If this super-peer leads, it must also serve the arc and have as many voters as
     * wanted.
     */
    boolean isSettled() {
        return replica.leads() ? serves() && keeper.isComplete() : replica.leaderNid() != 0;
    }

    /** Whether this super-peer has been removed from the group. */
    boolean isRemoved() {
        return removed;
    }

    /** Ends this replica and deletes it from the disk. */
    void discard() {
        stop();
        host.discard(groupId);
    }

    /** Ends this replica and keeps its files. */
    void stop() {
        if (services != null) {
            services.end();
            services = null;
        }
    }

    /**
     * Returns the NIDs of the super-peer to which the arc belongs and of the next two. While the ring has only two
     * super-peers returns the first alone: two voters would both be needed for a majority.
     */
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
            startServices(replica.electedNanos());
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
