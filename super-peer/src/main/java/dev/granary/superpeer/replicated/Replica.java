package dev.granary.superpeer.replicated;

import dev.granary.env.Loop;
import dev.granary.overlay.Nid;
import dev.granary.raft.GroupListener;
import dev.granary.raft.MemberId;
import dev.granary.raft.RaftFailure;
import dev.granary.raft.RaftGroup;
import dev.granary.raft.ReplicatedStateMachine;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Committer;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.node.MemoryBudget;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.RaftMetrics;
import dev.granary.superpeer.node.SuperPeerMemory;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.StateMachine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * This super-peer's replica of a replicated state. It {@linkplain #leads leads} once it has surely applied everything
 * that former leaders have committed. Tasks of one scheduler.
 *
 * @param <C> the commands
 * @param <R> what a command leads to
 */
public final class Replica<C, R> implements Committer<C, R> {

    private static final byte[] NOTHING = {};

    /**
     * The limit of one confirmation. A leader that a majority does not confirm within 60 seconds has lost its
     * leadership.
     */
    private static final long CONFIRM_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Node node;
    private final long groupId;
    private final MemberId self;
    private final StateMachine<C, R> state;
    private final Listener listener;
    private final long retryNanos;
    private final Loop completion;
    private final RaftMetrics metrics;
    private final RaftMetrics.Group kind;
    private @Nullable RaftGroup group;
    private int leaderNid = Nid.NONE;
    private long term;
    private boolean leads;
    private boolean closed;

    /** The last term in which the group was seen to have a leader. */
    private long ledTerm;

    /** Since when no leader has been known here; valid while none is. */
    private long leaderlessSinceNanos;

    /** When this super-peer was last elected; valid while it is the leader. */
    private long electedNanos;

    /** The size of the last snapshot, which the Raft group keeps in memory. */
    private long snapshotBytes;

    /** The index of the last command that was applied, and its result. */
    private long lastIndex;

    private @Nullable R lastResult;

    /** Called when something happens to a replica, by tasks of the scheduler. */
    public interface Listener {
        /** The state has changed. */
        default void changed() {}

        /** This super-peer leads now, and its state is complete. */
        default void leadershipBegan() {}

        /** This super-peer leads no more. */
        default void leadershipEnded() {}

        /** This super-peer was removed from the group. */
        default void removed() {}
    }

    Replica(Node node, long groupId, MemberId self, StateMachine<C, R> state, Listener listener, long heartbeatNanos) {
        this.node = node;
        this.groupId = groupId;
        this.self = self;
        this.state = state;
        this.listener = listener;
        this.metrics = node.metrics().raft();
        this.kind = RaftMetrics.Group.of(groupId);
        this.leaderlessSinceNanos = node.nanoTime();
        this.retryNanos = heartbeatNanos / 4;
        this.completion = Loop.answered(
                        node.environment().scheduler(),
                        "leadership",
                        retryNanos,
                        CONFIRM_LIMIT_NANOS,
                        this::completeState)
                .vital(CONFIRM_LIMIT_NANOS);
    }

    /** Returns the state machine as the Raft group sees it. */
    ReplicatedStateMachine machine() {
        return new Machine();
    }

    GroupListener groupListener() {
        return new Events();
    }

    void begin(RaftGroup opened) {
        group = opened;
    }

    long groupId() {
        return groupId;
    }

    /** Returns the member of the group that this super-peer is. */
    MemberId self() {
        return self;
    }

    RaftGroup group() {
        return Objects.requireNonNull(group);
    }

    /**
     * Whether this super-peer leads and has the whole state, as far as it knows. Another super-peer may have taken over
     * unnoticed.
     */
    public boolean leads() {
        return leads;
    }

    /** Returns the NID of the leader as far as is known here; {@link Nid#NONE} when it is not known. */
    public int leaderNid() {
        return leaderNid;
    }

    /** Returns for how long no leader has been known here; 0 while one is. */
    public long leaderlessNanos() {
        return leaderNid == Nid.NONE ? node.nanoTime() - leaderlessSinceNanos : 0;
    }

    /** Returns the size of the last snapshot that the group keeps; 0 before the first one. */
    public long snapshotBytes() {
        return snapshotBytes;
    }

    /** Returns what metrics show of the group. */
    RaftMetrics.Look look() {
        boolean others =
                leaderNid != Nid.NONE && leaderNid != node.rpcIdentity().nid();
        RaftMetrics.Role role = others ? RaftMetrics.Role.FOLLOWER : RaftMetrics.Role.LEADERLESS;
        return new RaftMetrics.Look(kind, leads ? RaftMetrics.Role.LEADER : role, group().logBytes(), snapshotBytes);
    }

    /** Returns the Raft term of the present leadership. */
    long term() {
        return term;
    }

    /**
     * Returns when this super-peer was elected; valid while it {@linkplain #leads leads}. A majority had voted by then,
     * and confirms nothing to former leaders any more.
     */
    public long electedNanos() {
        return electedNanos;
    }

    @Override
    public CompletableFuture<R> commit(C command) {
        ByteBuf out = Unpooled.buffer();
        state.encode(command, out);
        MemoryBudget room = node.memory().commands();
        long takenBytes = out.readableBytes() + SuperPeerMemory.COMMAND_BYTES;
        if (state.isOfAClient(command) && !room.hasRoomFor(takenBytes)) {
            SuperPeerProbe.COMMANDS_FULL.hit();
            return CompletableFuture.failedFuture(RaftFailure.busy(
                    "commands of " + room.bytes() + " of at most " + room.limitBytes() + " bytes are under way"));
        }
        long proposedNanos = node.nanoTime();
        CompletableFuture<byte[]> proposed = group().propose(ByteBufUtil.getBytes(out));
        room.take(takenBytes);
        return proposed.whenComplete((answer, failure) -> room.give(takenBytes)).thenApply(answer -> {
            long index = Unpooled.wrappedBuffer(answer).readLongLE();
            if (index != lastIndex) {
                throw new IllegalStateException("the answer to command " + index + " comes after " + lastIndex);
            }
            metrics.committed(node.nanoTime() - proposedNanos);
            return Objects.requireNonNull(lastResult);
        });
    }

    @Override
    public CompletableFuture<Void> confirm() {
        return group().query(NOTHING).thenAccept(answer -> {});
    }

    void receive(byte[] message) {
        if (group != null) {
            group.receive(message);
        }
    }

    void close() {
        closed = true;
        completion.stop();
        endLeadership();
        if (group != null) {
            group.close();
        }
    }

    private void endLeadership() {
        if (leads) {
            leads = false;
            listener.leadershipEnded();
        }
    }

    /** Asks for confirmation until everything that was committed before is surely applied here. */
    private void completeState() {
        long asked = term;
        Async.whenDone(
                confirm(),
                (done, failure) -> completion.part(() -> {
                    boolean still = !closed
                            && term == asked
                            && leaderNid == node.rpcIdentity().nid();
                    if (still && failure == null) {
                        completion.stop();
                        leads = true;
                        listener.leadershipBegan();
                    } else if (still) {
                        completion.again(retryNanos);
                    }
                }));
    }

    private final class Machine implements ReplicatedStateMachine {

        @Override
        public byte[] apply(long index, byte[] command) {
            ByteBuf in = Unpooled.wrappedBuffer(command);
            C decoded = state.decode(in);
            if (in.isReadable()) {
                throw new IllegalArgumentException(
                        "command " + index + " has " + in.readableBytes() + " bytes too many");
            }
            lastResult = state.apply(decoded);
            lastIndex = index;
            metrics.applied(kind);
            listener.changed();
            return ByteBufUtil.getBytes(Unpooled.buffer(Long.BYTES).writeLongLE(index));
        }

        @Override
        public byte[] query(byte[] question) {
            return NOTHING;
        }

        @Override
        public void takeSnapshot(Consumer<byte[]> chunks) {
            // In pieces, each of which is freed once it is handed on: an array that grows would be in memory three
            // times.
            ByteBuf out = Unpooled.compositeBuffer(Integer.MAX_VALUE);
            state.writeSnapshot(out);
            snapshotBytes = out.readableBytes();
            metrics.tookSnapshot(kind);
            do {
                byte[] chunk = new byte[Math.min(out.readableBytes(), RaftGroup.MAX_COMMAND_BYTES)];
                out.readBytes(chunk);
                out.discardReadBytes();
                chunks.accept(chunk);
            } while (out.isReadable());
        }

        @Override
        public void installSnapshot(List<byte[]> chunks) {
            List<ByteBuf> pieces = new ArrayList<>();
            chunks.forEach(chunk -> pieces.add(Unpooled.wrappedBuffer(chunk)));
            ByteBuf snapshot = Unpooled.wrappedBuffer(pieces.toArray(ByteBuf[]::new));
            snapshotBytes = snapshot.readableBytes();
            state.readSnapshot(snapshot);
            metrics.installedSnapshot(kind);
            listener.changed();
        }
    }

    private final class Events implements GroupListener {

        @Override
        public void leaderChanged(long newTerm, Optional<MemberId> leader) {
            term = newTerm;
            if (leaderNid != Nid.NONE) {
                leaderlessSinceNanos = node.nanoTime();
            }
            leaderNid = leader.map(GroupId::nid).orElse(Nid.NONE);
            if (leaderNid != Nid.NONE && newTerm != ledTerm) {
                ledTerm = newTerm;
                metrics.hasLeader(kind);
            }
            endLeadership();
            completion.stop();
            if (leaderNid == node.rpcIdentity().nid()) {
                electedNanos = node.nanoTime();
                // In a later task, as the field of the group has to be set before the group is asked.
                completion.beginAfter(0);
            }
        }

        @Override
        public void removed() {
            closed = true;
            leaderNid = Nid.NONE;
            endLeadership();
            listener.removed();
        }

        @Override
        public void failed(String reason, Throwable cause) {
            closed = true;
            leaderNid = Nid.NONE;
            endLeadership();
            String what = cause instanceof IOException ? "the disk has failed" : "a replicated state is damaged";
            node.control().fail(what + ", nothing can be committed any more: " + reason, cause);
        }
    }
}
