package dev.granary.simulation;

import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import dev.granary.overlay.Nid;
import dev.granary.testkit.Simulation;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * An operator hibernates all storage peers while clients work. Their machines are off for a while, and then they resume
 * (ADR 0120).
 */
final class ParkFaults {

    private static final long ASK_AGAIN_NANOS = 100_000_000;

    /**
     * If a storage peer is not parked after this time, because it was cut off or has ended, all are told to work on.
     */
    private static final long LIMIT_NANOS = 8_000_000_000L;

    /** In one hibernation of this many a person gives up one of the storage peers. */
    private static final int GIVEN_UP_ONE_OF = 3;

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private boolean underWay;

    ParkFaults(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
    }

    /** Begins a hibernation of all storage peers; the result tells whether all were parked. */
    BooleanSupplier begin(Fault fault) {
        Optional<SimulatedCluster.Operator> operator = cluster.operator();
        // Only one at a time: a second hibernation would count what the first one has done to a storage peer.
        if (underWay
                || operator.isEmpty()
                || cluster.storagePeers().stream().anyMatch(peer -> peer.nid() == Nid.NONE)) {
            return () -> false;
        }
        List<String> names = cluster.storagePeerNames();
        int drawn = (int) fault.amount();
        Optional<String> givenUp = drawn % GIVEN_UP_ONE_OF == 0
                ? Optional.of(names.get(drawn / GIVEN_UP_ONE_OF % names.size()))
                : Optional.empty();
        Sleep sleep = new Sleep(operator.get(), names, givenUp, fault.durationNanos());
        underWay = true;
        sleep.ask(Step.REFUSE_CHANGES, 0);
        return () -> sleep.slept;
    }

    /** The hibernation of all storage peers. They take a step when all have taken the one before it. */
    private final class Sleep {

        private final SimulatedCluster.Operator operator;

        /** Names and not machines: other machines may have taken their places meanwhile. */
        private final List<String> names;

        /** The storage peer for which the person does not wait: what it had must be recovered from copies. */
        private final Optional<String> givenUp;

        private final long offNanos;
        private final long limitNanos;
        private boolean slept;

        Sleep(SimulatedCluster.Operator operator, List<String> names, Optional<String> givenUp, long offNanos) {
            this.operator = operator;
            this.names = names;
            this.givenUp = givenUp;
            this.offNanos = offNanos;
            this.limitNanos = simulation.nowNanos() + LIMIT_NANOS;
        }

        /**
         * Asks a storage peer for a step until it has taken it, then for the next step. If that takes too long, asks
         * all to work on.
         */
        private void ask(Step step, int index) {
            StorageMachine peer = cluster.storagePeer(names.get(index));
            operator.scheduler().execute(() -> {
                var _ = operator.admin().hibernate(peer.lastNid(), step).handle((reply, failure) -> {
                    boolean done = failure == null && reply.done();
                    if (done || (step == Step.WORK && worksAgain(peer))) {
                        simulation.after(0, "step of " + peer.name(), () -> taken(step, index));
                    } else if (step != Step.WORK && simulation.nowNanos() > limitNanos) {
                        ask(Step.WORK, 0);
                    } else {
                        operator.scheduler().schedule(ASK_AGAIN_NANOS, () -> ask(step, index));
                    }
                    return null;
                });
            });
        }

        /**
         * Whether there is nothing more to ask of a storage peer: it is down, or its process has parked and is started
         * again.
         */
        private boolean worksAgain(StorageMachine peer) {
            if (peer.isParked()) {
                simulation.after(0, "go on of " + peer.name(), () -> {
                    peer.kill();
                    peer.startIfDown();
                });
                return true;
            }
            return !peer.node().isRunning();
        }

        /**
         * Gives up a parked storage peer with one request. The peer may be back or dead before its super-peer hears of
         * that.
         */
        private void giveUp(StorageMachine peer) {
            int nid = peer.lastNid();
            operator.scheduler().execute(() -> {
                var _ = operator.admin().unpark(nid);
            });
        }

        private List<StorageMachine> present() {
            return names.stream().map(cluster::storagePeer).toList();
        }

        private void taken(Step step, int index) {
            if (index + 1 < names.size()) {
                ask(step, index + 1);
            } else if (step == Step.REFUSE_CHANGES) {
                ask(Step.PARK, 0);
            } else if (step == Step.PARK) {
                slept = true;
                present().forEach(Machine::powerOff);
                givenUp.map(cluster::storagePeer).ifPresent(this::giveUp);
                simulation.after(offNanos, "storage peers wake up", () -> {
                    present().forEach(Machine::startIfDown);
                    underWay = false;
                });
            } else {
                underWay = false;
            }
        }
    }
}
