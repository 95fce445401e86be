package dev.granary.superpeer.arc;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.RangeMessages.AwaitOwner;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.Ring;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.MemoryBudget;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.SuperPeerMemory;
import dev.granary.superpeer.node.SuperPeerMetrics.LookupOutcome;
import dev.granary.superpeer.node.Turns;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.peer.PeerFacts;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.ring.RingBook;
import dev.granary.superpeer.state.PeerRecord;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers lookups from any replica of the arc. Holds back the answers to callers that could not reach the owner that
 * they know (ADR 0149). Tasks of the node's scheduler.
 */
public final class Lookups {

    private static final HostAddress NOWHERE = new HostAddress("unknown.invalid", 1);
    private static final long NO_ADDRESS_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The longest time for which an answer is held back. */
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Node node;
    private final RingBook book;
    private final Arcs arcs;
    private final PeerFacts facts;
    private final PeerCatalog catalog;
    private final OwnerWaiters<Waiting> waiting = new OwnerWaiters<>();
    private final Turns turns = new Turns();
    private boolean lookIsComing;

    /** A request whose answer is held back. The same question asked twice is two of these. */
    private static final class Waiting {
        private final RpcRequest request;
        private final AwaitOwner question;

        Waiting(RpcRequest request, AwaitOwner question) {
            this.request = request;
            this.question = question;
        }
    }

    Lookups(Node node, RingBook book, Arcs arcs, PeerFacts facts, PeerCatalog catalog) {
        this.node = node;
        this.book = book;
        this.arcs = arcs;
        this.facts = facts;
        this.catalog = catalog;
    }

    /** Refuses all requests that wait; their callers ask another super-peer. */
    void stop() {
        waiting.takeAll().forEach(one -> one.request.fail(ErrorCode.SHUTTING_DOWN, "this super-peer is stopping"));
        count();
    }

    /**
     * Answers where a chunk is. Any holder of the arc may whose copy follows the group: one that is a little behind
     * names a storage peer that knows better. Only the leader may say that no storage peer has the chunk.
     */
    public void lookup(RpcRequest request, Lookup lookup) {
        answer(request, lookup.cid());
    }

    /**
     * Answers as a lookup does, but waits until the chunk has another owner than the one that the caller could not
     * reach, or the time of the question is over.
     */
    public void awaitOwner(RpcRequest request, AwaitOwner question) {
        if (question.waitNanos() < 0) {
            request.fail(ErrorCode.BAD_REQUEST, "a wait of " + question.waitNanos() + " ns is negative");
            return;
        }
        CidRange range = rangeOf(question.cid());
        if (range == null || isNews(range, question)) {
            answer(request, question.cid());
            return;
        }
        if (!hasRoom()) {
            request.fail(ErrorReply.retryLater(
                    turns.pauseNanos(node.nanoTime()), waiting.size() + " requests wait for other owners already"));
            return;
        }
        Waiting one = new Waiting(request, question);
        waiting.add(range, one);
        count();
        SuperPeerProbe.OWNER_AWAITED.hit();
        node.environment().scheduler().schedule(Math.min(question.waitNanos(), MAX_WAIT_NANOS), () -> {
            if (waiting.remove(one)) {
                count();
                Answers.orFail(request, () -> answer(request, question.cid()));
            }
        });
    }

    private boolean hasRoom() {
        MemoryBudget room = node.memory().ownerWaiters();
        return room.bytes() + SuperPeerMemory.WAITER_BYTES <= room.limitBytes();
    }

    private void count() {
        node.memory().ownerWaiters().set(waiting.size() * SuperPeerMemory.WAITER_BYTES);
    }

    /** Forgets requests whose connections are closed. */
    void giveBackGone() {
        waiting.those(one -> !one.request.isCallerThere()).forEach(waiting::remove);
        count();
    }

    /** Whether there is news for a question: the range has another owner, or is lost. */
    private static boolean isNews(CidRange range, AwaitOwner question) {
        boolean settled = range.placement().isServed() || range.placement().state() == PlacementState.LOST;
        return settled && range.placement().epoch() > question.seenEpoch();
    }

    /**
     * Called when the state of an arc has changed. A task answers the requests for which there is news; one task serves
     * many changes.
     */
    void look() {
        if (waiting.size() == 0 || lookIsComing) {
            return;
        }
        lookIsComing = true;
        node.environment().scheduler().execute(() -> {
            lookIsComing = false;
            waiting.tellChanged(this::rangeOf, one -> Answers.orFail(one.request, () -> tell(one)));
            count();
        });
    }

    private void tell(Waiting one) {
        CidRange range = rangeOf(one.question.cid());
        if (range == null || isNews(range, one.question)) {
            SuperPeerProbe.OWNER_NEWS_TOLD.hit();
            answer(one.request, one.question.cid());
        } else {
            waiting.add(range, one);
        }
    }

    private void answer(RpcRequest request, long cid) {
        int nid = Cid.nid(cid);
        if (!isStoragePeer(nid)) {
            notFound(request, cid);
            return;
        }
        LookupReply found = find(followingCopyOf(nid), cid);
        if (found != null) {
            reply(request, found);
        } else {
            arcs.atSureLeader(request, nid, services -> answerSurely(request, cid));
        }
    }

    private void answerSurely(RpcRequest request, long cid) {
        ArcReplica arc = arcs.copyOf(Cid.nid(cid));
        LookupReply found = find(arc, cid);
        if (found != null) {
            reply(request, found);
        } else if (arc != null && arc.state().find(cid) != null) {
            request.fail(ErrorReply.retryLater(
                    NO_ADDRESS_RETRY_NANOS,
                    "the address of the storage peer that owns chunk " + Cid.toHex(cid) + " is being looked up"));
        } else {
            notFound(request, cid);
        }
    }

    private void reply(RpcRequest request, LookupReply found) {
        node.metrics().countLookup(LookupOutcome.FOUND);
        request.reply(found);
    }

    private void notFound(RpcRequest request, long cid) {
        node.metrics().countLookup(LookupOutcome.NOT_FOUND);
        request.fail(ErrorCode.NOT_FOUND, "no storage peer ever had the CID " + Cid.toHex(cid));
    }

    /**
     * Returns the replica of the arc with a NID if what it says may be told. That of a super-peer that has left the
     * ring or the group, or is cut off, may be out of date for ever (ADR 0257).
     */
    private @Nullable ArcReplica followingCopyOf(int nid) {
        Ring ring = book.ring();
        ArcReplica arc = arcs.copyOf(nid);
        boolean holds = ring != null && ring.isHolder(node.rpcIdentity().nid(), nid);
        return holds && arc != null && arc.follows() ? arc : null;
    }

    private static boolean isStoragePeer(int nid) {
        return nid != Nid.NONE && Nid.role(nid) == NodeRole.STORAGE_PEER;
    }

    /** Returns the range of a CID; null when there is no range, or no replica of its arc here that may be told. */
    private @Nullable CidRange rangeOf(long cid) {
        int nid = Cid.nid(cid);
        ArcReplica arc = isStoragePeer(nid) ? followingCopyOf(nid) : null;
        return arc == null ? null : arc.state().find(cid);
    }

    /** Returns the range with the address of its owner; null also when the address is not known. */
    private @Nullable LookupReply find(@Nullable ArcReplica arc, long cid) {
        Ring ring = book.ring();
        CidRange range = arc == null ? null : arc.state().find(cid);
        if (ring == null || arc == null || range == null) {
            return null;
        }
        HostAddress address = addressOf(arc, range);
        return address == null ? null : new LookupReply(range, address, ring.epoch());
    }

    /** Returns the address of a range's owner. A range without an owner gets the address of its creator. */
    private @Nullable HostAddress addressOf(ArcReplica arc, CidRange range) {
        int owner = range.placement().owner();
        PeerRecord known = arc.state().peer(owner == Nid.NONE ? Cid.nid(range.startCid()) : owner);
        if (known != null) {
            return known.address();
        }
        if (owner == Nid.NONE) {
            // The creator is known from a cluster backup only, or is a slot group: there is no address to ask.
            return NOWHERE;
        }
        PeerInfo latest = facts.latest(owner);
        PeerInfo stranger = latest == null ? catalog.find(owner) : latest;
        return stranger == null ? null : stranger.address();
    }
}
