package dev.granary.superpeer.replicated;

import dev.granary.log.RecordLog;
import dev.granary.net.message.Blob;
import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.RaftMessage;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.HostAddress;
import dev.granary.raft.MemberId;
import dev.granary.raft.RaftConfig;
import dev.granary.raft.RaftGroup;
import dev.granary.raft.RaftTiming;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.state.StateMachine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Raft groups of this super-peer: opens them on its disk and carries their messages (ADR 0087). A member of a group
 * is a super-peer, by the NID of its disk, during one membership. Messages on their way have a share of the memory
 * plan, of which each super-peer gets an equal part, but at least one message. Messages beyond that are dropped, which
 * Raft tolerates. Tasks of the node's scheduler.
 */
public final class RaftHost {

    private static final Logger LOG = LoggerFactory.getLogger(RaftHost.class);

    /**
     * Leases longer than this do not make heartbeats rarer, so that an election begins soon after a leader is lost.
     */
    private static final long MAX_HEARTBEAT_LEASE_NANOS = 4_000_000_000L;

    /** For how many heartbeats a super-peer that stops waits for others to lead. */
    private static final int HAND_OVER_HEARTBEATS = 5;

    private final Node node;
    private final IntFunction<@Nullable HostAddress> addresses;
    private final EndedMemberships ended;
    private final RaftTiming timing;
    private final RaftRoom room;
    private final TreeMap<Long, Replica<?, ?>> replicas = new TreeMap<>();
    private final TreeMap<Integer, Link> links = new TreeMap<>();

    private BiConsumer<Long, MemberId> onNewMembership = (group, member) -> {};

    /** When a super-peer was last heard of, by group. */
    private static final class Link {
        private final TreeMap<Long, Long> heardNanos = new TreeMap<>();
    }

    /**
     * @param addresses gives the address of a super-peer by its NID, or null
     * @param ended the members that this super-peer must not be again
     */
    public RaftHost(Node node, IntFunction<@Nullable HostAddress> addresses, EndedMemberships ended) {
        this.node = node;
        this.addresses = addresses;
        this.ended = ended;
        this.room = new RaftRoom(node.memory().raftMessages());
        this.timing = RaftTiming.forLease(Math.min(node.config().leaseNanos(), MAX_HEARTBEAT_LEASE_NANOS));
    }

    /**
     * Sets what is called when a message names this super-peer as a member of a group that it is not yet. It may open
     * the group as that member.
     */
    public void whenAdded(BiConsumer<Long, MemberId> told) {
        onNewMembership = told;
    }

    public long heartbeatNanos() {
        return timing.heartbeatNanos();
    }

    /**
     * Returns the last member that this super-peer was in a group, as far as its disk knows; null when it knows of
     * none. Deletes the logs of earlier memberships.
     */
    @Nullable
    public MemberId memberOnDisk(long group) throws IOException {
        Pattern files = Pattern.compile(Pattern.quote(GroupId.logPrefix(group)) + "([0-9a-f]{1,12})-.*");
        TreeSet<Long> memberships = new TreeSet<>();
        for (String name : node.environment().disk().list()) {
            Matcher matcher = files.matcher(name);
            if (matcher.matches()) {
                memberships.add(Long.parseLong(matcher.group(1), 16));
            }
        }
        if (memberships.isEmpty()) {
            return null;
        }
        int self = node.rpcIdentity().nid();
        MemberId last = GroupId.member(memberships.last(), self);
        boolean over = ended.contains(group, last);
        for (long former : over ? memberships : memberships.headSet(memberships.last())) {
            MemberId member = GroupId.member(former, self);
            ended.add(group, member);
            RecordLog.delete(node.environment().disk(), GroupId.logName(group, member));
        }
        return over ? null : last;
    }

    /**
     * Opens this super-peer's part of a group. The group begins with one voter.
     *
     * @param self the member that this super-peer is
     * @param founder the NID of the super-peer that the group began with, the same on all
     * @param machine in its initial state
     * @throws IOException when the disk fails, or holds a format that this version cannot read
     */
    public <C, R> Replica<C, R> open(
            long group, MemberId self, int founder, StateMachine<C, R> machine, Replica.Listener listener)
            throws IOException {
        Replica<C, R> replica = new Replica<>(node, group, self, machine, listener, heartbeatNanos());
        RaftConfig config =
                RaftConfig.of(group, self, List.of(GroupId.member(0, founder)), GroupId.logName(group, self), timing);
        replica.begin(RaftGroup.open(
                config,
                node.environment(),
                (to, message) -> send(group, to, message),
                replica.machine(),
                replica.groupListener()));
        replicas.put(group, replica);
        LOG.atInfo().addKeyValue("raftGroup", GroupId.describe(group)).log("takes part in a Raft group");
        return replica;
    }

    /** Ends this super-peer's part of a group and deletes it, as this super-peer is no member any more. */
    public void discard(long group) {
        Replica<?, ?> replica = replicas.remove(group);
        if (replica != null) {
            replica.close();
            remember(group, replica.self());
            // The group closes its log in a task of its own.
            node.environment().scheduler().execute(() -> delete(group, replica.self()));
        }
    }

    private void remember(long group, MemberId member) {
        try {
            ended.add(group, member);
        } catch (IOException e) {
            node.control().fail("the disk has failed, the end of a membership could not be kept", e);
        }
    }

    /** Deletes the log of a group that is not open. */
    public void delete(long group, MemberId member) {
        try {
            ended.add(group, member);
            RecordLog.delete(node.environment().disk(), GroupId.logName(group, member));
            LOG.atInfo().addKeyValue("raftGroup", GroupId.describe(group)).log("has left a Raft group");
        } catch (IOException e) {
            node.control().fail("the disk has failed, a log could not be deleted", e);
        }
    }

    private void send(long group, MemberId member, byte[] message) {
        int to = GroupId.nid(member);
        HostAddress address = addresses.apply(to);
        if (address == null || !room.tryTake(to, message.length)) {
            return;
        }
        node.ask(
                address,
                to,
                MessageType.RAFT,
                new RaftMessage(group, member.value(), new Blob(message)),
                10 * heartbeatNanos(),
                (reply, failure) -> room.give(to, message.length));
    }

    public void receive(RpcRequest request, RaftMessage message) {
        request.reply(new Empty());
        MemberId addressed = new MemberId(message.member());
        if (GroupId.nid(addressed) != node.rpcIdentity().nid()) {
            return;
        }
        Replica<?, ?> known = replicas.get(message.group());
        boolean isNew = known == null
                ? !ended.contains(message.group(), addressed)
                : GroupId.membership(addressed) > GroupId.membership(known.self());
        if (isNew) {
            onNewMembership.accept(message.group(), addressed);
        }
        Replica<?, ?> replica = replicas.get(message.group());
        if (replica != null && replica.self().equals(addressed)) {
            links.computeIfAbsent(request.caller().nid(), nid -> new Link())
                    .heardNanos
                    .put(message.group(), node.nanoTime());
            replica.receive(message.message().bytes());
        }
    }

    /** Whether a super-peer has shown itself in a group in the last few heartbeats. */
    boolean isHeard(long group, int nid) {
        Link link = links.get(nid);
        Long heardNanos = link == null ? null : link.heardNanos.get(group);
        return heardNanos != null && node.nanoTime() - heardNanos < 3 * heartbeatNanos();
    }

    /**
     * Hands the groups that this super-peer leads to other voters, so that nobody waits until these notice its silence.
     * Completes when they lead, or after {@value #HAND_OVER_HEARTBEATS} heartbeats: a group without another leader by
     * then elects one later.
     */
    public CompletableFuture<Void> handOver() {
        List<CompletableFuture<Void>> groups = new ArrayList<>();
        replicas.values().stream().filter(Replica::leads).forEach(replica -> groups.add(handOver(replica)));
        if (groups.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        node.environment().scheduler().schedule(HAND_OVER_HEARTBEATS * heartbeatNanos(), () -> done.complete(null));
        Async.whenDone(CompletableFuture.allOf(groups.toArray(CompletableFuture[]::new)), (all, failure) -> {
            if (failure != null) {
                LOG.atInfo().setCause(failure).log("not every group has another leader yet");
            }
            done.complete(null);
        });
        return done;
    }

    private CompletableFuture<Void> handOver(Replica<?, ?> replica) {
        RaftGroup group = replica.group();
        return group.status().thenCompose(status -> status.members().voters().stream()
                .filter(voter -> !voter.equals(replica.self()) && isHeard(replica.groupId(), GroupId.nid(voter)))
                .findFirst()
                .map(group::transferLeadership)
                .orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    /** Shows the groups in the metrics as they are now. */
    public void showMetrics() {
        node.metrics().raft().show(replicas.values().stream().map(Replica::look).toList());
    }

    /** Closes all groups of this process and keeps their logs. */
    public void close() {
        new ArrayList<>(replicas.values()).forEach(Replica::close);
        replicas.clear();
    }
}
