package dev.granary.superpeer.replicated;

import dev.granary.env.Loop;
import dev.granary.overlay.Nid;
import dev.granary.raft.GroupMembers;
import dev.granary.raft.MemberId;
import dev.granary.raft.RaftStatus;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.UnderWay;
import dev.granary.superpeer.probe.SuperPeerProbe;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the members of a Raft group to the wanted ones while this super-peer leads it, with one change at a time. A
 * new member is a learner that catches up before it votes, and a member is removed only when all wanted super-peers
 * vote (SAFETY rule 15). A silent member stays: only the ring says who is to vote. Hands the leadership to the
 * preferred super-peer when that one votes. Tasks of the node's scheduler.
 */
public final class VoterKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(VoterKeeper.class);

    private static final int HEARTBEATS_PER_LOOK = 2;
    private static final int CATCH_UP_HEARTBEATS = 40;
    private static final int HEARTBEATS_BEFORE_HANDING_BACK = 20;

    /**
     * The limit of one change. A leader that does not get a change committed within 60 seconds has lost its leadership.
     */
    private static final long CHANGE_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Node node;
    private final RaftHost host;
    private final Replica<?, ?> replica;
    private final UnaryOperator<List<Integer>> wanted;
    private final int preferredLeader;
    private final Loop loop;
    private final UnderWay work;
    private int turn;
    private long leadsSinceNanos;
    private boolean complete;
    private List<Integer> voters = List.of();

    /**
     * @param wanted gives the NIDs that are to vote, from those that vote now
     * @param preferredLeader the NID of the super-peer that is to lead when it can, {@link Nid#NONE} for no matter who
     */
    public VoterKeeper(
            Node node, RaftHost host, Replica<?, ?> replica, UnaryOperator<List<Integer>> wanted, int preferredLeader) {
        this.node = node;
        this.host = host;
        this.replica = replica;
        this.wanted = wanted;
        this.preferredLeader = preferredLeader;
        this.work = UnderWay.within(CHANGE_LIMIT_NANOS, HEARTBEATS_PER_LOOK * host.heartbeatNanos());
        this.loop = Loop.every(
                        node.environment().scheduler(),
                        "voters",
                        () -> HEARTBEATS_PER_LOOK * host.heartbeatNanos(),
                        this::look)
                .vital();
    }

    /** Starts to look at the members, as this super-peer leads now. */
    public void begin() {
        leadsSinceNanos = node.nanoTime();
        complete = false;
        voters = List.of();
        work.forget();
        loop.begin();
    }

    /** Whether this super-peer has seen, since it leads, that the members are the wanted ones. */
    public boolean isComplete() {
        return complete;
    }

    /**
     * Whether the membership has converged, or its deadline has passed: then most members vote, and those that do not
     * are silent.
     */
    public boolean isCompleteEnough() {
        List<Integer> goal = wanted.apply(voters);
        List<Integer> present = new ArrayList<>(goal);
        present.retainAll(voters);
        long sinceNanos = node.nanoTime() - leadsSinceNanos;
        boolean waited = sinceNanos > CATCH_UP_HEARTBEATS * host.heartbeatNanos();
        return complete || (waited && 2 * present.size() > goal.size());
    }

    /** Returns the NIDs of the voters as last seen. */
    public List<Integer> voters() {
        return voters;
    }

    private void look() {
        if (!replica.leads()) {
            loop.stop();
            return;
        }
        if (work.givesUp()) {
            throw new IllegalStateException("the " + GroupId.describe(replica.groupId())
                    + " has not told what became of a change of its members");
        }
        if (!work.isBusy()) {
            CompletableFuture<RaftStatus> asked = replica.group().status();
            long piece = work.begin();
            Async.whenDone(asked, (status, failure) -> {
                if (work.end(piece) && status != null && replica.leads()) {
                    loop.part(() -> seen(status));
                }
            });
        }
    }

    private void seen(RaftStatus status) {
        GroupMembers members = status.members();
        voters = nids(members.voters());
        List<Integer> goal = wanted.apply(voters);
        if (goal.isEmpty()) {
            return;
        }
        List<Integer> superfluousLearners = nids(members.learners());
        superfluousLearners.removeAll(goal);
        List<Integer> missing = new ArrayList<>(goal);
        missing.removeAll(voters);
        List<Integer> superfluous = new ArrayList<>(voters);
        superfluous.removeAll(goal);
        if (!superfluousLearners.isEmpty()) {
            remove(superfluousLearners.getFirst(), members);
        } else if (!missing.isEmpty()) {
            turn++;
            SuperPeerProbe.VOTER_ADDED.hit();
            add(missing.get(turn % missing.size()), members);
        } else if (!superfluous.isEmpty()) {
            complete = true;
            drop(superfluous, goal, members);
        } else {
            complete = true;
            handBack(members);
        }
    }

    private static List<Integer> nids(List<MemberId> members) {
        return new ArrayList<>(members.stream().map(GroupId::nid).toList());
    }

    /** Returns the member that a super-peer is at present. */
    private static Optional<MemberId> memberOf(int nid, GroupMembers members) {
        return Stream.concat(members.voters().stream(), members.learners().stream())
                .filter(member -> GroupId.nid(member) == nid)
                .findFirst();
    }

    /**
     * Adds a super-peer as a member that never was before: its membership is one more than the version of the members,
     * a number that no member has had.
     */
    private void add(int nid, GroupMembers members) {
        MemberId member = memberOf(nid, members).orElseGet(() -> GroupId.member(members.version() + 1, nid));
        long limitNanos = CATCH_UP_HEARTBEATS * host.heartbeatNanos();
        change("adds a voter", nid, replica.group().addVoter(member, limitNanos));
    }

    private void remove(int nid, GroupMembers members) {
        memberOf(nid, members)
                .ifPresent(member ->
                        change("removes a member", nid, replica.group().remove(member, members.version())));
    }

    /**
     * Removes one superfluous voter, a silent one first. Removes none if most of the remaining voters would be silent,
     * as such a group could never change again. A leader that is to go hands over its leadership first.
     */
    private void drop(List<Integer> superfluous, List<Integer> goal, GroupMembers members) {
        int self = node.rpcIdentity().nid();
        Optional<Integer> next = superfluous.stream()
                .filter(nid -> nid != self && isMajorityHeardWithout(nid))
                .min(Comparator.comparing(nid -> host.isHeard(replica.groupId(), nid)));
        if (next.isPresent()) {
            remove(next.get(), members);
            SuperPeerProbe.VOTER_DROPPED.hit();
            return;
        }
        goal.stream()
                .filter(nid -> host.isHeard(replica.groupId(), nid))
                .findFirst()
                .ifPresent(nid -> transfer(nid, members));
    }

    private boolean isMajorityHeardWithout(int removed) {
        int self = node.rpcIdentity().nid();
        List<Integer> rest = voters.stream().filter(nid -> nid != removed).toList();
        long heard = rest.stream()
                .filter(nid -> nid == self || host.isHeard(replica.groupId(), nid))
                .count();
        return 2 * heard > rest.size();
    }

    private void handBack(GroupMembers members) {
        long sinceNanos = node.nanoTime() - leadsSinceNanos;
        if (preferredLeader != Nid.NONE
                && preferredLeader != node.rpcIdentity().nid()
                && voters.contains(preferredLeader)
                && sinceNanos > HEARTBEATS_BEFORE_HANDING_BACK * host.heartbeatNanos()
                && host.isHeard(replica.groupId(), preferredLeader)) {
            leadsSinceNanos = node.nanoTime();
            transfer(preferredLeader, members);
            SuperPeerProbe.LEADERSHIP_HANDED_BACK.hit();
        }
    }

    private void transfer(int nid, GroupMembers members) {
        memberOf(nid, members)
                .ifPresent(member ->
                        change("hands over the leadership", nid, replica.group().transferLeadership(member)));
    }

    private <T> void change(String what, int nid, CompletableFuture<T> change) {
        long piece = work.begin();
        Async.whenDone(change, (done, failure) -> {
            work.end(piece);
            ended(what, nid, failure);
        });
    }

    private void ended(String what, int nid, @Nullable Throwable failure) {
        var event = failure == null ? LOG.atInfo() : LOG.atDebug().setCause(failure);
        event.addKeyValue("raftGroup", GroupId.describe(replica.groupId()))
                .addKeyValue("nid", Nid.toHex(nid))
                .log(failure == null ? what : what + ": not yet");
    }
}
