package dev.granary.superpeer;

import dev.granary.net.message.AssignNid;
import dev.granary.net.message.AssignNidReply;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.JoinRing;
import dev.granary.net.message.RingReply;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.process.NodeIdentity;
import dev.granary.superpeer.state.Journal;
import dev.granary.superpeer.state.RingCommand;
import dev.granary.superpeer.state.RingResult;
import dev.granary.superpeer.state.RingState;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This super-peer's part in the ring: founds it once, or joins and follows it; as the leader admits super-peers and
 * gives NIDs to disks, committed before they are told (ADR 0080). Runs as tasks of the node's scheduler, but for
 * {@link #ring} and {@link #notReadyReason}, which any thread may call.
 */
final class RingMembership {

    private static final Logger LOG = LoggerFactory.getLogger(RingMembership.class);

    private final Node node;
    private final RingState state;
    private final Journal<RingCommand, RingResult> journal;
    private final Runnable onRingChange;

    private volatile @Nullable Ring ring;
    private volatile String waitingFor = "the super-peer is starting";
    private @Nullable RingFounder founder;
    private @Nullable LeaderAnnouncement announcement;
    private volatile @Nullable RingFollower follower;

    /**
     * @param journal through which all changes of the state go
     * @param onRingChange called after each change of the ring
     */
    RingMembership(Node node, RingState state, Journal<RingCommand, RingResult> journal, Runnable onRingChange) {
        this.node = node;
        this.state = state;
        this.journal = journal;
        this.onRingChange = onRingChange;
    }

    /** The ring as it is known now, or null while this super-peer belongs to none. Any thread. */
    @Nullable
    Ring ring() {
        return ring;
    }

    /** Why the cluster cannot be used through this super-peer; empty when it can. Any thread. */
    Optional<String> notReadyReason() {
        Ring current = ring;
        if (current == null) {
            RingFollower following = follower;
            String trouble = following == null ? "" : following.lastTrouble();
            return Optional.of(trouble.isEmpty() ? waitingFor : waitingFor + " (" + trouble + ")");
        }
        return current.isComplete() ? Optional.empty() : Optional.of(incomplete(current));
    }

    /** Starts with what the disk holds. What it holds wins over the configuration. */
    void begin(HostAddress address, HostAddress httpAddress) {
        JoinRing me = new JoinRing(
                node.identity().diskId(),
                node.identity().incarnation(),
                node.config().name(),
                address,
                httpAddress);
        Ring known = state.ring();
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

    void stop() {
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

    private void resume(Ring known, JoinRing me) {
        refresh();
        if (node.config().bootstrap()) {
            LOG.atInfo()
                    .addKeyValue("clusterId", known.clusterId())
                    .log("ring.bootstrap has no effect: the data directory already holds a cluster");
        }
        if (node.config().ringSize() != known.expectedSize()) {
            LOG.atInfo()
                    .addKeyValue("ring.size", node.config().ringSize())
                    .addKeyValue("foundedFor", known.expectedSize())
                    .log("ring.size has no effect: the size of the ring was fixed when the cluster was founded");
        }
        if (state.isLeader()) {
            LeaderAnnouncement announcing = new LeaderAnnouncement(node, me, state::ring);
            announcement = announcing;
            Async.then(journal.commit(admission(me)), result -> {
                refresh();
                announcing.begin();
            });
        } else {
            follow(me);
        }
    }

    private void follow(JoinRing me) {
        RingFollower following = new RingFollower(node, me, state::ring, this::adopt);
        follower = following;
        following.begin();
    }

    private void found(JoinRing me) {
        UUID clusterId = NodeIdentity.randomUuid(node.environment().random());
        int size = node.config().ringSize();
        RingCommand command =
                new RingCommand.FoundRing(clusterId, size, me.diskId(), me.name(), me.address(), me.httpAddress());
        Async.then(journal.commit(command), result -> {
            LOG.atInfo()
                    .addKeyValue("clusterId", clusterId)
                    .addKeyValue("ringSize", size)
                    .log("founded a cluster");
            if (size == 1) {
                LOG.atWarn()
                        .log(
                                "with one super-peer its death ends every lease: storage peers stop to serve when it is away"
                                        + " for longer than a lease");
            }
            refresh();
        });
    }

    private void adopt(RingReply reply) {
        Ring known = state.ring();
        if (known != null && known.epoch() >= reply.ring().epoch()) {
            return;
        }
        RingCommand command = new RingCommand.AdoptRing(reply.yourNid(), reply.ring());
        Async.then(journal.commit(command), result -> {
            if (result instanceof RingResult.Refused refused) {
                LOG.atError().log("the ring that the leader sent is refused: {}", refused.message());
            }
            refresh();
        });
    }

    private static RingCommand.AdmitMember admission(JoinRing join) {
        return new RingCommand.AdmitMember(join.diskId(), join.name(), join.address(), join.httpAddress());
    }

    /** Makes the committed state known to the other parts. */
    private void refresh() {
        Ring current = state.ring();
        if (current == null || current.equals(ring)) {
            return;
        }
        node.rpcIdentity().joinCluster(current.clusterId());
        node.rpcIdentity().takeNid(state.ownNid());
        ring = current;
        LOG.atInfo()
                .addKeyValue("nid", Nid.toHex(state.ownNid()))
                .addKeyValue("epoch", current.epoch())
                .addKeyValue("size", current.members().size())
                .addKeyValue("expectedSize", current.expectedSize())
                .addKeyValue("arc", current.arcOf(state.ownNid()))
                .log("the ring has changed");
        onRingChange.run();
    }

    void getRing(RpcRequest request) {
        Ring current = state.ring();
        if (current == null) {
            request.fail(ErrorCode.RING_INCOMPLETE, "this super-peer belongs to no cluster yet");
        } else {
            request.reply(new RingReply(Nid.NONE, current));
        }
    }

    void joinRing(RpcRequest request, JoinRing join) {
        RingFollower following = follower;
        Ring known = state.ring();
        if (following != null && known != null && isFromLeader(request, known)) {
            following.leaderIsAt(join.address());
            request.reply(new RingReply(known.leaderNid(), known));
            return;
        }
        admitMember(request, join);
    }

    private static boolean isFromLeader(RpcRequest request, Ring known) {
        return request.caller().role() == dev.granary.net.message.NodeRole.SUPER_PEER
                && request.caller().nid() == known.leaderNid();
    }

    private void admitMember(RpcRequest request, JoinRing join) {
        Ring current = leading(request);
        if (current == null) {
            return;
        }
        int nid = state.nidOf(join.diskId());
        RingMember known = current.member(nid).orElse(null);
        if (known != null && known.equals(new RingMember(nid, join.name(), join.address(), join.httpAddress()))) {
            request.reply(new RingReply(nid, current));
            return;
        }
        Answers.whenCommitted(request, journal.commit(admission(join)), result -> {
            switch (result) {
                case RingResult.Member member -> {
                    LOG.atInfo()
                            .addKeyValue("nid", Nid.toHex(member.nid()))
                            .addKeyValue("name", join.name())
                            .addKeyValue("address", join.address())
                            .log(nid == Nid.NONE ? "admitted a super-peer" : "a super-peer has moved");
                    refresh();
                    request.reply(new RingReply(member.nid(), member.ring()));
                }
                case RingResult.Refused refused -> {
                    LOG.atWarn()
                            .addKeyValue("name", join.name())
                            .addKeyValue("address", join.address())
                            .log("refused a super-peer: {}", refused.message());
                    request.fail(codeOf(refused), refused.message());
                }
                case RingResult.Assigned other -> throw new IllegalStateException("unexpected " + other);
            }
        });
    }

    void assignNid(RpcRequest request, AssignNid assign) {
        Ring current = leading(request);
        if (current == null) {
            return;
        }
        if (!current.isComplete()) {
            request.fail(incompleteReply(current));
            return;
        }
        int known = state.nidOf(assign.diskId());
        if (known != Nid.NONE && Nid.role(known) == NodeRole.STORAGE_PEER) {
            request.reply(new AssignNidReply(known, current));
            return;
        }
        Answers.whenCommitted(request, journal.commit(new RingCommand.AssignNid(assign.diskId())), result -> {
            switch (result) {
                case RingResult.Assigned assigned -> {
                    LOG.atInfo()
                            .addKeyValue("nid", Nid.toHex(assigned.nid()))
                            .addKeyValue("name", assign.name())
                            .addKeyValue("diskId", assign.diskId())
                            .log("gave a NID to a storage peer");
                    request.reply(new AssignNidReply(assigned.nid(), Objects.requireNonNull(state.ring())));
                }
                case RingResult.Refused refused -> request.fail(codeOf(refused), refused.message());
                case RingResult.Member other -> throw new IllegalStateException("unexpected " + other);
            }
        });
    }

    private static ErrorCode codeOf(RingResult.Refused refused) {
        return refused.reason() == RingResult.Reason.FULL ? ErrorCode.RING_FULL : ErrorCode.BAD_REQUEST;
    }

    /** The ring when this super-peer leads it; otherwise answers the request and returns null. */
    private @Nullable Ring leading(RpcRequest request) {
        Ring current = state.ring();
        if (current == null) {
            request.fail(ErrorCode.RING_INCOMPLETE, "this super-peer belongs to no cluster yet");
            return null;
        }
        if (!state.isLeader()) {
            request.fail(ErrorReply.redirect(
                    current.leader().address(),
                    current.epoch(),
                    "super-peer " + Nid.toHex(current.leaderNid()) + " leads the ring"));
            return null;
        }
        return current;
    }

    /** The answer to what only a complete ring can do. */
    static ErrorReply incompleteReply(Ring ring) {
        return new ErrorReply(ErrorCode.RING_INCOMPLETE, 0, ring.epoch(), null, incomplete(ring));
    }

    private static String incomplete(Ring ring) {
        int missing = ring.expectedSize() - ring.members().size();
        return "the ring is incomplete: " + ring.members().size() + " of " + ring.expectedSize()
                + " super-peers have joined, " + missing + (missing == 1 ? " is" : " are") + " missing";
    }
}
