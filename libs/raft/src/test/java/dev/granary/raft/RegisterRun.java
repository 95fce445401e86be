package dev.granary.raft;

import static dev.granary.raft.SimulatedGroup.MILLI;
import static dev.granary.raft.SimulatedGroup.SECOND;

import dev.granary.env.Environment;
import dev.granary.raft.SimulatedGroup.Member;
import dev.granary.testkit.History;
import dev.granary.testkit.LinkConditions;
import dev.granary.testkit.Operation;
import dev.granary.testkit.Simulation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;

/**
 * One run of a group under work and faults, given by its seed alone. Registers stand in the history as chunks: a write
 * is a put, and the first one a create.
 */
final class RegisterRun {

    private static final int REGISTERS = 3;
    private static final int CLIENTS = 4;
    private static final long BUSY_NANOS = 12 * SECOND;

    record Result(long seed, long traceHash, long events, Map<String, Integer> outcomes, int faults) {}

    private final Bug bug;
    private final SimulatedGroup cluster;
    private final Simulation simulation;
    private final History history;
    private final RandomGenerator random;
    private long lastValue;
    private int faults;
    private boolean stopping;

    /** What is wrong on purpose. */
    enum Bug {
        NONE,
        /** A member that believes that it leads answers a query from its own state. */
        READS_WITHOUT_A_ROUND,
        /** A disk says that it has synced, and has not. */
        SYNCS_NOTHING
    }

    private RegisterRun(long seed, Bug bug) {
        this.bug = bug;
        cluster = new SimulatedGroup(seed, seed % 2 == 0 ? 5 : 3, SECOND)
                .withSnapshotEvery(seed % 3 == 0 ? 40 : 10_000)
                .withMangledMessages();
        if (bug == Bug.SYNCS_NOTHING) {
            cluster.withWorlds(world ->
                    new Environment(world.clock(), world.scheduler(), world.random(), new UnsyncedDisk(world.disk())));
        }
        simulation = cluster.simulation();
        history = new History(simulation::nowNanos);
        random = simulation.random("work and faults");
    }

    /** Runs a seed in a JVM of its own and prints what came out, for comparison with other JVMs. */
    public static void main(String[] args) {
        System.out.println(run(Long.parseLong(args[0])));
    }

    static Result run(long seed) {
        return run(seed, Bug.NONE);
    }

    static Result run(long seed, Bug bug) {
        return new RegisterRun(seed, bug).run();
    }

    private Result run() {
        cluster.start();
        for (long register = 1; register <= REGISTERS; register++) {
            Operation create = history.create("setup", ++lastValue);
            cluster.write(register, lastValue);
            create.created(register);
        }
        for (int i = 0; i < CLIENTS; i++) {
            think("client-" + i);
        }
        breakLater();
        simulation.runFor(BUSY_NANOS);
        stopping = true;
        simulation.network().healAll();
        simulation.network().setConditions(LinkConditions.GOOD);
        cluster.members().stream().filter(member -> !member.isRunning()).forEach(Member::start);
        simulation.runFor(2 * SECOND);
        for (long register = 1; register <= REGISTERS; register++) {
            Operation get = history.get("last", register);
            get.read(cluster.read(register));
        }
        history.check();
        return new Result(simulation.seed(), simulation.traceHash(), simulation.events(), history.outcomes(), faults);
    }

    private void think(String client) {
        simulation.after(random.nextLong(40 * MILLI), client + " acts", () -> {
            if (!stopping) {
                act(client);
            }
        });
    }

    /** Mostly asks the member that seems to lead, sometimes any that believes that it leads. */
    private void act(String client) {
        List<Member> running =
                cluster.members().stream().filter(Member::isRunning).toList();
        List<Member> leading = running.stream().filter(Member::leads).toList();
        if (leading.isEmpty()) {
            think(client);
            return;
        }
        Member member = leading.get(random.nextInt(leading.size()));
        RaftGroup group = member.group();
        long register = 1L + random.nextInt(REGISTERS);
        if (random.nextBoolean()) {
            Operation get = history.get(client, register);
            CompletableFuture<byte[]> answer = bug == Bug.READS_WITHOUT_A_ROUND
                    ? CompletableFuture.completedFuture(member.registers().query(Registers.read(register)))
                    : group.query(Registers.read(register));
            follow(client, get, answer, true);
        } else {
            Operation put = history.put(client, register, ++lastValue);
            follow(client, put, group.propose(Registers.write(register, lastValue)), false);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a failure is an outcome
    private void follow(String client, Operation operation, CompletableFuture<byte[]> answer, boolean read) {
        boolean[] over = {false};
        answer.whenComplete((bytes, failure) -> {
            if (over[0]) {
                return;
            }
            over[0] = true;
            if (failure != null) {
                endFailed(operation, failure);
            } else if (read) {
                operation.read(Registers.value(bytes));
            } else {
                operation.done();
            }
            think(client);
        });
        simulation.after(3 * SECOND, client + " gives up", () -> {
            if (!over[0]) {
                over[0] = true;
                think(client);
            }
        });
    }

    private static void endFailed(Operation operation, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (!(cause instanceof RaftFailure refusal)) {
            throw new AssertionError("not a failure of the group", cause);
        }
        if (refusal.reason() == RaftFailure.Reason.OUTCOME_UNKNOWN) {
            operation.unknown();
        } else {
            operation.refused();
        }
    }

    private void breakLater() {
        simulation.after(random.nextLong(50 * MILLI, 800 * MILLI), "fault", () -> {
            if (!stopping) {
                faults++;
                breakSomething();
                breakLater();
            }
        });
    }

    private void breakSomething() {
        List<Member> members = cluster.members();
        Member any = members.get(random.nextInt(members.size()));
        Member other = members.get(random.nextInt(members.size()));
        Member victim = random.nextBoolean()
                ? any
                : Optional.ofNullable(cluster.leader()).orElse(any);
        long whileNanos = random.nextLong(20 * MILLI, 1_500 * MILLI);
        switch (random.nextInt(9)) {
            case 0 -> {
                if (victim.isRunning()) {
                    victim.kill();
                    startLater(victim, whileNanos);
                }
            }
            case 1 -> {
                if (victim.isRunning()) {
                    victim.powerOff();
                    startLater(victim, whileNanos);
                }
            }
            case 2 -> cutForAWhile(victim, other, whileNanos);
            case 3 -> {
                cutForAWhile(victim, other, whileNanos);
                cutForAWhile(other, victim, whileNanos);
            }
            case 4 -> members.forEach(member -> cutForAWhile(victim, member, whileNanos));
            case 5 -> victim.node().pause(whileNanos);
            case 6 -> victim.node().pauseAfterClockReads(1 + random.nextInt(4), whileNanos);
            case 7 -> victim.node().setDrift(random.nextLong(-4_000, 4_001));
            default -> {
                simulation.network().setConditions(LinkConditions.BAD);
                simulation.after(
                        whileNanos, "good network", () -> simulation.network().setConditions(LinkConditions.GOOD));
            }
        }
    }

    private void startLater(Member member, long afterNanos) {
        simulation.after(afterNanos, "start " + member.node().name(), () -> {
            if (!member.isRunning()) {
                member.start();
            }
        });
    }

    private void cutForAWhile(Member from, Member to, long whileNanos) {
        if (from != to) {
            simulation.network().cut(from.node().name(), to.node().name());
            simulation.after(whileNanos, "heal", () -> simulation.network().healAll());
        }
    }
}
