package dev.granary.superpeer.ring;

import dev.granary.env.Loop;
import dev.granary.net.message.Blob;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.RingViewMessage;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.replicated.RaftHost;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the ring to its size while this super-peer leads it, one operation after the other (ADR 0089): promotes the
 * ring candidate that came first, and demotes the super-peer that came last, or one that has been silent for long. The
 * leaders of the arcs concerned carry the operation out. Tasks of the node's scheduler.
 */
public final class RingDriver {

    private static final Logger LOG = LoggerFactory.getLogger(RingDriver.class);

    private static final int HEARTBEATS_PER_LOOK = 4;
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long CALL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Unless a person sets the ring's size, it has one super-peer for this many storage peers, if there are enough ring
     * candidates.
     */
    private static final int STORAGE_PEERS_PER_SUPER_PEER = 12;

    private final Node node;
    private final RingGroup group;
    private final RingBook book;
    private final TreeMap<Integer, Long> heardNanos = new TreeMap<>();
    private final Loop loop;
    private boolean committing;
    private long leadsSinceNanos;
    private long pushedVersion;

    RingDriver(Node node, RaftHost host, RingGroup group, RingBook book) {
        this.node = node;
        this.group = group;
        this.book = book;
        this.loop = Loop.every(
                        node.environment().scheduler(),
                        "ring",
                        () -> HEARTBEATS_PER_LOOK * host.heartbeatNanos(),
                        this::tick)
                .vital();
    }

    /** Starts to look at the ring, as this super-peer leads it now. */
    void begin() {
        leadsSinceNanos = node.nanoTime();
        heardNanos.clear();
        committing = false;
        loop.begin();
    }

    /** Notes that a super-peer lives, as it has asked for the view. */
    void heard(int nid) {
        heardNanos.put(nid, node.nanoTime());
    }

    private void tick() {
        if (!group.leads()) {
            loop.stop();
            return;
        }
        look();
    }

    /** Sends the newest view to all other super-peers, once. A super-peer that was not reached asks for it. */
    void push() {
        RingView view = group.state().view();
        if (view == null || !group.leads() || view.version() <= pushedVersion) {
            return;
        }
        pushedVersion = view.version();
        RingViewMessage message = new RingViewMessage(new Blob(view.toBytes()));
        for (SuperPeerRecord superPeer : view.superPeers()) {
            HostAddress address = book.addressOf(superPeer.nid());
            if (superPeer.nid() != node.rpcIdentity().nid() && address != null) {
                node.ask(
                        address,
                        superPeer.nid(),
                        MessageType.RING_VIEW,
                        message,
                        CALL_TIMEOUT_NANOS,
                        (reply, failure) -> {});
            }
        }
    }

    private void look() {
        push();
        RingView view = group.state().view();
        if (view == null || !view.formed() || committing) {
            return;
        }
        RingOperation operation = view.operation();
        if (operation != null) {
            if (operation.kind() == RingOperation.Kind.PROMOTE && isSilent(operation.nid())) {
                commit(new RingCommand.Cancel(wallMillis(), operation.id()));
            }
        } else if (view.size() < view.expectedSize()) {
            candidates(view)
                    .findFirst()
                    .ifPresent(candidate ->
                            commit(new RingCommand.Begin(wallMillis(), RingOperation.Kind.PROMOTE, candidate.nid())));
        } else if (view.size() > view.expectedSize()) {
            leaving(view)
                    .ifPresent(member ->
                            commit(new RingCommand.Begin(wallMillis(), RingOperation.Kind.DEMOTE, member.nid())));
        } else {
            growByNeed(view);
        }
    }

    /** Returns how many super-peers this number of storage peers needs, at least 1. */
    public static int recommendedSize(int storagePeers) {
        return Math.max(1, (storagePeers + STORAGE_PEERS_PER_SUPER_PEER - 1) / STORAGE_PEERS_PER_SUPER_PEER);
    }

    private long wallMillis() {
        return node.environment().clock().wallMillis();
    }

    private void growByNeed(RingView view) {
        int needed = recommendedSize(group.state().storagePeerCount());
        int possible = (int) Math.min(needed, view.size() + candidates(view).count());
        if (!view.sizeChosen() && possible > view.expectedSize()) {
            commit(new RingCommand.Resize(wallMillis(), possible, false));
        }
    }

    /** Returns the ring candidates that were heard of lately, in the order in which they got their NIDs. */
    private Stream<SuperPeerRecord> candidates(RingView view) {
        return view.superPeers().stream()
                .filter(superPeer -> !superPeer.isMember() && isThere(superPeer.nid()))
                .sorted(Comparator.comparingInt(superPeer -> Nid.reverse16(superPeer.nid() & ~1)));
    }

    /**
     * Returns the super-peer to demote: one that has been silent for long, otherwise the one that came last. Returns
     * none while some super-peer may be gone: without one that lives an arc might lose its majority.
     */
    private Optional<SuperPeerRecord> leaving(RingView view) {
        List<SuperPeerRecord> members =
                view.superPeers().stream().filter(SuperPeerRecord::isMember).toList();
        Optional<SuperPeerRecord> silent =
                members.stream().filter(member -> isSilent(member.nid())).findFirst();
        int self = node.rpcIdentity().nid();
        boolean allKnown = members.stream().allMatch(member -> member.nid() == self || isThere(member.nid()));
        return silent.isPresent() || !allKnown
                ? silent
                : members.stream().max(Comparator.comparingInt(member -> Nid.reverse16(member.nid() & ~1)));
    }

    private boolean isThere(int nid) {
        Long heard = heardNanos.get(nid);
        return heard != null && node.nanoTime() - heard < SILENT_NANOS / 2;
    }

    /**
     * Whether a super-peer has been silent for long, while this super-peer led the ring and would have heard of it.
     */
    private boolean isSilent(int nid) {
        long sinceNanos = Math.max(leadsSinceNanos, heardNanos.getOrDefault(nid, leadsSinceNanos));
        return nid != node.rpcIdentity().nid() && node.nanoTime() - sinceNanos > SILENT_NANOS;
    }

    private void commit(RingCommand command) {
        committing = true;
        Async.whenDone(group.committer().commit(command), (result, failure) -> {
            committing = false;
            LOG.atInfo().log("the ring changes: {} -> {}", command, failure == null ? result : failure);
            push();
        });
    }
}
