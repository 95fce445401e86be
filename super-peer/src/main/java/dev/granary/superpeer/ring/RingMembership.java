package dev.granary.superpeer.ring;

import dev.granary.env.Steps;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.Announce;
import dev.granary.net.message.RingMessages.JoinRing;
import dev.granary.net.message.RingMessages.JoinRingReply;
import dev.granary.net.message.RingMessages.RingViewMessage;
import dev.granary.net.message.RingMessages.SwitchRing;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NidAllocator;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Ring;
import dev.granary.process.NodeIdentity;
import dev.granary.raft.MemberId;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.replicated.RaftHost;
import dev.granary.superpeer.ring.MembershipFile.Founding;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingState;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How this super-peer comes to the ring and stays in touch with it: founds it once, or joins and follows it (ADR 0087).
 * Runs as tasks of the node's scheduler, but for {@link #notReadyReason}, which any thread may call.
 */
public final class RingMembership {

    private static final Logger LOG = LoggerFactory.getLogger(RingMembership.class);

    private static final long STARTING_RETRY_NANOS = 50_000_000;
    private static final long SWITCH_TIMEOUT_NANOS = 1_000_000_000;

    private final Node node;
    private final RaftHost host;
    private final RingBook book;
    private final RingGroup group;
    private final Steps switching;

    private volatile String waitingFor = "the super-peer is starting";
    private @Nullable MembershipFile file;
    private @Nullable RingFounder founder;
    private @Nullable Announcement announcement;
    private @Nullable JoinRing self;
    private @Nullable RingCommand rebuilding;
    private volatile @Nullable RingFollower follower;

    public RingMembership(Node node, RaftHost host, RingBook book) {
        this.node = node;
        this.host = host;
        this.book = book;
        this.group = new RingGroup(node, host, book, this::leadsNow);
        this.switching = new Steps(node.environment().scheduler(), "ring-switch", host.heartbeatNanos());
    }

    public RingGroup group() {
        return group;
    }

    /** Returns the address of the ring's leader as far as is known here; null when it is not known. */
    @Nullable
    public HostAddress leaderAddress() {
        int leader = group.leaderNid();
        if (leader != Nid.NONE) {
            return leader == node.rpcIdentity().nid() ? null : book.addressOf(leader);
        }
        RingFollower following = follower;
        return following == null ? null : following.lastLeader();
    }

    /** Returns the NID of the ring's leader as far as is known here; {@link Nid#NONE} when it is not known. */
    public int leaderNid() {
        int leader = group.leaderNid();
        HostAddress address = leaderAddress();
        RingView view = book.view();
        if (leader != Nid.NONE || address == null || view == null) {
            return leader;
        }
        return view.superPeers().stream()
                .filter(superPeer -> superPeer.address().equals(address))
                .mapToInt(SuperPeerRecord::nid)
                .findFirst()
                .orElse(Nid.NONE);
    }

    /** Returns why the cluster cannot be used through this super-peer; empty when it can. Any thread. */
    public Optional<String> notReadyReason() {
        Ring current = book.ring();
        if (current == null) {
            RingFollower following = follower;
            String trouble = following == null ? "" : following.lastTrouble();
            return Optional.of(trouble.isEmpty() ? waitingFor : waitingFor + " (" + trouble + ")");
        }
        return current.formed() ? Optional.empty() : Optional.of(incomplete(current));
    }

    /** Returns the message that the ring does not have all its super-peers yet. */
    static String incomplete(Ring ring) {
        int missing = ring.expectedSize() - ring.members().size();
        return "the ring is incomplete: " + ring.members().size() + " of " + ring.expectedSize()
                + " super-peers have joined, " + missing + (missing == 1 ? " is" : " are") + " missing";
    }

    /** Reads cluster, NID and view of the ring from the disk. */
    public void open() throws IOException {
        file = MembershipFile.read(node.environment().disk()).orElse(null);
        if (file != null) {
            node.rpcIdentity().joinCluster(file.clusterId());
            node.rpcIdentity().takeNid(file.nid());
            book.open();
        }
    }

    /** Starts as the disk says, which wins over the configuration. */
    public void begin(HostAddress address, HostAddress httpAddress) throws IOException {
        JoinRing me = new JoinRing(
                node.identity().diskId(),
                node.identity().incarnation(),
                node.config().name(),
                address,
                httpAddress);
        self = me;
        announcement = new Announcement(node, book, address);
        MembershipFile known = file;
        if (known != null) {
            resume(known, me);
        } else if (node.config().bootstrap()) {
            waitingFor = "asking the seeds whether there is a cluster already, before founding one";
            RingFounder asking = new RingFounder(node, () -> found(me));
            founder = asking;
            asking.begin(address);
        } else if (node.config().seeds().isEmpty()) {
            node.control()
                    .fail(
                            "the data directory is empty, cluster.seeds names no super-peer to join, and ring.bootstrap"
                                    + " is false. Set cluster.seeds to join a cluster, or ring.bootstrap=true on one"
                                    + " super-peer to found one.",
                            null);
        } else {
            waitingFor = "waiting to be admitted to the ring";
            LOG.atInfo().addKeyValue("seeds", node.config().seeds()).log("joining a cluster through the seeds");
            follow(me);
        }
    }

    public void stop() {
        if (founder != null) {
            founder.stop();
        }
        if (announcement != null) {
            announcement.stop();
        }
        RingFollower following = follower;
        if (following != null) {
            following.stop();
        }
    }

    private void resume(MembershipFile known, JoinRing me) throws IOException {
        waitingFor = "waiting for the ring's leader";
        if (node.config().bootstrap() && known.founding() == Founding.NONE) {
            LOG.atInfo()
                    .addKeyValue("clusterId", known.clusterId())
                    .log("ring.bootstrap has no effect: the data directory already holds a cluster");
        }
        MemberId member = host.memberOnDisk(GroupId.RING);
        if (member == null && known.founding() != Founding.NONE) {
            member = GroupId.member(0, known.nid());
        }
        if (member != null) {
            group.open(member);
        }
        begunWith(me);
    }

    /** Starts to follow the ring and to announce this super-peer, as cluster and NID are known. */
    private void begunWith(JoinRing me) {
        if (announcement != null) {
            announcement.begin();
        }
        if (follower == null) {
            follow(me);
        }
    }

    private void follow(JoinRing me) {
        RingFollower following = new RingFollower(node, me, book, group::leads, this::admitted);
        follower = following;
        following.begin();
    }

    private void found(JoinRing me) {
        UUID clusterId = NodeIdentity.randomUuid(node.environment().random());
        try {
            remember(new MembershipFile(clusterId, RingState.FOUNDER_NID, Founding.FOUND, 0));
            group.open(GroupId.member(0, RingState.FOUNDER_NID));
            begunWith(me);
        } catch (IOException e) {
            node.control().fail("the disk has failed, no cluster can be founded", e);
        } catch (RuntimeException e) {
            // Not tried again: the id of the cluster may be on the disk already, and the next process goes on with it.
            node.control().fail("no cluster can be founded", e);
        }
    }

    private void remember(MembershipFile newer) throws IOException {
        newer.write(node.environment().disk());
        file = newer;
        node.rpcIdentity().joinCluster(newer.clusterId());
        node.rpcIdentity().takeNid(newer.nid());
    }

    /**
     * Called when this super-peer leads the ring. Founds or rebuilds the ring if that is still to be done, and commits
     * its own address.
     */
    private void leadsNow() {
        JoinRing me = Objects.requireNonNull(self);
        MembershipFile known = Objects.requireNonNull(file);
        RingView view = group.state().view();
        if (view == null) {
            int size = node.config().ringSize();
            RingCommand command = known.founding() == Founding.REBUILD
                    ? rebuilding
                    : new RingCommand.FoundRing(
                            wallMillis(),
                            known.clusterId(),
                            size,
                            me.diskId(),
                            me.name(),
                            me.address(),
                            me.httpAddress());
            if (command == null) {
                waitingFor = "a rebuilding of the ring was begun: 'granary ring rebuild' goes on with it";
                return;
            }
            Async.whenDone(group.committer().commit(command), (result, failure) -> {
                if (failure != null) {
                    LOG.atWarn().setCause(failure).log("the ring is not founded yet");
                } else {
                    founded(size);
                }
            });
            return;
        }
        founded(view.expectedSize());
        SuperPeerRecord committed = view.superPeer(known.nid()).orElse(null);
        boolean moved = committed == null
                || !committed.address().equals(me.address())
                || !committed.httpAddress().equals(me.httpAddress())
                || !committed.name().equals(me.name());
        if (moved) {
            RingCommand command =
                    new RingCommand.Admit(wallMillis(), me.diskId(), me.name(), me.address(), me.httpAddress());
            Async.whenDone(
                    group.committer().commit(command),
                    (result, failure) -> LOG.atInfo().log(
                            failure == null
                                    ? "the ring knows the new address"
                                    : "the ring does not know the address yet"));
        }
    }

    private long wallMillis() {
        return node.environment().clock().wallMillis();
    }

    private void founded(int size) {
        // As it is now: a ring of one is complete at once, and its arc may have been begun since the commit.
        MembershipFile known = Objects.requireNonNull(file);
        if (known.founding() == Founding.NONE) {
            return;
        }
        try {
            remember(known.founded());
        } catch (IOException e) {
            node.control().fail("the disk has failed, the founding cannot be recorded", e);
            return;
        }
        LOG.atInfo()
                .addKeyValue("clusterId", known.clusterId())
                .addKeyValue("ringSize", size)
                .log(known.founding() == Founding.REBUILD ? "rebuilt the ring of a cluster" : "founded a cluster");
        if (size == 1) {
            LOG.atWarn()
                    .log("with one super-peer its death ends every lease: storage peers stop to serve when it is away"
                            + " for longer than a lease");
        }
    }

    /** Takes the answer of the ring's leader. */
    private void admitted(JoinRingReply reply) {
        RingView view;
        try {
            view = RingView.read(reply.view().bytes());
        } catch (IllegalArgumentException e) {
            LOG.atError().setCause(e).log("the ring that the leader sent cannot be read");
            return;
        }
        if (file == null) {
            try {
                remember(new MembershipFile(view.clusterId(), reply.yourNid(), Founding.NONE, 0));
            } catch (IOException e) {
                node.control().fail("the disk has failed, the NID cannot be kept", e);
                return;
            }
            LOG.atInfo()
                    .addKeyValue("nid", Nid.toHex(reply.yourNid()))
                    .addKeyValue("clusterId", view.clusterId())
                    .log("this super-peer has a NID");
            book.learn(view);
            begunWith(Objects.requireNonNull(self));
        } else if (reply.yourNid() != file.nid()) {
            node.control()
                    .fail(
                            "the ring was rebuilt without this super-peer, which belongs to an earlier one: its data"
                                    + " directory is of no use any more. Start it with an empty one.",
                            null);
        } else {
            book.learn(view);
        }
    }

    /** Returns the address under which this super-peer serves; null before it listens. */
    @Nullable
    public HostAddress address() {
        return self == null ? null : self.address();
    }

    /**
     * Whether this super-peer belongs to no ring, and may rebuild the ring of a cluster that has lost all its
     * super-peers.
     */
    public boolean mayRebuild() {
        return self != null
                && !node.config().bootstrap()
                && (file == null
                        || (file.founding() == Founding.REBUILD && group.state().view() == null));
    }

    /**
     * Begins to rebuild the ring, with this super-peer as its only member (ADR 0127).
     *
     * @param given all NIDs that are given
     * @throws IOException when the disk fails
     * @throws IllegalStateException when this super-peer has begun with another NID before
     */
    public void rebuild(UUID clusterId, long epoch, List<NidAllocator.Assignment> given) throws IOException {
        JoinRing me = Objects.requireNonNull(self);
        int nid = NidAllocator.restore(given).allocate(me.diskId(), NodeRole.SUPER_PEER);
        rebuilding = new RingCommand.RebuildRing(
                wallMillis(),
                clusterId,
                epoch,
                node.config().ringSize(),
                me.diskId(),
                me.name(),
                me.address(),
                me.httpAddress(),
                given);
        MembershipFile known = file;
        if (known == null) {
            remember(new MembershipFile(clusterId, nid, Founding.REBUILD, 0));
            group.open(GroupId.member(0, nid));
            begunWith(me);
        } else if (known.nid() != nid || !known.clusterId().equals(clusterId)) {
            throw new IllegalStateException("this super-peer has begun a rebuilding with other storage peers:"
                    + " start it with an empty data directory");
        } else if (group.leads()) {
            leadsNow();
        }
    }

    /** Returns the generation of the last of this super-peer's arcs whose Raft group it has begun. */
    public int begunArcGeneration() {
        return file == null ? SuperPeerRecord.OUTSIDE : file.arcGeneration();
    }

    /** Records durably that this super-peer begins the Raft group of an arc. */
    public void beginsArc(int generation) throws IOException {
        remember(Objects.requireNonNull(file).withArcGeneration(generation));
    }

    /**
     * Takes part in the ring's Raft group as a message has named this super-peer as a member: the leader wants it to.
     */
    public void openGroup(MemberId self) {
        if (file == null || GroupId.membership(self) == 0) {
            return;
        }
        try {
            group.open(self);
        } catch (IOException e) {
            node.control().fail("the log of the ring cannot be opened", e);
        }
    }

    /** Takes a view that the ring's leader has sent after a change. */
    public void receiveView(RpcRequest request, RingViewMessage message) {
        learn(message.view().bytes());
        request.reply(new Empty());
    }

    private void learn(byte[] bytes) {
        RingView known = book.view();
        if (known == null) {
            // Only the reply to its own request to join tells this super-peer its NID.
            return;
        }
        try {
            RingView view = RingView.read(bytes);
            if (view.clusterId().equals(known.clusterId())) {
                book.learn(view);
            }
        } catch (IllegalArgumentException e) {
            LOG.atWarn().setCause(e).log("a view of the ring cannot be read");
        }
    }

    /**
     * Asks the ring's leader to switch, as the part has arrived. Runs {@code then} when the ring has switched or the
     * caller should try again, and runs it again if it throws.
     */
    public void letSwitch(SwitchRing request, Runnable then) {
        switching.run(() -> askToSwitch(request, then), then);
    }

    private void askToSwitch(SwitchRing request, Runnable then) {
        if (group.leads()) {
            RingCommand command = new RingCommand.Switch(wallMillis(), request.operation());
            Async.whenDone(group.committer().commit(command), (result, failure) -> {
                if (failure == null) {
                    switching.run(then, then);
                } else {
                    // After a pause: a leader that is about to lose its leadership refuses at once, each time.
                    switching.after(host.heartbeatNanos(), then);
                }
            });
            return;
        }
        HostAddress leader = leaderAddress();
        if (leader == null) {
            switching.after(host.heartbeatNanos(), then);
            return;
        }
        node.ask(leader, Nid.NONE, MessageType.SWITCH_RING, request, SWITCH_TIMEOUT_NANOS, (reply, failure) -> {
            if (reply != null) {
                switching.run(
                        () -> {
                            learn(reply.view().bytes());
                            then.run();
                        },
                        then);
            } else {
                switching.after(host.heartbeatNanos(), then);
            }
        });
    }

    public void announce(RpcRequest request, Announce message) {
        Announcement announcing = announcement;
        if (announcing == null) {
            request.fail(ErrorReply.retryLater(STARTING_RETRY_NANOS, "this super-peer is just starting"));
        } else {
            announcing.receive(request, message);
        }
    }
}
