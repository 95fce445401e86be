package dev.granary.simulation;

import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.testkit.Simulation;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Gives the ring of super-peers another size while the cluster is used, so that some are promoted or demoted. Also
 * kills one super-peer together with its disk, and an operator gives its place to a new one. One such fault at a time:
 * a ring that has lost one member for good cannot spare a second one.
 */
final class RingFaults {

    private static final long LOOK_NANOS = 50_000_000;

    /** After this time Raft groups have their new members. */
    private static final long SETTLING_NANOS = 2_000_000_000L;

    /** The ring counts a super-peer as gone after this silence. */
    private static final long SILENCE_NANOS = 11_000_000_000L;

    private static final int LEAST_TO_LOSE_ONE = 3;
    private static final Pattern VOTES = Pattern.compile("\"votes\": *(\\d+)");

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private long busyUntilNanos;
    private boolean lost;
    private boolean stopped;
    private int wantedSize;

    /** Whether the ring has reached the size that a fault asked for. */
    private static final class Effect {
        private boolean taken;
    }

    RingFaults(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
    }

    /** Returns the size that was asked for last; 0 if none was. */
    int wantedSize() {
        return wantedSize;
    }

    /** Asks for another size than the ring has, chosen by the fault's amount, and later for all super-peers. */
    BooleanSupplier resize(Fault fault) {
        Effect effect = new Effect();
        Optional<Ring> present = ring();
        int most = cluster.superPeers().size();
        if (present.isEmpty() || most < 2 || cluster.operator().isEmpty() || isBusy()) {
            return () -> false;
        }
        int wanted = 1 + (present.get().members().size() + (int) (fault.amount() % (most - 1))) % most;
        busyUntilNanos = Long.MAX_VALUE;
        ask(wanted);
        await(ring -> ring.members().size() == wanted, () -> {
            effect.taken = true;
            simulation.after(fault.durationNanos(), "all super-peers on the ring", () -> comeTo(most));
        });
        return () -> effect.taken;
    }

    private void comeTo(int size) {
        comeTo(size, () -> {});
    }

    /** Asks for a size. Other faults may change the ring again some time after it has reached it. */
    void comeTo(int size, Runnable then) {
        ask(size);
        await(ring -> ring.members().size() == size, () -> {
            busyUntilNanos = simulation.nowNanos() + SETTLING_NANOS;
            then.run();
        });
    }

    /**
     * Keeps other faults from changing the ring until it has {@linkplain #comeTo reached} a size; false if one is
     * already changing it.
     */
    boolean claim() {
        if (isBusy() || stopped) {
            return false;
        }
        busyUntilNanos = Long.MAX_VALUE;
        return true;
    }

    /** Whether the ring has its size, and no fault is changing it. */
    boolean isWhole() {
        return !isBusy()
                && ring().filter(ring -> ring.members().size() == ring.expectedSize()
                                && ring.members().size() == cluster.superPeers().size())
                        .isPresent();
    }

    private boolean isBusy() {
        return simulation.nowNanos() < busyUntilNanos;
    }

    /**
     * Kills a member of the ring together with its disk; another one starts, and after a while takes its place. Does
     * nothing while a Raft group has fewer voters than wanted: it has none to spare.
     */
    BooleanSupplier lose(Fault fault) {
        Effect effect = new Effect();
        cluster.operator().filter(operator -> mayLose(fault.target())).ifPresent(operator -> operator.scheduler()
                .execute(() -> {
                    var _ = operator.admin().statusJson().handle((status, failure) -> {
                        if (failure == null && allVote(status) && mayLose(fault.target())) {
                            effect.taken = true;
                            lost = true;
                            busyUntilNanos = Long.MAX_VALUE;
                            simulation.after(0, "lose " + fault.target(), () -> loseNow(fault.target()));
                        }
                        return null;
                    });
                }));
        return () -> effect.taken;
    }

    private boolean mayLose(String name) {
        Machine machine = cluster.machine(name);
        return !lost
                && !isBusy()
                && machine.node().isRunning()
                && ring().filter(ring -> ring.members().size() >= LEAST_TO_LOSE_ONE
                                && ring.members().size() == ring.expectedSize()
                                && isMember(ring, machine.name()))
                        .isPresent();
    }

    /** Whether each super-peer is a voter in the ring's group and in those of all arcs. */
    private boolean allVote(String status) {
        int members = ring().map(ring -> ring.members().size()).orElse(0);
        Matcher votes = VOTES.matcher(status);
        int all = 0;
        while (votes.find()) {
            all += Integer.parseInt(votes.group(1)) == Math.min(members, Ring.HOLDERS_PER_ARC) + 1 ? 1 : 0;
        }
        return all == members;
    }

    private void loseNow(String name) {
        int size = ring().orElseThrow().members().size();
        cluster.replaceForGood(name);
        takeOffSilent(size, () -> {});
    }

    /** Waits until the ring demotes a silent super-peer, then has it grow to a size again by promoting another one. */
    void takeOffSilent(int size, Runnable then) {
        simulation.after(SILENCE_NANOS, "take a silent super-peer off the ring", () -> {
            ask(size - 1);
            await(next -> next.members().size() == size - 1, () -> comeTo(size, then));
        });
    }

    private static boolean isMember(Ring ring, String name) {
        return ring.members().stream().map(RingMember::name).anyMatch(name::equals);
    }

    /** Asks for nothing more. */
    void stop() {
        stopped = true;
    }

    private void ask(int size) {
        if (stopped) {
            return;
        }
        wantedSize = size;
        cluster.operator().ifPresent(operator -> operator.scheduler().execute(() -> ask(operator, size)));
    }

    /** Asks until the request is heard, because the super-peers may be out of reach. */
    private void ask(SimulatedCluster.Operator operator, int size) {
        var _ = operator.admin().resizeRing(size).exceptionally(failure -> {
            if (wantedSize == size && !stopped) {
                operator.scheduler().schedule(LOOK_NANOS, () -> ask(operator, size));
            }
            return null;
        });
    }

    private void await(Predicate<Ring> condition, Runnable then) {
        simulation.after(LOOK_NANOS, "look at the ring", () -> {
            if (ring().filter(condition).isPresent()) {
                then.run();
            } else if (!stopped) {
                await(condition, then);
            }
        });
    }

    /** Returns the newest ring that a running super-peer knows. */
    Optional<Ring> ring() {
        return cluster.superPeers().stream()
                .flatMap(machine -> machine.ring().stream())
                .max(Comparator.comparingLong(Ring::epoch));
    }
}
