package dev.granary.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Environment;
import dev.granary.env.Loops;
import dev.granary.overlay.HostAddress;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A group of registers on simulated machines. */
final class SimulatedGroup {

    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;

    static final long GROUP_ID = 42;

    /** A member, wherever it runs. */
    final class Member {
        private final MemberId id;
        private SimulatedNode node;
        private @Nullable RaftGroup group;
        private @Nullable Environment environment;
        private Registers registers = new Registers();
        private @Nullable String failure;
        private boolean removed;

        private Member(MemberId id, SimulatedNode node) {
            this.id = id;
            this.node = node;
        }

        MemberId id() {
            return id;
        }

        SimulatedNode node() {
            return node;
        }

        Registers registers() {
            return registers;
        }

        RaftGroup group() {
            return Objects.requireNonNull(group, "it does not run");
        }

        boolean isRunning() {
            return group != null && node.isRunning();
        }

        Environment environment() {
            return Objects.requireNonNull(environment, "it does not run");
        }

        /** What is done again and again in its process. */
        Loops loops() {
            return environment().scheduler().loops();
        }

        boolean leads() {
            return isRunning() && group().leader().equals(Optional.of(id));
        }

        @Nullable
        String failure() {
            return failure;
        }

        boolean isRemoved() {
            return removed;
        }

        void start() {
            failure = null;
            node.start(this::begin);
        }

        private void begin(SimulatedNode.World world) {
            registers = new Registers();
            Environment own = worlds.apply(world.environment());
            environment = own;
            PeerLinks links =
                    new PeerLinks(world.environment(), world.transport(), member -> addresses.get(member), mangling);
            try {
                RaftGroup opened = RaftGroup.open(
                        new RaftConfig(GROUP_ID, id, founders, "group", timing, commandsPerSnapshot),
                        own,
                        senders.apply(links),
                        registers,
                        new Listener());
                links.listen(node.name(), opened::receive);
                group = opened;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void kill() {
            node.kill();
            group = null;
        }

        void powerOff() {
            node.powerOff();
            group = null;
        }

        /** Puts the disk into another machine, which has another address. */
        void moveTo(String host) {
            SimulatedNode target = simulation.node(host);
            target.disk().copyFrom(node.disk());
            node.disk().replace();
            node = target;
            addresses.put(id, new HostAddress(host, PeerLinks.PORT));
        }

        private final class Listener implements GroupListener {
            @Override
            public void leaderChanged(long term, Optional<MemberId> leader) {
                simulation.note(
                        node.name() + " has leader", leader.map(MemberId::value).orElse(0L) + term * 100);
            }

            @Override
            public void removed() {
                removed = true;
            }

            @Override
            public void failed(String reason, Throwable cause) {
                failure = reason;
            }
        }
    }

    private final Simulation simulation;
    private final RaftTiming timing;
    private final List<MemberId> founders;
    private final TreeMap<MemberId, HostAddress> addresses = new TreeMap<>();
    private final TreeMap<MemberId, Member> members = new TreeMap<>();
    private int commandsPerSnapshot = 10_000;
    private boolean mangling;
    private UnaryOperator<Environment> worlds = UnaryOperator.identity();
    private UnaryOperator<MessageSender> senders = UnaryOperator.identity();

    SimulatedGroup(long seed, int size, long leaseNanos) {
        simulation = new Simulation(seed);
        timing = RaftTiming.forLease(leaseNanos);
        founders = LongStream.rangeClosed(1, size).mapToObj(MemberId::new).toList();
        founders.forEach(this::add);
    }

    SimulatedGroup withSnapshotEvery(int commands) {
        commandsPerSnapshot = commands;
        return this;
    }

    /** Gives all members another world: that is how a bug is planted. */
    SimulatedGroup withWorlds(UnaryOperator<Environment> changed) {
        worlds = changed;
        return this;
    }

    /** Makes all members send in another way. */
    SimulatedGroup withSenders(UnaryOperator<MessageSender> changed) {
        senders = changed;
        return this;
    }

    SimulatedGroup withMangledMessages() {
        mangling = true;
        return this;
    }

    Member add(MemberId id) {
        String host = "host-" + id;
        addresses.put(id, new HostAddress(host, PeerLinks.PORT));
        Member member = new Member(id, simulation.node(host));
        members.put(id, member);
        return member;
    }

    Simulation simulation() {
        return simulation;
    }

    List<Member> members() {
        return new ArrayList<>(members.values());
    }

    Member member(long id) {
        return Objects.requireNonNull(members.get(new MemberId(id)));
    }

    SimulatedGroup start() {
        members.values().forEach(Member::start);
        awaitLeader();
        return this;
    }

    /** The one that leads with the highest term, and that the majority follows. */
    Member awaitLeader() {
        await(() -> leader() != null, 30 * SECOND, "a leader");
        return Objects.requireNonNull(leader());
    }

    @Nullable
    Member leader() {
        for (Member candidate : members.values()) {
            long followers = members.values().stream()
                    .filter(Member::isRunning)
                    .filter(member -> member.group().leader().equals(Optional.of(candidate.id())))
                    .count();
            if (candidate.leads() && followers > founders.size() / 2) {
                return candidate;
            }
        }
        return null;
    }

    void await(BooleanSupplier condition, long limitNanos, String what) {
        assertThat(simulation.runUntil(condition, limitNanos))
                .as("%s, seed %d", what, simulation.seed())
                .isTrue();
    }

    <T> T await(CompletableFuture<T> future) {
        await(future::isDone, 30 * SECOND, "an answer");
        return future.join();
    }

    /** Writes through whoever leads, until it is done; a value that may have been written before is written again. */
    void write(long register, long value) {
        for (int attempt = 0; attempt < 200; attempt++) {
            Member leader = awaitLeader();
            CompletableFuture<byte[]> done = leader.group().propose(Registers.write(register, value));
            simulation.runUntil(() -> done.isDone() || !leader.isRunning(), SECOND);
            if (done.isDone() && !done.isCompletedExceptionally()) {
                return;
            }
            simulation.runFor(10 * MILLI);
        }
        throw new AssertionError("could not write, seed " + simulation.seed());
    }

    long read(long register) {
        for (int attempt = 0; attempt < 200; attempt++) {
            CompletableFuture<byte[]> done = awaitLeader().group().query(Registers.read(register));
            simulation.runUntil(done::isDone, SECOND);
            if (done.isDone() && !done.isCompletedExceptionally()) {
                return Registers.value(done.join());
            }
            simulation.runFor(10 * MILLI);
        }
        throw new AssertionError("could not read, seed " + simulation.seed());
    }
}
