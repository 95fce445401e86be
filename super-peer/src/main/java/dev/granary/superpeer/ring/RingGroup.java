package dev.granary.superpeer.ring;

import dev.granary.overlay.Nid;
import dev.granary.raft.MemberId;
import dev.granary.superpeer.node.Committer;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.replicated.RaftHost;
import dev.granary.superpeer.replicated.Replica;
import dev.granary.superpeer.replicated.VoterKeeper;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingResult;
import dev.granary.superpeer.state.ring.RingState;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * This super-peer's part of the Raft group of the ring, if it has one. The first super-peers of the ring have one, an
 * odd number of at most seven (SAFETY rule 15). The others ask the leader. Tasks of the node's scheduler.
 */
public final class RingGroup {

    private static final int MAX_VOTERS = 7;

    private final Node node;
    private final RaftHost host;
    private final RingBook book;
    private final Runnable onLeadership;
    private final RingDriver driver;
    private RingState state = new RingState();
    private @Nullable Replica<RingCommand, RingResult> replica;
    private @Nullable VoterKeeper keeper;

    /**
     * @param onLeadership called when this super-peer has begun to lead the ring
     */
    RingGroup(Node node, RaftHost host, RingBook book, Runnable onLeadership) {
        this.node = node;
        this.host = host;
        this.book = book;
        this.onLeadership = onLeadership;
        this.driver = new RingDriver(node, host, this, book);
    }

    RingDriver driver() {
        return driver;
    }

    /**
     * Takes part from now on, with the log on the disk. Replaces an earlier membership.
     *
     * @param self the member that this super-peer is
     */
    void open(MemberId self) throws IOException {
        host.discard(GroupId.RING);
        state = new RingState();
        Replica<RingCommand, RingResult> opened = host.open(GroupId.RING, self, founder(self), state, new Events());
        replica = opened;
        keeper = new VoterKeeper(node, host, opened, this::wantedVoters, Nid.NONE);
    }

    /**
     * Returns the NID of the super-peer that began the group: the one that got its NID first of all that the ring has
     * ever had.
     */
    private int founder(MemberId self) {
        RingView view = book.view();
        return GroupId.membership(self) == 0 || view == null
                ? GroupId.nid(self)
                : view.superPeers().stream()
                        .map(SuperPeerRecord::nid)
                        .min(Comparator.comparingInt(nid -> Nid.reverse16(nid & ~1)))
                        .orElseGet(() -> GroupId.nid(self));
    }

    /** Whether this super-peer leads the ring, as far as it knows. */
    public boolean leads() {
        return replica != null && replica.leads();
    }

    /** Returns the NID of the leader, {@link Nid#NONE} when it is not known here. */
    int leaderNid() {
        return replica == null ? Nid.NONE : replica.leaderNid();
    }

    /** Returns the NIDs of the voters that this super-peer has seen since it leads; empty while it does not lead. */
    public List<Integer> voters() {
        return leads() && keeper != null ? keeper.voters() : List.of();
    }

    /** Returns the committed state as far as it is known here; the leader knows all of it. */
    public RingState state() {
        return state;
    }

    /**
     * Returns the committer through which the ring is changed.
     *
     * @throws IllegalStateException when this super-peer has no part in the group
     */
    public Committer<RingCommand, RingResult> committer() {
        if (replica == null) {
            throw new IllegalStateException("this super-peer has no part in the ring's group");
        }
        return replica;
    }

    /**
     * Returns the present voters and the first of the other super-peers on the ring, in the order in which they came.
     */
    private List<Integer> wantedVoters(List<Integer> present) {
        RingView view = state.view();
        if (view == null) {
            return List.of();
        }
        List<Integer> members = new ArrayList<>(view.superPeers().stream()
                .filter(SuperPeerRecord::isMember)
                .map(SuperPeerRecord::nid)
                .toList());
        int self = node.rpcIdentity().nid();
        members.sort(Comparator.comparing((Integer nid) -> nid != self)
                .thenComparing(nid -> !present.contains(nid))
                .thenComparing(Nid::reverse16));
        int count = Math.min(members.size(), MAX_VOTERS);
        return members.subList(0, count % 2 == 0 ? count - 1 : count);
    }

    private final class Events implements Replica.Listener {

        @Override
        public void changed() {
            RingView view = state.view();
            if (view != null) {
                book.learn(view);
                driver.push();
            }
        }

        @Override
        public void leadershipBegan() {
            if (keeper != null) {
                keeper.begin();
            }
            driver.begin();
            onLeadership.run();
        }

        @Override
        public void removed() {
            replica = null;
            keeper = null;
            host.discard(GroupId.RING);
        }
    }
}
