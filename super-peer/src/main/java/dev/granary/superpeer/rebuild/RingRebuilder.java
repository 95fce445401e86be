package dev.granary.superpeer.rebuild;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.RebuildProgress;
import dev.granary.net.message.RingMessages.RebuildRing;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Arc;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.arc.ArcReplica;
import dev.granary.superpeer.arc.Arcs;
import dev.granary.superpeer.lease.LeaseTerms;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.Committer;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.ring.RingBook;
import dev.granary.superpeer.ring.RingMembership;
import dev.granary.superpeer.state.GivenNids;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.PeerReport;
import dev.granary.superpeer.state.arc.RebuiltArc;
import dev.granary.superpeer.state.name.KeptNames;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingResult;
import dev.granary.superpeer.state.ring.RingView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds what super-peers knew from the reports of storage peers, when no replica of it is left and a person asks for
 * it (ADR 0127). A super-peer that belongs to no ring rebuilds the whole ring; the next super-peer on the ring rebuilds
 * a single arc. The person asks again and again, and each request does the next step; nothing happens without a
 * request. Tasks of the node's scheduler.
 *
 * <p>Invariants: (1) no ring is begun while a super-peer of the cluster answers or a storage peer holds a lease; (2)
 * nothing is put together before every storage peer that is mentioned has reported, unless its loss was accepted; (3)
 * nor before the leases of the silent storage peers have surely ended.
 */
public final class RingRebuilder {

    private static final Logger LOG = LoggerFactory.getLogger(RingRebuilder.class);

    private static final Arc WHOLE_RING = new Arc(Nid.MAX, Nid.MAX);
    private static final long ASK_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Reports are out of date when nobody has asked for them for 30 seconds. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** How far a rebuild raises the ring epoch: further than changes of the ring ever raise it. */
    private static final long RING_EPOCH_LEAP = 1L << 32;

    /** The purpose of reports for rebuilding the whole ring. They serve for its only arc as well. */
    private static final long WHOLE = 0;

    private static final long NO_LEADER_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Node node;
    private final RingBook book;
    private final RingMembership membership;
    private final Arcs arcs;

    private @Nullable ReportCollector collector;
    private long askedNanos;

    /**
     * What the reports are for: {@link #WHOLE}, or the id of an operation of the ring. Another purpose needs other
     * reports.
     */
    private long purpose;

    /** The names of the part that is rebuilt, as far as they are read. */
    private @Nullable NameCollector names;

    /** Counts referrals. They name the holders of the rebuilt arc in turn, as one of these may be dead. */
    private int referrals;

    /** Super-peers that know a ring of the cluster, as far as they were asked. */
    private final Set<HostAddress> survivors = new HashSet<>();

    /** How many super-peers have not answered yet whether they know a ring; -1 before they were asked. */
    private int searching = -1;

    public RingRebuilder(Node node, RingBook book, RingMembership membership, Arcs arcs) {
        this.node = node;
        this.book = book;
        this.membership = membership;
        this.arcs = arcs;
    }

    /** Does the next step that is possible now, and answers how far the rebuild is. */
    public void rebuild(RpcRequest request, RebuildRing wanted) {
        HostAddress self = membership.address();
        RingView view = book.view();
        if (self == null) {
            request.fail(ErrorReply.retryLater(NO_LEADER_RETRY_NANOS, "this super-peer is just starting"));
        } else if (membership.mayRebuild()) {
            request.reply(beginRing(self, wanted));
        } else if (view == null || !view.formed()) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "this super-peer waits for a ring, and may not begin one: it bootstraps, or has joined already");
        } else if (view.operation() != null && view.operation().kind() == RingOperation.Kind.REBUILD) {
            rebuildArc(request, wanted, self, view, view.operation());
        } else {
            findLostArc(request, view);
        }
    }

    private static RebuildProgress progress(String text) {
        return new RebuildProgress(false, text, 0, List.of());
    }

    private ReportCollector collect(HostAddress self, RebuildRing wanted, long forWhat, Predicate<PeerReport> usable) {
        ReportCollector present = collector;
        if (present == null || purpose != forWhat || node.nanoTime() - askedNanos > FORGET_NANOS) {
            present = new ReportCollector(node, self);
            collector = present;
            names = null;
            purpose = forWhat;
            survivors.clear();
            searching = -1;
        }
        askedNanos = node.nanoTime();
        present.ask(wanted.storagePeers(), usable);
        return present;
    }

    /** Returns what the rebuild of a part still waits for; null when the reports are complete. */
    private @Nullable RebuildProgress obstacle(Arc part, RebuildRing wanted, ReportCollector reports) {
        Collection<PeerReport> all = reports.reports();
        List<Integer> missing = List.copyOf(RebuiltArc.missing(part, given(), all));
        String text = "";
        for (PeerReport report : all) {
            if (part.contains(report.nid()) && report.head().leaseRemainingNanos() > 0) {
                text = "storage peer " + Nid.toHex(report.nid()) + " holds a lease for "
                        + (TimeUnit.NANOSECONDS.toSeconds(report.head().leaseRemainingNanos()) + 1)
                        + " s more: a super-peer that knows it was there a moment ago";
            }
        }
        long waitNanos = new LeaseTerms(longestLeaseNanos(all)).waitNanos() - reports.ageNanos();
        if (all.isEmpty()) {
            text = "no storage peer has answered: " + String.join(", ", reports.silent());
        } else if (!wanted.acceptLoss() && !reports.silent().isEmpty()) {
            text = "waiting for the storage peers at " + String.join(", ", reports.silent());
        } else if (!wanted.acceptLoss() && !missing.isEmpty()) {
            text = "waiting for storage peers that others mention, or that have belonged to the cluster: "
                    + missing.stream().map(Nid::toHex).collect(Collectors.joining(", "))
                    + "; name their addresses, or accept their loss";
        } else if (text.isEmpty() && waitNanos > 0) {
            text = "waiting " + (TimeUnit.NANOSECONDS.toSeconds(waitNanos) + 1)
                    + " s more for leases to end that may still be out";
        }
        return text.isEmpty() ? null : new RebuildProgress(false, text, all.size(), missing);
    }

    /**
     * Returns the NIDs that were given to storage peers, as far as this super-peer knows; none while it belongs to no
     * ring.
     */
    private Map<Integer, UUID> given() {
        return membership.group().state().storagePeers();
    }

    private long longestLeaseNanos(Collection<PeerReport> reports) {
        long longest = node.config().leaseNanos();
        for (PeerReport report : reports) {
            longest = Math.max(longest, report.head().leaseNanos());
        }
        return longest;
    }

    // The whole ring.

    private RebuildProgress beginRing(HostAddress self, RebuildRing wanted) {
        ReportCollector reports =
                collect(self, wanted, WHOLE, report -> report.head().leaseRemainingNanos() == 0);
        RebuildProgress obstacle = obstacle(WHOLE_RING, wanted, reports);
        if (obstacle != null) {
            return obstacle;
        }
        Collection<PeerReport> all = reports.reports();
        Set<UUID> clusters =
                all.stream().map(report -> report.head().clusterId()).collect(Collectors.toCollection(TreeSet::new));
        if (clusters.size() > 1) {
            return progress("the storage peers are of several clusters: " + clusters);
        }
        if (searching < 0) {
            search(self, all);
        }
        if (searching > 0) {
            return new RebuildProgress(false, "looking for super-peers that are still there", all.size(), List.of());
        }
        if (!survivors.isEmpty()) {
            String where =
                    survivors.stream().map(HostAddress::toString).sorted().collect(Collectors.joining(", "));
            searching = -1;
            survivors.clear();
            return progress("the super-peers at " + where
                    + " still know the cluster: start those that are missing there, or stop them for good first");
        }
        return begin(clusters.iterator().next(), all);
    }

    /** Asks every address that may be a super-peer of the cluster. */
    private void search(HostAddress self, Collection<PeerReport> reports) {
        Set<HostAddress> addresses = new HashSet<>(node.config().seeds());
        reports.forEach(report -> addresses.addAll(report.head().ringAddresses()));
        addresses.remove(self);
        searching = addresses.size();
        addresses.stream()
                .sorted(Comparator.comparing(HostAddress::toString))
                .forEach(address -> node.ask(
                        address, Nid.NONE, MessageType.GET_RING, new Empty(), ASK_TIMEOUT_NANOS, (reply, failure) -> {
                            searching--;
                            if (reply != null) {
                                survivors.add(address);
                            }
                        }));
    }

    private RebuildProgress begin(UUID clusterId, Collection<PeerReport> reports) {
        Map<Integer, UUID> disks = new TreeMap<>();
        Set<Integer> mentioned = new TreeSet<>();
        long epoch = 0;
        for (PeerReport report : reports) {
            disks.put(report.nid(), report.head().diskId());
            mentioned.addAll(report.mentioned(any -> true));
            mentioned.addAll(report.head().superPeers());
            epoch = Math.max(epoch, report.head().ringEpoch());
        }
        try {
            membership.rebuild(clusterId, epoch + RING_EPOCH_LEAP, GivenNids.list(disks, mentioned));
        } catch (IOException e) {
            node.control().fail("the disk has failed, no ring can be begun", e);
            return progress("the disk has failed");
        } catch (IllegalStateException e) {
            return progress(String.valueOf(e.getMessage()));
        }
        LOG.atWarn()
                .addKeyValue("clusterId", clusterId)
                .addKeyValue("storagePeers", disks.size())
                .log("rebuilding the ring of a cluster, because a person says that all its super-peers are lost");
        return new RebuildProgress(false, "the ring is being rebuilt", reports.size(), List.of());
    }

    // One arc.

    private void rebuildArc(
            RpcRequest request, RebuildRing wanted, HostAddress self, RingView view, RingOperation operation) {
        ArcReplica target = null;
        for (ArcReplica arc : arcs.all()) {
            if (arc.transfers().partToRebuild() != null) {
                target = arc;
            }
        }
        if (target == null) {
            refer(request, view, operation);
            return;
        }
        Arc part = target.transfers().partToRebuild();
        if (part == null) {
            request.reply(progress("the arc is not led at the moment"));
            return;
        }
        ReportCollector reports = collect(
                self,
                wanted,
                view.size() == 1 ? WHOLE : operation.id(),
                report -> !part.contains(report.nid()) || report.head().leaseRemainingNanos() == 0);
        RebuildProgress obstacle = obstacle(part, wanted, reports);
        if (obstacle != null) {
            request.reply(obstacle);
            return;
        }
        Collection<PeerReport> all = reports.reports();
        KeptNames kept = namesOf(part, all).look(wanted.acceptLoss());
        if (kept == null) {
            request.reply(progress(namesOf(part, all).progress()));
            return;
        }
        ArcState rebuilt =
                RebuiltArc.build(part, given(), all, kept, node.config().backups(), longestLeaseNanos(all));
        boolean taken = target.transfers().takeRebuilt(rebuilt);
        if (taken) {
            LOG.atWarn()
                    .addKeyValue("arcRange", part)
                    .addKeyValue("storagePeers", all.size())
                    .log("rebuilding the state of an arc from the reports of storage peers");
        }
        request.reply(new RebuildProgress(
                false,
                taken ? "what was known is put together from the reports" : "the new arc is being put in place",
                all.size(),
                List.of()));
    }

    private NameCollector namesOf(Arc part, Collection<PeerReport> reports) {
        NameCollector present = names;
        if (present == null || !present.part().equals(part)) {
            present = new NameCollector(node, part, reports);
            names = present;
        }
        return present;
    }

    private void refer(RpcRequest request, RingView view, RingOperation operation) {
        Ring ring = view.ring();
        int target = view.size() == 1
                ? operation.nid()
                : ring.holdersOf(operation.nid()).get(1).nid();
        int self = node.rpcIdentity().nid();
        List<Integer> holders =
                ring.holdersOf(target).stream().map(RingMember::nid).toList();
        int asked = Nid.NONE;
        if (holders.contains(self)) {
            for (ArcReplica arc : arcs.all()) {
                asked = arc.ownerNid() == target ? arc.leaderNid() : asked;
            }
        } else {
            // A super-peer that held the arc before its holders changed may still believe that another one leads it.
            asked = holders.get(referrals++ % holders.size());
        }
        HostAddress address = asked == Nid.NONE || asked == self ? null : book.addressOf(asked);
        if (address == null) {
            request.reply(progress("nobody leads the arc of " + Nid.toHex(target) + " at the moment"));
        } else {
            request.fail(ErrorReply.redirect(address, ring.epoch(), "the next super-peer rebuilds the arc"));
        }
    }

    /** Whether an operation cannot end because the arc from which it takes a part is lost. */
    private static boolean waitsFor(RingOperation operation, Ring ring, List<Integer> lost) {
        int source = operation.kind() == RingOperation.Kind.PROMOTE
                ? ring.ownerOf(operation.nid()).nid()
                : operation.nid();
        return lost.contains(source);
    }

    /** Commits that a rebuild begins. First cancels the operation that waits for the lost arc, if there is one. */
    private CompletableFuture<RingResult> beginRebuilding(@Nullable RingOperation waiting, int nid) {
        long wallMillis = node.environment().clock().wallMillis();
        Committer<RingCommand, RingResult> committer = membership.group().committer();
        if (waiting != null) {
            // Proposed one behind the other, so that the ring begins no other operation in between.
            var _ = committer.commit(new RingCommand.Cancel(wallMillis, waiting.id()));
        }
        return committer.commit(new RingCommand.Begin(wallMillis, RingOperation.Kind.REBUILD, nid));
    }

    /** Asks all super-peers which arcs they serve, and begins to rebuild an arc that nobody serves. */
    private void findLostArc(RpcRequest request, RingView view) {
        if (!membership.group().leads()) {
            HostAddress leader = membership.leaderAddress();
            request.fail(
                    leader == null
                            ? ErrorReply.retryLater(NO_LEADER_RETRY_NANOS, "nobody leads the ring at the moment")
                            : ErrorReply.redirect(leader, view.epoch(), "another super-peer leads the ring"));
            return;
        }
        Set<Integer> served = new TreeSet<>();
        arcs.served().forEach(arc -> served.add(arc.ownerNid()));
        List<RingMember> others = new ArrayList<>(view.ring().members());
        others.removeIf(member -> member.nid() == node.rpcIdentity().nid());
        int[] outstanding = {others.size()};
        if (others.isEmpty()) {
            beginLostArc(request, view, served);
        }
        for (RingMember member : others) {
            HostAddress address = book.addressOf(member.nid());
            node.ask(
                    address == null ? member.address() : address,
                    member.nid(),
                    MessageType.LIST_PEERS,
                    new Empty(),
                    ASK_TIMEOUT_NANOS,
                    (list, failure) -> {
                        if (list != null) {
                            served.addAll(list.arcs());
                        }
                        if (--outstanding[0] == 0) {
                            Answers.orFail(request, () -> beginLostArc(request, view, served));
                        }
                    });
        }
    }

    private void beginLostArc(RpcRequest request, RingView view, Set<Integer> served) {
        List<Integer> lost = view.ring().members().stream()
                .map(RingMember::nid)
                .filter(nid -> !served.contains(nid))
                .toList();
        RingOperation operation = view.operation();
        if (operation != null && !waitsFor(operation, view.ring(), lost)) {
            request.reply(progress("another operation of the ring is under way"));
            return;
        }
        if (lost.isEmpty()) {
            request.reply(new RebuildProgress(true, "all arcs are served", 0, List.of()));
            return;
        }
        for (int nid : lost) {
            List<RingMember> holders = view.ring().holdersOf(nid);
            if (holders.size() > 1 && served.contains(holders.get(1).nid())) {
                Answers.whenCommitted(
                        request,
                        beginRebuilding(operation, nid),
                        result -> request.reply(progress("the arc of super-peer " + Nid.toHex(nid) + " is rebuilt")));
                return;
            }
        }
        request.reply(progress("nobody serves the arcs of "
                + lost.stream().map(Nid::toHex).collect(Collectors.joining(", "))
                + ", and no arc after one of them is served either"));
    }
}
