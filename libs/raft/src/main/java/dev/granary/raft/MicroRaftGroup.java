package dev.granary.raft;

import dev.granary.env.Environment;
import dev.granary.env.FatalErrors;
import dev.granary.raft.RaftFailure.Reason;
import dev.granary.raft.probe.RaftProbe;
import io.microraft.MembershipChangeMode;
import io.microraft.Ordered;
import io.microraft.QueryPolicy;
import io.microraft.RaftEndpoint;
import io.microraft.RaftNode;
import io.microraft.RaftNodeStatus;
import io.microraft.RaftRole;
import io.microraft.impl.RaftNodeImpl;
import io.microraft.impl.state.RaftState;
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.message.AppendEntriesFailureResponse;
import io.microraft.model.message.AppendEntriesRequest;
import io.microraft.model.message.AppendEntriesSuccessResponse;
import io.microraft.model.message.InstallSnapshotRequest;
import io.microraft.model.message.InstallSnapshotResponse;
import io.microraft.model.message.PreVoteResponse;
import io.microraft.model.message.RaftMessage;
import io.microraft.model.message.VoteRequest;
import io.microraft.persistence.RestoredRaftState;
import io.microraft.report.RaftGroupMembers;
import io.microraft.report.RaftNodeReport;
import io.microraft.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A group over MicroRaft. Everything runs as tasks of one scheduler. Five things are done here that the library leaves
 * open: after a failure of the disk or of the state machine nothing is run, sent or answered any more; responses of
 * former terms are dropped; queries are asked in rounds of their own ({@link QueryBatches}); a member that follows again
 * does not go on asking for an election, and one that has been asked for its vote waits ({@link OthersElection}).
 */
final class MicroRaftGroup implements RaftGroup {

    private static final Logger LOGGER = LoggerFactory.getLogger(MicroRaftGroup.class);

    private final RaftConfig config;
    private final Environment environment;
    private final MessageSender sender;
    private final GroupListener listener;
    private final RaftDisk disk;
    private final ScaledExecutor executor;
    private final RaftNode node;
    private final QueryBatches queries = new QueryBatches(this::queryBatch);
    private final OthersElection othersElection = new OthersElection();

    /** Nothing that was begun ends silently. */
    private final TreeMap<Long, CompletableFuture<?>> open = new TreeMap<>();

    private long nextSerial;
    private long knownTerm;
    private Optional<MemberId> knownLeader = Optional.empty();
    private @Nullable RaftStatus lastStatus;
    private boolean ended;

    private MicroRaftGroup(
            RaftConfig config,
            Environment environment,
            MessageSender sender,
            ReplicatedStateMachine stateMachine,
            GroupListener listener)
            throws IOException {
        this.config = config;
        this.environment = environment;
        this.sender = sender;
        this.listener = listener;
        this.disk = RaftDisk.open(environment.disk(), config, failure -> fail("the log failed", failure));
        long heartbeatNanos = config.timing().heartbeatNanos();
        ScaledClock clock = new ScaledClock(environment.clock(), heartbeatNanos);
        this.executor =
                new ScaledExecutor(environment, heartbeatNanos, clock, () -> ended, this::waitsForOthersElection);
        this.node = build(stateMachine, clock);
    }

    static MicroRaftGroup open(
            RaftConfig config,
            Environment environment,
            MessageSender sender,
            ReplicatedStateMachine stateMachine,
            GroupListener listener)
            throws IOException {
        MicroRaftGroup group = new MicroRaftGroup(config, environment, sender, stateMachine, listener);
        group.start();
        return group;
    }

    private RaftNode build(ReplicatedStateMachine stateMachine, ScaledClock clock) {
        RaftNode.RaftNodeBuilder builder = RaftNode.newBuilder()
                .setGroupId(config.groupId())
                .setConfig(libraryConfig())
                .setExecutor(executor)
                .setTransport(new Outgoing())
                .setStateMachine(new MachineAdapter(stateMachine, this::fail))
                .setStore(disk)
                .setRaftNodeReportListener(this::reported)
                .setRandom(Random.from(environment.random()))
                .setClock(clock);
        RestoredRaftState restored = disk.state().restored();
        if (restored != null) {
            return builder.setRestoredState(restored).build();
        }
        RaftGroupMembersView stored = disk.state().founders();
        Collection<RaftEndpoint> founders = stored == null ? Endpoint.of(config.founders()) : stored.getVotingMembers();
        return builder.setLocalEndpoint(new Endpoint(config.self()))
                .setInitialGroupMembers(founders)
                .build();
    }

    private io.microraft.RaftConfig libraryConfig() {
        return io.microraft.RaftConfig.newBuilder()
                .setLeaderHeartbeatPeriodSecs(1)
                .setLeaderHeartbeatTimeoutSecs(RaftTiming.SILENT_HEARTBEATS)
                .setLeaderElectionTimeoutMillis(ScaledExecutor.LIBRARY_ELECTION_MILLIS)
                .setCommitCountToTakeSnapshot(config.commandsPerSnapshot())
                .setTransferSnapshotsFromFollowersEnabled(false)
                .setRaftNodeReportPublishPeriodSecs(60)
                .build();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its failure ends the group
    private void start() {
        node.start().whenComplete((started, failure) -> {
            if (failure != null) {
                fail("the group could not be started", failure);
            }
        });
    }

    @Override
    public CompletableFuture<byte[]> propose(byte[] command) {
        requireSize(command);
        return submit(() -> node.<Object>replicate(command), byte[].class::cast);
    }

    @Override
    public CompletableFuture<byte[]> query(byte[] question) {
        requireSize(question);
        return submitAny(() -> queries.add(question));
    }

    private CompletableFuture<List<byte[]>> queryBatch(List<byte[]> questions) {
        return node.<List<byte[]>>query(
                        new MachineAdapter.Questions(questions),
                        QueryPolicy.LINEARIZABLE,
                        Optional.empty(),
                        Optional.empty())
                .thenApply(Ordered::getResult);
    }

    private static void requireSize(byte[] bytes) {
        if (bytes.length > MAX_COMMAND_BYTES) {
            throw new IllegalArgumentException(
                    bytes.length + " bytes; at most " + MAX_COMMAND_BYTES + " fit into a command");
        }
    }

    @Override
    public Optional<MemberId> leader() {
        return Optional.ofNullable(node.getTerm().getLeaderEndpoint()).map(Endpoint::memberOf);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // its failure leads to an answer as well
    public CompletableFuture<RaftStatus> status() {
        CompletableFuture<RaftStatus> result = new CompletableFuture<>();
        environment.scheduler().execute(() -> {
            RaftStatus last = lastStatus;
            if (ended) {
                result.complete(endedStatus(last));
            } else {
                report().whenComplete((report, failure) ->
                        result.complete(failure == null ? statusOf(report) : endedStatus(last)));
            }
        });
        return result;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its failure is handed on
    private CompletableFuture<RaftNodeReport> report() {
        CompletableFuture<Ordered<RaftNodeReport>> report = new CompletableFuture<>();
        executor.runAtOnce(() -> node.getReport().whenComplete((done, failure) -> {
            if (failure != null) {
                report.completeExceptionally(failure);
            } else {
                report.complete(done);
            }
        }));
        return report.thenApply(Ordered::getResult);
    }

    private RaftStatus endedStatus(@Nullable RaftStatus last) {
        GroupMembers members = last == null ? new GroupMembers(0, config.founders(), List.of()) : last.members();
        return new RaftStatus(
                RaftStatus.Role.ENDED,
                knownTerm,
                Optional.empty(),
                last == null ? 0 : last.commitIndex(),
                last == null ? 0 : last.lastLogIndex(),
                last == null ? 0 : last.snapshotIndex(),
                members);
    }

    private RaftStatus statusOf(RaftNodeReport report) {
        RaftStatus.Role role =
                switch (report.getRole()) {
                    case LEADER -> RaftStatus.Role.LEADER;
                    case FOLLOWER -> RaftStatus.Role.FOLLOWER;
                    case CANDIDATE -> RaftStatus.Role.CANDIDATE;
                    case LEARNER -> RaftStatus.Role.LEARNER;
                };
        RaftStatus status = new RaftStatus(
                role,
                report.getTerm().getTerm(),
                Optional.ofNullable(report.getTerm().getLeaderEndpoint()).map(Endpoint::memberOf),
                report.getLog().getCommitIndex(),
                report.getLog().getLastLogOrSnapshotIndex(),
                report.getLog().getLastSnapshotIndex(),
                membersOf(report.getCommittedMembers()));
        lastStatus = status;
        return status;
    }

    private static GroupMembers membersOf(RaftGroupMembers members) {
        List<MemberId> voters = Endpoint.membersOf(members.getVotingMembers());
        List<MemberId> learners = new ArrayList<>(Endpoint.membersOf(members.getMembers()));
        learners.removeAll(voters);
        return new GroupMembers(members.getLogIndex(), voters, learners);
    }

    @Override
    public CompletableFuture<GroupMembers> addLearner(MemberId member, long version) {
        return change(member, MembershipChangeMode.ADD_LEARNER, version);
    }

    @Override
    public CompletableFuture<GroupMembers> promote(MemberId learner, long version) {
        return change(learner, MembershipChangeMode.ADD_OR_PROMOTE_TO_FOLLOWER, version);
    }

    @Override
    public CompletableFuture<GroupMembers> remove(MemberId member, long version) {
        return change(member, MembershipChangeMode.REMOVE_MEMBER, version);
    }

    private CompletableFuture<GroupMembers> change(MemberId member, MembershipChangeMode mode, long version) {
        return submit(() -> node.changeMembership(new Endpoint(member), mode, version), MicroRaftGroup::membersOf);
    }

    @Override
    public CompletableFuture<GroupMembers> addVoter(MemberId member, long limitNanos) {
        long heartbeatNanos = config.timing().heartbeatNanos();
        return new VoterAddition(this, environment, this::progressOf, member, heartbeatNanos, limitNanos).start();
    }

    private CompletableFuture<VoterAddition.Seen> progressOf(MemberId member) {
        return submitAny(this::report).thenApply(report -> {
            long matchIndex =
                    report.getLog().getFollowerMatchIndices().getOrDefault((RaftEndpoint) new Endpoint(member), 0L);
            return new VoterAddition.Seen(statusOf(report), matchIndex);
        });
    }

    @Override
    public CompletableFuture<Void> transferLeadership(MemberId to) {
        return submitAny(() -> node.transferLeadership(new Endpoint(to)).thenAccept(done -> {}));
    }

    @Override
    public CompletableFuture<Void> takeSnapshot() {
        return submitAny(() -> node.takeSnapshot().thenAccept(done -> {}));
    }

    @Override
    public void receive(byte[] bytes) {
        RaftMessage message;
        try {
            message = MessageCodec.decode(bytes);
        } catch (IllegalArgumentException e) {
            LOGGER.warn("a message that makes no sense: {}", e.getMessage());
            return;
        }
        environment.scheduler().execute(() -> deliver(message));
    }

    private void deliver(RaftMessage message) {
        boolean ours = message.getGroupId().equals(config.groupId());
        if (!ended && ours) {
            endPreVoteIfLed(message);
            followLaterTerm(message);
            waitIfAsked(message);
        }
        if (!ended && ours && !isOutdatedResponse(message)) {
            // At once, so that the term is still the one that was looked at.
            executor.runAtOnce(() -> node.handle(message));
        }
    }

    /**
     * A follower that has asked whether it might win an election, and then hears again of the leader of its term, would
     * take itself for asking for ever, and never ask again when the leader is gone.
     */
    private void endPreVoteIfLed(RaftMessage message) {
        boolean fromLeader = message instanceof AppendEntriesRequest || message instanceof InstallSnapshotRequest;
        RaftState state = state();
        if (fromLeader && message.getTerm() == state.term() && state.preCandidateState() != null) {
            RaftProbe.PRE_VOTE_ENDED_BY_THE_LEADER.hit();
            becomeFollower(state, state.term());
        }
    }

    /**
     * A member whose term is behind is refused the votes that it would get, and the library does not tell it why: it would
     * ask in its own term for ever. When the member with the later term has the shorter log, nobody would ever lead.
     */
    private void followLaterTerm(RaftMessage message) {
        RaftState state = state();
        // Refusals for other reasons name the term that was asked for, which is the next one.
        if (message instanceof PreVoteResponse refusal
                && !refusal.isGranted()
                && refusal.getTerm() > state.term() + 1
                && state.preCandidateState() != null) {
            RaftProbe.LATER_TERM_FOLLOWED.hit();
            becomeFollower(state, refusal.getTerm());
        }
    }

    /** What the library keeps of the group; tasks of this group's thread only. */
    private RaftState state() {
        return ((RaftNodeImpl) node).state();
    }

    private void waitIfAsked(RaftMessage message) {
        if (message instanceof VoteRequest && message.getTerm() > state().term()) {
            long spreadNanos =
                    RaftTiming.ELECTION_SPREAD_HEARTBEATS * config.timing().heartbeatNanos();
            long leastNanos = RaftTiming.ELECTION_HEARTBEATS * config.timing().heartbeatNanos();
            RaftProbe.OTHERS_ELECTION_WAITED_FOR.hit();
            othersElection.began(
                    environment.clock().nanoTime(),
                    leastNanos + environment.random().nextLong(spreadNanos));
        }
    }

    /** Whether this member is not to look for a leader now, see {@link OthersElection}. */
    private boolean waitsForOthersElection() {
        RaftState state = state();
        if (state.leader() != null) {
            othersElection.ended();
            return false;
        }
        return state.role() == RaftRole.FOLLOWER
                && othersElection.isUnderWay(environment.clock().nanoTime());
    }

    private void becomeFollower(RaftState state, int term) {
        try {
            executor.runAtOnce(() -> state.toFollower(term));
        } catch (RuntimeException e) {
            fail("the term could not be kept", e);
        }
    }

    /** What a follower had in a former term it may have cut since; the library would believe it. */
    private boolean isOutdatedResponse(RaftMessage message) {
        boolean response = message instanceof AppendEntriesSuccessResponse
                || message instanceof AppendEntriesFailureResponse
                || message instanceof InstallSnapshotResponse;
        RaftProbe.RESPONSE_OF_A_FORMER_TERM.hitIf(
                response && message.getTerm() < node.getTerm().getTerm());
        return response && message.getTerm() < node.getTerm().getTerm();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it is over when this returns
    public void close() {
        environment.scheduler().execute(() -> {
            if (!ended) {
                executor.runAtOnce(node::terminate);
                end("this member's part of the group was closed");
            }
        });
    }

    private <T, R> CompletableFuture<R> submit(
            Supplier<CompletableFuture<Ordered<T>>> request, Function<T, R> conversion) {
        return submitAny(() -> request.get().thenApply(ordered -> conversion.apply(ordered.getResult())));
    }

    private <R> CompletableFuture<R> submitAny(Supplier<CompletableFuture<R>> request) {
        CompletableFuture<R> result = new CompletableFuture<>();
        environment.scheduler().execute(() -> begin(request, result));
        return result;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its failure is handed on
    private <R> void begin(Supplier<CompletableFuture<R>> request, CompletableFuture<R> result) {
        if (ended) {
            result.completeExceptionally(
                    new RaftFailure(Reason.ENDED, Optional.empty(), "the group has ended on this member"));
            return;
        }
        long serial = nextSerial++;
        open.put(serial, result);
        request.get().whenComplete((value, failure) -> {
            open.remove(serial);
            if (failure != null) {
                result.completeExceptionally(Failures.of(failure));
            } else {
                result.complete(value);
            }
        });
    }

    /** The library tells what has changed. */
    private void reported(RaftNodeReport report) {
        Optional<MemberId> leader =
                Optional.ofNullable(report.getTerm().getLeaderEndpoint()).map(Endpoint::memberOf);
        int term = report.getTerm().getTerm();
        statusOf(report);
        if (term != knownTerm || !leader.equals(knownLeader)) {
            knownTerm = term;
            knownLeader = leader;
            RaftProbe.LEADER_CHANGED.hitIf(leader.isPresent());
            RaftProbe.LEADER_UNKNOWN.hitIf(leader.isEmpty());
            listener.leaderChanged(term, leader);
        }
        if (report.getStatus() == RaftNodeStatus.TERMINATED) {
            environment.scheduler().execute(() -> {
                if (!ended) {
                    end("this member was removed from the group");
                    listener.removed();
                }
            });
        }
    }

    private void fail(String reason, Throwable cause) {
        if (!ended) {
            LOGGER.error("group {} ends on member {}: {}", config.groupId(), config.self(), reason, cause);
            end(reason);
            listener.failed(reason, cause);
        }
    }

    private void end(String reason) {
        ended = true;
        executor.stop();
        RaftProbe.OUTCOME_UNKNOWN.hitIf(!open.isEmpty());
        List<CompletableFuture<?>> unfinished = new ArrayList<>(open.values());
        open.clear();
        unfinished.forEach(future ->
                future.completeExceptionally(new RaftFailure(Reason.OUTCOME_UNKNOWN, Optional.empty(), reason)));
        try {
            disk.close();
        } catch (IOException e) {
            LOGGER.warn("the log of group {} could not be closed", config.groupId(), e);
        }
    }

    /** Messages on their way out. */
    private final class Outgoing implements Transport {

        @Override
        public void send(RaftEndpoint target, RaftMessage message) {
            if (ended) {
                return;
            }
            try {
                sender.send(Endpoint.memberOf(target), MessageCodec.encode(message));
            } catch (Throwable thrown) {
                FatalErrors.tell(thrown);
                executor.threw(thrown);
                throw thrown;
            }
        }

        @Override
        public boolean isReachable(RaftEndpoint endpoint) {
            return true;
        }
    }
}
