package dev.granary.microraft;

import static org.assertj.core.api.Assertions.assertThat;

import io.microraft.Ordered;
import io.microraft.QueryPolicy;
import io.microraft.RaftConfig;
import io.microraft.RaftEndpoint;
import io.microraft.RaftNode;
import io.microraft.RaftRole;
import io.microraft.executor.RaftNodeExecutor;
import io.microraft.model.impl.DefaultRaftModelFactory;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.InstallSnapshotRequest;
import io.microraft.model.message.PreVoteRequest;
import io.microraft.model.message.RaftMessage;
import io.microraft.model.message.VoteRequest;
import io.microraft.report.RaftNodeObserver;
import io.microraft.report.RaftNodeReport;
import io.microraft.transport.Transport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One node of a group of three, with time and tasks in the test's hand: the others are the messages that it makes. */
final class OneNode {

    static final DefaultRaftModelFactory MODEL = new DefaultRaftModelFactory();
    static final Member ME = new Member(1);
    static final Member TWO = new Member(2);
    static final Member THREE = new Member(3);
    static final String GROUP = "group";

    static final long ELECTION_MILLIS = 2_000;
    static final int ELECTION_SPREAD_MILLIS = 4_000;

    /** Longer than a leader may be silent, and than an election may take. */
    static final long LONG_MILLIS = 6_000;

    /** How long a leader waits for responses of a majority. */
    static final long QUORUM_MILLIS = 20_000;

    record Member(int number) implements RaftEndpoint {
        @Override
        public Object getId() {
            return number;
        }
    }

    record Sent(RaftEndpoint to, RaftMessage message) {}

    /** What was handed in to be done later; only its delay is of interest. */
    record Scheduled(long delayMillis) {}

    private final class Tasks implements RaftNodeExecutor {
        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public void submit(Runnable task) {
            tasks.add(task);
        }

        @Override
        public void schedule(Runnable task, long delay, TimeUnit unit) {
            scheduled.add(new Scheduled(unit.toMillis(delay)));
        }

        @Override
        public void scheduleHeartbeat(Runnable task, long period, TimeUnit unit) {
            heartbeat = task;
        }
    }

    private final class Wire implements Transport {
        @Override
        public void send(RaftEndpoint target, RaftMessage message) {
            if (target.equals(unreachable)) {
                throw new IllegalStateException("no way to " + target.getId());
            }
            sent.add(new Sent(target, message));
        }

        @Override
        public boolean isReachable(RaftEndpoint endpoint) {
            return true;
        }
    }

    private final class Observer implements RaftNodeObserver {
        @Override
        public void observed(Event event) {
            events.add(event);
        }

        @Override
        public void failed(String reason, Throwable cause) {
            failures.add(reason);
        }
    }

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<Scheduled> scheduled = new ArrayList<>();
    private final List<Sent> sent = new ArrayList<>();
    private final List<RaftNodeObserver.Event> events = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final RecordingStore store = new RecordingStore();
    private final RecordingMachine machine = new RecordingMachine();
    private final RaftNode node;
    private @Nullable Runnable heartbeat;
    private @Nullable Member unreachable;
    private long nowMillis = 1_000_000;
    private boolean clockFails;

    OneNode(long seed) {
        this(seed, List.of(ME, TWO, THREE));
    }

    private OneNode(long seed, List<RaftEndpoint> members) {
        node = RaftNode.newBuilder()
                .setGroupId(GROUP)
                .setLocalEndpoint(ME)
                .setInitialGroupMembers(members)
                .setConfig(RaftConfig.newBuilder()
                        .setLeaderHeartbeatPeriodSecs(1)
                        .setLeaderHeartbeatTimeoutSecs(5)
                        .setLeaderQuorumTimeoutSecs(QUORUM_MILLIS / 1_000)
                        .setLeaderElectionTimeoutMillis(ELECTION_MILLIS)
                        .setLeaderElectionTimeoutNoiseMillis(ELECTION_SPREAD_MILLIS)
                        .build())
                .setExecutor(new Tasks())
                .setTransport(new Wire())
                .setStore(store)
                .setStateMachine(machine)
                .setRandom(new Random(seed))
                .setClock(this::now)
                .setObserver(new Observer())
                .build();
    }

    private long now() {
        if (clockFails) {
            throw new IllegalStateException("no time");
        }
        return nowMillis;
    }

    /** A node that has begun, and has asked the others whether it might win an election. */
    static OneNode started() {
        OneNode one = new OneNode(1);
        one.start();
        return one;
    }

    /** A node that is the only one of its group, which it leads. */
    static OneNode alone() {
        OneNode one = new OneNode(1, List.of(ME));
        one.start();
        assertThat(one.report().getRole()).isEqualTo(RaftRole.LEADER);
        return one;
    }

    /** A node that leads in term 1 and has committed the first entry, with the others. */
    static OneNode leading() {
        OneNode one = started();
        one.winElection();
        return one;
    }

    void start() {
        CompletableFuture<?> started = node.start();
        run();
        assertThat(started).isCompleted();
    }

    /** Both others give their votes, for the next term, and then append what the leader has. */
    void winElection() {
        int next = term() + 1;
        for (Member other : List.of(TWO, THREE)) {
            receive(MODEL.createPreVoteResponseBuilder()
                    .setGroupId(GROUP)
                    .setSender(other)
                    .setTerm(next)
                    .setGranted(true)
                    .build());
        }
        assertThat(sent(VoteRequest.class)).isNotEmpty();
        receive(MODEL.createVoteResponseBuilder()
                .setGroupId(GROUP)
                .setSender(TWO)
                .setTerm(next)
                .setGranted(true)
                .build());
        success(TWO, next, lastIndex(), 0);
        success(THREE, next, lastIndex(), 0);
        assertThat(report().getRole()).isEqualTo(RaftRole.LEADER);
        assertThat(report().getLog().getCommitIndex()).isEqualTo(lastIndex());
    }

    void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    void receive(RaftMessage message) {
        node.handle(message);
        run();
    }

    /** What the second member, which leads in term 1, sends of its state: a piece, or none to announce it. */
    static InstallSnapshotRequest snapshot(long index, @Nullable String piece) {
        RaftGroupMembersView members = MODEL.createRaftGroupMembersViewBuilder()
                .setLogIndex(0)
                .setMembers(List.of(ME, TWO, THREE))
                .setVotingMembers(List.of(ME, TWO, THREE))
                .build();
        SnapshotChunk chunk = piece == null
                ? null
                : MODEL.createSnapshotChunkBuilder()
                        .setTerm(1)
                        .setIndex(index)
                        .setSnapshotChunkIndex(0)
                        .setSnapshotChunkCount(1)
                        .setOperation(piece)
                        .setGroupMembersView(members)
                        .build();
        return MODEL.createInstallSnapshotRequestBuilder()
                .setGroupId(GROUP)
                .setSender(TWO)
                .setTerm(1)
                .setSenderLeader(true)
                .setSnapshotTerm(1)
                .setSnapshotIndex(index)
                .setTotalSnapshotChunkCount(1)
                .setSnapshotChunk(chunk)
                .setSnapshottedMembers(List.of(TWO))
                .setGroupMembersView(members)
                .setQuerySequenceNumber(0)
                .setFlowControlSequenceNumber(0)
                .build();
    }

    /** A leader shows that it is there. */
    void heartbeatOf(Member leader, int term) {
        receive(MODEL.createAppendEntriesRequestBuilder()
                .setGroupId(GROUP)
                .setSender(leader)
                .setTerm(term)
                .setPreviousLogIndex(0)
                .setPreviousLogTerm(0)
                .setCommitIndex(0)
                .setLogEntries(List.of())
                .setQuerySequenceNumber(0)
                .setFlowControlSequenceNumber(0)
                .build());
    }

    void askForVote(Member candidate, int term) {
        receive(MODEL.createVoteRequestBuilder()
                .setGroupId(GROUP)
                .setSender(candidate)
                .setTerm(term)
                .setLastLogTerm(0)
                .setLastLogIndex(0)
                .setSticky(true)
                .build());
    }

    void refusePreVote(Member other, int term) {
        receive(MODEL.createPreVoteResponseBuilder()
                .setGroupId(GROUP)
                .setSender(other)
                .setTerm(term)
                .setGranted(false)
                .build());
    }

    /** A follower has appended everything up to an index. */
    void success(Member follower, int term, long lastIndex, long querySequence) {
        receive(MODEL.createAppendEntriesSuccessResponseBuilder()
                .setGroupId(GROUP)
                .setSender(follower)
                .setTerm(term)
                .setLastLogIndex(lastIndex)
                .setQuerySequenceNumber(querySequence)
                .setFlowControlSequenceNumber(lastFlowNumber(follower))
                .build());
    }

    private long lastFlowNumber(Member follower) {
        return sent.stream()
                .filter(one -> one.to().equals(follower))
                .map(Sent::message)
                .filter(AppendEntriesRequest.class::isInstance)
                .mapToLong(message -> ((AppendEntriesRequest) message).getFlowControlSequenceNumber())
                .max()
                .orElse(0);
    }

    CompletableFuture<Ordered<String>> propose(String command) {
        CompletableFuture<Ordered<String>> answer = node.replicate(command);
        run();
        return answer;
    }

    CompletableFuture<Ordered<String>> query(String question) {
        CompletableFuture<Ordered<String>> answer =
                node.query(question, QueryPolicy.LINEARIZABLE, Optional.empty(), Optional.empty());
        run();
        return answer;
    }

    CompletableFuture<?> takeSnapshot() {
        CompletableFuture<?> taken = node.takeSnapshot();
        run();
        return taken;
    }

    void beat() {
        Objects.requireNonNull(heartbeat, "it has not begun").run();
        run();
    }

    void pass(long millis) {
        nowMillis += millis;
    }

    void setUnreachable(@Nullable Member member) {
        unreachable = member;
    }

    void setClockFails(boolean fails) {
        clockFails = fails;
    }

    RaftNodeReport report() {
        var report = node.getReport();
        run();
        return report.join().getResult();
    }

    RaftNode node() {
        return node;
    }

    int term() {
        return node.getTerm().getTerm();
    }

    long lastIndex() {
        return report().getLog().getLastLogOrSnapshotIndex();
    }

    RecordingStore store() {
        return store;
    }

    RecordingMachine machine() {
        return machine;
    }

    List<RaftNodeObserver.Event> events() {
        return events;
    }

    List<String> failures() {
        return failures;
    }

    List<Scheduled> scheduled() {
        return scheduled;
    }

    /** What was sent of one kind, since the last {@link #forgetSent}. */
    <T extends RaftMessage> List<T> sent(Class<T> kind) {
        return sent.stream()
                .map(Sent::message)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    List<Sent> sent() {
        return sent;
    }

    void forgetSent() {
        sent.clear();
    }

    boolean hasAskedForPreVotes() {
        return !sent(PreVoteRequest.class).isEmpty();
    }
}
