package dev.granary.superpeer.ring;

import dev.granary.net.message.Blob;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.RingMessages.AssignNid;
import dev.granary.net.message.RingMessages.AssignNidReply;
import dev.granary.net.message.RingMessages.JoinRing;
import dev.granary.net.message.RingMessages.JoinRingReply;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.net.message.RingMessages.RingViewMessage;
import dev.granary.net.message.RingMessages.SwitchRing;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Ring;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingResult;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests about the ring. The leader of the ring's Raft group commits changes before it answers; other
 * super-peers refer to the leader. Runs as tasks of the node's scheduler.
 */
public final class RingRequests {

    private static final Logger LOG = LoggerFactory.getLogger(RingRequests.class);
    private static final long NO_LEADER_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Node node;
    private final RingBook book;
    private final RingMembership membership;
    private final RingGroup group;

    public RingRequests(Node node, RingBook book, RingMembership membership) {
        this.node = node;
        this.book = book;
        this.membership = membership;
        this.group = membership.group();
    }

    public void getRing(RpcRequest request) {
        Ring current = book.ring();
        if (current == null) {
            request.fail(ErrorCode.RING_INCOMPLETE, "this super-peer belongs to no cluster yet");
        } else {
            request.reply(new RingReply(current));
        }
    }

    public void joinRing(RpcRequest request, JoinRing join) {
        RingView view = leading(request);
        if (view == null) {
            return;
        }
        SuperPeerRecord known =
                view.superPeer(group.state().nidOf(join.diskId())).orElse(null);
        if (known != null) {
            group.driver().heard(known.nid());
        }
        if (known != null
                && known.name().equals(join.name())
                && known.address().equals(join.address())
                && known.httpAddress().equals(join.httpAddress())) {
            request.reply(new JoinRingReply(known.nid(), new Blob(view.toBytes())));
            return;
        }
        RingCommand command = new RingCommand.Admit(
                node.environment().clock().wallMillis(),
                join.diskId(),
                join.name(),
                join.address(),
                join.httpAddress());
        Answers.whenCommitted(request, group.committer().commit(command), result -> {
            switch (result) {
                case RingResult.Admitted admitted -> {
                    LOG.atInfo()
                            .addKeyValue("nid", Nid.toHex(admitted.nid()))
                            .addKeyValue("peer", join.name())
                            .addKeyValue("address", join.address())
                            .log(known == null ? "admitted a super-peer" : "a super-peer has moved");
                    RingView after = Objects.requireNonNull(group.state().view());
                    request.reply(new JoinRingReply(admitted.nid(), new Blob(after.toBytes())));
                }
                case RingResult.Refused refused -> {
                    LOG.atWarn()
                            .addKeyValue("peer", join.name())
                            .addKeyValue("address", join.address())
                            .log("refused a super-peer: {}", refused.message());
                    request.fail(codeOf(refused), refused.message());
                }
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    public void assignNid(RpcRequest request, AssignNid assign) {
        RingView view = leading(request);
        if (view == null) {
            return;
        }
        if (!view.formed()) {
            request.fail(incompleteReply(view.ring()));
            return;
        }
        int known = group.state().nidOf(assign.diskId());
        if (known != Nid.NONE && Nid.role(known) == NodeRole.STORAGE_PEER) {
            request.reply(new AssignNidReply(known, view.ring()));
            return;
        }
        RingCommand command = new RingCommand.AssignNid(assign.diskId());
        Answers.whenCommitted(request, group.committer().commit(command), result -> {
            switch (result) {
                case RingResult.Assigned assigned -> {
                    LOG.atInfo()
                            .addKeyValue("nid", Nid.toHex(assigned.nid()))
                            .addKeyValue("peer", assign.name())
                            .addKeyValue("diskId", assign.diskId())
                            .log("gave a NID to a storage peer");
                    RingView after = Objects.requireNonNull(group.state().view());
                    request.reply(new AssignNidReply(assigned.nid(), after.ring()));
                }
                case RingResult.Refused refused -> request.fail(codeOf(refused), refused.message());
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    /** Commits the switch of an operation, as its target has the whole part. From then on the ring is another one. */
    public void switchRing(RpcRequest request, SwitchRing wanted) {
        RingView view = leading(request);
        if (view == null) {
            return;
        }
        RingCommand command = new RingCommand.Switch(node.environment().clock().wallMillis(), wanted.operation());
        Answers.whenCommitted(request, group.committer().commit(command), result -> {
            RingView after = Objects.requireNonNull(group.state().view());
            request.reply(new RingViewMessage(new Blob(after.toBytes())));
        });
    }

    public void resize(RpcRequest request, ResizeRing wanted) {
        if (leading(request) == null) {
            return;
        }
        RingCommand command = new RingCommand.Resize(node.environment().clock().wallMillis(), wanted.size(), true);
        Answers.whenCommitted(request, group.committer().commit(command), result -> {
            if (result instanceof RingResult.Refused refused) {
                request.fail(ErrorCode.BAD_REQUEST, refused.message());
            } else {
                LOG.atInfo().addKeyValue("ringSize", wanted.size()).log("the ring is to have another size");
                request.reply(new Empty());
            }
        });
    }

    private static ErrorCode codeOf(RingResult.Refused refused) {
        return refused.reason() == RingResult.Reason.FULL ? ErrorCode.RING_FULL : ErrorCode.BAD_REQUEST;
    }

    /** Returns the committed view if this super-peer leads the ring. If not, refuses the request and returns null. */
    private @Nullable RingView leading(RpcRequest request) {
        Ring current = book.ring();
        if (current == null) {
            request.fail(ErrorCode.RING_INCOMPLETE, "this super-peer belongs to no cluster yet");
            return null;
        }
        RingView view = group.state().view();
        if (group.leads() && view != null) {
            return view;
        }
        HostAddress leader = membership.leaderAddress();
        if (leader == null) {
            request.fail(ErrorReply.retryLater(NO_LEADER_RETRY_NANOS, "nobody leads the ring at the moment"));
        } else {
            request.fail(ErrorReply.redirect(leader, current.epoch(), "another super-peer leads the ring"));
        }
        return null;
    }

    /** Returns the refusal of requests that need a complete ring. */
    public static ErrorReply incompleteReply(Ring ring) {
        return new ErrorReply(ErrorCode.RING_INCOMPLETE, 0, ring.epoch(), null, RingMembership.incomplete(ring));
    }
}
