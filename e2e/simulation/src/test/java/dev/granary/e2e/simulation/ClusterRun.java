package dev.granary.e2e.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.testkit.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * One run of a cluster under work and faults, given by its seed alone: how many super-peers there are, what the clients
 * do, what breaks.
 */
final class ClusterRun {

    private static final long SECOND = 1_000_000_000;
    private static final long BUSY_NANOS = 20 * SECOND;
    private static final long IDLE_LIMIT_NANOS = 30 * SECOND;

    /**
     * What came out of a run.
     *
     * @param traceHash equal for equal seeds
     * @param events that were carried out
     * @param outcomes how many operations ended in which way
     * @param faults how many of each kind
     */
    record Result(long seed, long traceHash, long events, Map<String, Integer> outcomes, List<String> faults) {
        @Override
        public String toString() {
            return "seed %d: trace 0x%016x, %d events, %s, faults %s"
                    .formatted(seed, traceHash, events, outcomes, faults);
        }
    }

    private ClusterRun() {}

    /** Runs a seed and checks what the clients saw. */
    static Result run(long seed) {
        int superPeers = seed % 2 == 0 ? 1 : 3;
        return run(seed, ClusterShape.of(superPeers, 3, 3));
    }

    static Result run(long seed, ClusterShape shape) {
        try (SimulatedCluster cluster = new SimulatedCluster(seed, shape)) {
            cluster.start();
            List<Long> cids = new ArrayList<>();
            List<ClientWorkload> workloads = cluster.clients().stream()
                    .map(client -> new ClientWorkload(cluster.simulation(), client, cids))
                    .toList();
            FaultInjector faults = new FaultInjector(cluster);
            workloads.forEach(workload -> workload.start(2));
            faults.start();
            cluster.simulation().runFor(BUSY_NANOS);
            faults.stop();
            workloads.forEach(ClientWorkload::stop);
            cluster.recover();
            assertThat(cluster.simulation()
                            .runUntil(() -> workloads.stream().allMatch(ClientWorkload::isIdle), IDLE_LIMIT_NANOS))
                    .as("every operation of seed %d ends", seed)
                    .isTrue();
            readEverything(cluster, cids);
            cluster.history().check();
            return new Result(
                    seed,
                    cluster.simulation().traceHash(),
                    cluster.simulation().events(),
                    cluster.history().outcomes(),
                    faults.summary());
        }
    }

    /** At the end, when nothing is broken any more, every chunk has a definite answer. */
    private static void readEverything(SimulatedCluster cluster, List<Long> cids) {
        RecordingClient reader = cluster.clients().getFirst();
        List<CompletableFuture<Operation>> reads =
                cids.stream().distinct().map(reader::read).toList();
        assertThat(cluster.simulation()
                        .runUntil(() -> reads.stream().allMatch(CompletableFuture::isDone), IDLE_LIMIT_NANOS))
                .isTrue();
        assertThat(reads)
                .as("gets although nothing is broken")
                .noneMatch(read -> read.join().outcome() == Operation.Outcome.UNKNOWN);
    }
}
