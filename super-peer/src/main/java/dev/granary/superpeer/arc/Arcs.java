package dev.granary.superpeer.arc;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerList.GroupVoters;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.ArcPart;
import dev.granary.net.message.StatusText;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.raft.MemberId;
import dev.granary.superpeer.migration.PlansJson;
import dev.granary.superpeer.migration.WorkJson;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.SuperPeerMetrics.LookupOutcome;
import dev.granary.superpeer.node.SuperPeerMetrics.PeerCounts;
import dev.granary.superpeer.peer.Loads;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.peer.PeerFacts;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.replicated.RaftHost;
import dev.granary.superpeer.ring.RingBook;
import dev.granary.superpeer.ring.RingMembership;
import dev.granary.superpeer.ring.RingRequests;
import dev.granary.superpeer.state.PeerRecord;
import dev.granary.superpeer.state.Plan;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The arcs of which this super-peer has a replica: its own, and those of the two super-peers before it on the ring.
 * Opens and discards replicas as the committed ring says, and passes each request to the replica that answers it. Tasks
 * of the node's scheduler, but for {@link #notReadyReason}.
 */
public final class Arcs {

    private static final long NO_LEADER_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MOVING_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final Pattern LOG_FILE = Pattern.compile("raft-arc-(\\d{1,9})-([0-9a-f]{1,4})-m[0-9a-f]{1,12}-.*");

    private final Node node;
    private final RaftHost host;
    private final RingBook book;
    private final RingMembership membership;
    private final Runnable onChange;
    private final ArcCaller caller;
    private final PeerFacts facts;
    private final PeerCatalog catalog;
    private final Lookups lookups;
    private final TreeMap<Long, ArcReplica> replicas = new TreeMap<>();
    private volatile String notReady = "";
    private boolean begun;

    /** @param onChange called when something changes that the status shows */
    public Arcs(Node node, RaftHost host, RingBook book, RingMembership membership, Runnable onChange) {
        this.node = node;
        this.host = host;
        this.book = book;
        this.membership = membership;
        this.onChange = onChange;
        this.caller = new ArcCaller(node, book::ring);
        this.facts = new PeerFacts(node, caller);
        this.catalog = new PeerCatalog(node, caller, book::ring, this::peersUncounted, this::peerOf, this::servedArcs);
        this.lookups = new Lookups(node, book, this, facts, catalog);
    }

    /** Returns the part that answers lookups. */
    public Lookups lookups() {
        return lookups;
    }

    /** Gives back the memory of requests whose callers are gone, and counts the memory of the replicas. */
    public void lookAtMemory() {
        lookups.giveBackGone();
        served().forEach(arc -> arc.services().locks().giveBackGone());
        long stateBytes = 0;
        long partBytes = 0;
        for (ArcReplica arc : all()) {
            stateBytes += arc.bytes();
            partBytes += arc.partBytes();
        }
        node.memory().arcState().set(stateBytes);
        node.memory().arcParts().set(partBytes);
    }

    /** Opens the replicas on the disk that belong to the present ring, and deletes those of a former ring. */
    public void begin() throws IOException {
        begun = true;
        catalog.begin();
        RingView view = book.view();
        if (view == null) {
            return;
        }
        TreeSet<Long> onDisk = new TreeSet<>();
        for (String name : node.environment().disk().list()) {
            Matcher matcher = LOG_FILE.matcher(name);
            if (matcher.matches()) {
                int nid = Integer.parseInt(matcher.group(2), 16);
                onDisk.add(GroupId.ofArc(Integer.parseInt(matcher.group(1)), nid));
            }
        }
        for (long group : onDisk) {
            MemberId member = host.memberOnDisk(group);
            if (member != null && isCurrent(view, group)) {
                open(group, member);
            } else if (member != null) {
                host.delete(group, member);
            }
        }
        ringChanged();
    }

    public void stop() {
        catalog.stop();
        lookups.stop();
        replicas.values().forEach(ArcReplica::stop);
        replicas.clear();
    }

    private static boolean isCurrent(RingView view, long group) {
        return view.formed()
                && GroupId.generation(group) != SuperPeerRecord.OUTSIDE
                && view.groupGenerationOf(GroupId.nid(group)) == GroupId.generation(group);
    }

    private void open(long group, MemberId self) throws IOException {
        replicas.put(
                group,
                new ArcReplica(
                        node,
                        host,
                        book,
                        membership,
                        group,
                        self,
                        caller,
                        facts,
                        catalog,
                        this::changed,
                        this::commanded));
    }

    /** Notes that the state of an arc has applied a command. */
    private void commanded() {
        catalog.ownChanged();
        lookups.look();
    }

    private void changed() {
        catalog.ownChanged();
        RingView view = book.view();
        replicas.values().stream().filter(ArcReplica::isRemoved).toList().forEach(this::forget);
        int self = node.rpcIdentity().nid();
        ArcReplica own = view == null || !view.isMember(self)
                ? null
                : replicas.get(GroupId.ofArc(view.generationOf(self), self));
        boolean waits = view != null && view.formed() && view.isMember(self) && (own == null || !own.isSettled());
        notReady = waits ? "the arc of this super-peer is not served by enough super-peers yet" : "";
        onChange.run();
    }

    private void forget(ArcReplica replica) {
        replicas.values().remove(replica);
        replica.discard();
    }

    /**
     * Follows a change of the committed ring: begins this super-peer's own arc, and discards replicas of arcs that do
     * not exist any more.
     */
    public void ringChanged() {
        RingView view = book.view();
        if (view == null || !begun) {
            return;
        }
        for (long group : new ArrayList<>(replicas.keySet())) {
            ArcReplica replica = replicas.get(group);
            if (replica != null && !isCurrent(view, group)) {
                forget(replica);
            }
        }
        int self = node.rpcIdentity().nid();
        if (view.formed() && view.groupGenerationOf(self) != SuperPeerRecord.OUTSIDE) {
            long own = GroupId.ofArc(view.groupGenerationOf(self), self);
            if (!replicas.containsKey(own)) {
                try {
                    beginOwn(own);
                } catch (IOException e) {
                    node.control().fail("the disk has failed, the arc cannot be opened", e);
                }
            }
        }
        all().forEach(ArcReplica::ringChanged);
        changed();
    }

    private void beginOwn(long group) throws IOException {
        int generation = GroupId.generation(group);
        if (membership.begunArcGeneration() == generation) {
            throw new IOException("the log of " + GroupId.describe(group) + " is missing; it was begun on this disk");
        }
        open(group, GroupId.member(0, node.rpcIdentity().nid()));
        membership.beginsArc(generation);
    }

    /**
     * Opens a replica when a message names this super-peer as a member that it is not yet: the leader of the arc wants
     * it to have one.
     */
    public void openForOthers(long group, MemberId self) {
        RingView view = book.view();
        boolean others = view != null
                && isCurrent(view, group)
                && GroupId.nid(group) != node.rpcIdentity().nid();
        if (begun && others && GroupId.membership(self) != 0) {
            ArcReplica former = replicas.get(group);
            SuperPeerProbe.ARC_COPY_OPENED.hit();
            SuperPeerProbe.ARC_COPY_OPENED_AGAIN.hitIf(former != null);
            if (former != null) {
                forget(former);
            }
            try {
                open(group, self);
            } catch (IOException e) {
                node.control().fail("the disk has failed, a copy of an arc cannot be opened", e);
            }
        }
    }

    /**
     * Returns why this super-peer's own arc is not served; empty when it is served, or when there is none. Any thread.
     */
    public Optional<String> notReadyReason() {
        String reason = notReady;
        return reason.isEmpty() ? Optional.empty() : Optional.of(reason);
    }

    /** Returns all replicas, by the NIDs of the super-peers to which the arcs belong. */
    public List<ArcReplica> all() {
        List<ArcReplica> all = new ArrayList<>(replicas.values());
        all.sort(Comparator.comparingInt(ArcReplica::ownerNid));
        return all;
    }

    /** Returns the arcs that this super-peer serves at present. */
    public List<ArcReplica> served() {
        List<ArcReplica> served = all();
        served.removeIf(arc -> !arc.serves());
        return served;
    }

    /** Returns the same as {@link #peerInfos} without numbers of ranges, as it is called often. */
    private List<PeerInfo> peersUncounted() {
        return served().stream()
                .flatMap(arc -> arc.services().peers().peersUncounted().stream())
                .toList();
    }

    /** Returns the storage peers of the arcs that this super-peer serves, by NID. */
    public List<PeerInfo> peerInfos() {
        return served().stream()
                .flatMap(arc -> arc.services().peers().peerInfos().stream())
                .sorted(Comparator.comparingInt(PeerInfo::nid))
                .toList();
    }

    /** Answers with the rebalance plans of the arcs that this super-peer serves. */
    public void listPlans(RpcRequest request, Empty message) {
        List<Plan> plans =
                served().stream().flatMap(arc -> arc.state().plans().stream()).toList();
        List<Loads.Proposal> proposals = served().stream()
                .flatMap(arc ->
                        arc.services().loads().proposals(arc.services().peers().peerInfos()).stream())
                .toList();
        List<Loads.Hot> hottest = served().stream()
                .flatMap(arc ->
                        arc.services().loads().hottest(arc.services().peers().peerInfos()).stream())
                .toList();
        request.reply(new StatusText(PlansJson.write(plans, proposals, hottest)));
    }

    public void listWork(RpcRequest request, Empty message) {
        request.reply(new StatusText(workJson()));
    }

    /** Returns the plans and the running migrations of the arcs that this super-peer serves. */
    public String workJson() {
        return WorkJson.write(
                served().stream().flatMap(arc -> arc.state().plans().stream()).toList(),
                served().stream()
                        .flatMap(arc -> arc.state().runningMigrations().stream())
                        .toList());
    }

    /** Returns the voters of the Raft groups that this super-peer leads. */
    public List<GroupVoters> ledGroups() {
        List<GroupVoters> groups = new ArrayList<>();
        List<Integer> ringVoters = membership.group().voters();
        if (!ringVoters.isEmpty()) {
            groups.add(new GroupVoters(Nid.NONE, ringVoters));
        }
        for (ArcReplica arc : all()) {
            if (!arc.voters().isEmpty()) {
                groups.add(new GroupVoters(arc.ownerNid(), arc.voters()));
            }
        }
        return groups;
    }

    /**
     * Answers with the slot groups of the arcs of which this super-peer has a copy that may be told. A copy of a
     * super-peer that has left the ring or the group may be out of date for ever (ADR 0257).
     */
    public void listSlotGroups(RpcRequest request, Empty message) {
        Ring ring = book.ring();
        int self = node.rpcIdentity().nid();
        List<ArcReplica> told = all();
        told.removeIf(arc -> ring == null || !arc.follows() || !ring.isHolder(self, arc.ownerNid()));
        request.reply(SlotGroupView.of(told));
    }

    public void zoneStatus(RpcRequest request, Empty message) {
        request.reply(zoneStatus());
    }

    /** Returns the zones of the arcs that this super-peer serves. */
    public ZoneStatus zoneStatus() {
        return ZoneStatusView.of(served());
    }

    /** Returns the same without numbers of ranges, for the metrics. Its cost does not grow with ranges or zones. */
    public ZoneStatus zoneStates() {
        return ZoneStatusView.statesOf(served());
    }

    /**
     * Counts the storage peers of the served arcs for the metrics.
     *
     * @param zones of the served arcs: who has no lease, and no zone or copy in them, has left, unless a zone of its
     *     chunks has no owner yet
     */
    public PeerCounts countPeers(ZoneStatus zones) {
        Set<Integer> needed = zones.peers().stream()
                .filter(held -> held.zones() + held.copies() > 0)
                .map(ZoneStatus.Holding::nid)
                .collect(Collectors.toSet());
        if (zones.recovering() > 0) {
            served().forEach(arc -> arc.state().zones().stream()
                    .filter(ZoneRecord::isRecovering)
                    .forEach(zone -> needed.add(zone.creatorNid())));
        }
        int live = 0;
        int parked = 0;
        int expired = 0;
        int left = 0;
        for (ArcReplica arc : served()) {
            for (PeerRecord peer : arc.state().peers()) {
                if (arc.services().peers().isLive(peer.nid())) {
                    live++;
                } else if (peer.parked()) {
                    parked++;
                } else if (needed.contains(peer.nid())) {
                    expired++;
                } else {
                    left++;
                }
            }
        }
        return new PeerCounts(live, parked, expired, left);
    }

    public void listPeers(RpcRequest request, Empty message) {
        Ring current = book.ring();
        request.reply(new PeerList(current == null ? 0 : current.epoch(), peerInfos(), servedArcs(), ledGroups()));
    }

    /**
     * Returns a storage peer of the arcs that this super-peer serves, without its number of ranges; null when no such
     * arc knows it.
     */
    private @Nullable PeerInfo peerOf(int nid) {
        PeerInfo found = null;
        for (ArcReplica arc : served()) {
            PeerInfo info = arc.services().peers().peerInfo(nid);
            found = found == null || info == null ? (info == null ? found : info) : PeerCatalog.later(found, info);
        }
        return found;
    }

    /** Returns the NIDs of the super-peers whose arcs this one serves, ascending. */
    public List<Integer> servedArcs() {
        return served().stream().map(ArcReplica::ownerNid).toList();
    }

    /**
     * Hands a request to the services of the arc with a NID. If this super-peer does not serve that arc, answers the
     * request: with the super-peer that does, or that none does at the moment.
     */
    public void atLeader(RpcRequest request, int nid, Consumer<ArcServices> then) {
        RingView view = book.view();
        Ring ring = book.ring();
        if (view == null || ring == null) {
            request.fail(ErrorCode.RING_INCOMPLETE, "this super-peer belongs to no cluster yet");
        } else if (!view.formed()) {
            request.fail(RingRequests.incompleteReply(ring));
        } else if (!Nid.isValid(nid)) {
            request.fail(ErrorCode.BAD_REQUEST, nid + " is no NID");
        } else {
            ArcReplica arc = copyOf(view, ring, nid);
            if (arc != null && arc.serves() && arc.state().isMoving(nid)) {
                SuperPeerProbe.REQUEST_FOR_A_MOVING_PART.hit();
                request.fail(ErrorReply.retryLater(
                        MOVING_RETRY_NANOS,
                        "the part of the arc with NID " + Nid.toHex(nid)
                                + " is moving to another super-peer, or has moved"));
            } else if (arc != null && arc.serves()) {
                then.accept(arc.services());
            } else {
                refer(request, ring, ring.ownerOf(nid).nid(), arc);
            }
        }
    }

    /**
     * Does the same as {@link #atLeader} once a majority has confirmed that no other super-peer leads since the request
     * came. Then answers from memory are true, and the next leader waits for what this one grants.
     */
    public void atSureLeader(RpcRequest request, int nid, Consumer<ArcServices> then) {
        atLeader(
                request,
                nid,
                services -> Answers.whenConfirmed(request, services.confirm(), () -> atLeader(request, nid, then)));
    }

    /** Hands out a part that moves away from an arc that this super-peer leads. */
    public void sendPart(RpcRequest request, ArcPart wanted) {
        RingView view = book.view();
        Ring ring = book.ring();
        if (view == null || ring == null || !Nid.isValid(wanted.nid())) {
            request.fail(ErrorCode.BAD_REQUEST, "there is no arc with the NID " + wanted.nid());
            return;
        }
        ArcReplica arc = copyOf(view, ring, wanted.nid());
        if (arc != null && arc.leads()) {
            arc.transfers().send(request, wanted);
        } else {
            refer(request, ring, ring.ownerOf(wanted.nid()).nid(), arc);
        }
    }

    private @Nullable ArcReplica copyOf(RingView view, Ring ring, int nid) {
        int owner = ring.ownerOf(nid).nid();
        return replicas.get(GroupId.ofArc(view.generationOf(owner), owner));
    }

    /**
     * Returns the replica of the arc with a NID, also when another super-peer leads it; null when this super-peer has
     * no replica.
     */
    @Nullable
    ArcReplica copyOf(int nid) {
        RingView view = book.view();
        Ring ring = book.ring();
        return view == null || ring == null || !view.formed() ? null : copyOf(view, ring, nid);
    }

    private void refer(RpcRequest request, Ring ring, int owner, @Nullable ArcReplica arc) {
        int self = node.rpcIdentity().nid();
        int target = arc == null || !arc.follows() ? owner : arc.leaderNid();
        HostAddress address = target == Nid.NONE || target == self ? null : book.addressOf(target);
        if (address == null) {
            SuperPeerProbe.ARC_WITHOUT_LEADER.hit();
            request.fail(ErrorReply.retryLater(
                    NO_LEADER_RETRY_NANOS, "nobody answers for the arc of " + Nid.toHex(owner) + " at the moment"));
            return;
        }
        if (request.type() == MessageType.LOOKUP.code() || request.type() == MessageType.AWAIT_OWNER.code()) {
            node.metrics().countLookup(LookupOutcome.REDIRECTED);
        }
        SuperPeerProbe.REQUEST_REFERRED.hit();
        request.fail(ErrorReply.redirect(
                address,
                ring.epoch(),
                "super-peer " + Nid.toHex(target) + " answers for the arc of " + Nid.toHex(owner)));
    }
}
