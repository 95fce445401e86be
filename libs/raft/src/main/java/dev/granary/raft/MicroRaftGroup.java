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
import io.microraft.model.log.RaftGroupMembersView;
import io.microraft.model.message.RaftMessage;
import io.microraft.persistence.RestoredRaftState;
import io.microraft.report.RaftGroupMembers;
import io.microraft.report.RaftNodeObserver;
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
 * A group over our fork of MicroRaft, by its public interface (ADR 0226). Everything runs as tasks of one scheduler.
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

    /** The futures of callers that are not complete; none of them ends silently. */
    private final TreeMap<Long, CompletableFuture<?>> open = new TreeMap<>();

    private long nextSerial;
    private long knownTerm;
    private Optional<MemberId> knownLeader = Optional.empty();
    private @Nullable RaftStatus lastStatus;
    private boolean ended;
    private boolean closing;

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
        this.disk = RaftDisk.open(environment.disk(), config);
        long heartbeatNanos = config.timing().heartbeatNanos();
        ScaledClock clock = new ScaledClock(environment.clock(), heartbeatNanos);
        this.executor = new ScaledExecutor(environment, heartbeatNanos, clock);
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
                .setStateMachine(new MachineAdapter(stateMachine))
                .setStore(disk)
                .setRaftNodeReportListener(this::reported)
                .setObserver(new Observer())
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
                .setLeaderQuorumTimeoutSecs(RaftTiming.QUORUM_HEARTBEATS)
                .setLeaderElectionTimeoutMillis(ScaledClock.LIBRARY_HEARTBEAT_MILLIS * RaftTiming.ELECTION_HEARTBEATS)
                .setLeaderElectionTimeoutNoiseMillis(
                        ScaledClock.LIBRARY_HEARTBEAT_MILLIS * RaftTiming.ELECTION_SPREAD_HEARTBEATS)
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
        MachineAdapter.Question asked = new MachineAdapter.Question(question);
        return submit(
                () -> node.<byte[]>query(asked, QueryPolicy.LINEARIZABLE, Optional.empty(), Optional.empty()),
                answer -> answer);
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
    public long logBytes() {
        return disk.logBytes();
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
            LOGGER.warn("dropping a malformed message: {}", e.getMessage());
            return;
        }
        boolean ours = message.getGroupId().equals(config.groupId());
        if (ours && !RaftNodeStatus.isTerminal(node.getStatus())) {
            node.handle(message);
        }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it is over when this returns
    public void close() {
        environment.scheduler().execute(() -> {
            if (!ended) {
                closing = true;
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

    /** The library reports what has changed. */
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
        // Who closes the group is not told of it, and its scheduler may take no task any more.
        if (report.getStatus() == RaftNodeStatus.TERMINATED && !closing) {
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

    /** Sends the library's messages. */
    private final class Outgoing implements Transport {

        @Override
        public void send(RaftEndpoint target, RaftMessage message) {
            try {
                sender.send(Endpoint.memberOf(target), MessageCodec.encode(message));
            } catch (Throwable thrown) {
                FatalErrors.tell(thrown);
                throw thrown;
            }
        }

        @Override
        public boolean isReachable(RaftEndpoint endpoint) {
            return true;
        }
    }

    /** Gets what the library tells besides its reports. */
    private final class Observer implements RaftNodeObserver {

        @Override
        public void observed(Event event) {
            switch (event) {
                case PRE_VOTE_ENDED_BY_THE_LEADER -> RaftProbe.PRE_VOTE_ENDED_BY_THE_LEADER.hit();
                case LATER_TERM_FOLLOWED -> RaftProbe.LATER_TERM_FOLLOWED.hit();
                case OTHERS_ELECTION_AWAITED -> RaftProbe.OTHERS_ELECTION_WAITED_FOR.hit();
                case OUTDATED_RESPONSE_DROPPED -> RaftProbe.RESPONSE_OF_A_FORMER_TERM.hit();
            }
        }

        @Override
        public void failed(String reason, Throwable cause) {
            fail(reason, cause);
        }
    }
}
