package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.client.ClientOptions;
import dev.granary.client.Durability;
import dev.granary.e2e.load.Load;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A cluster of three super-peers and five storage peers with default settings, and clients at work on it, while a fault
 * begins and ends. All answers to clients must be right, no operation fails after all retries, and soon after the end
 * all clients write again.
 */
final class FaultRun implements AutoCloseable {

    static final int SUPER_PEERS = 3;
    private static final int STORAGE_PEERS = 5;
    private static final int COPIES = 3;
    private static final int CLIENTS = 4;

    /** The chunks of these clients are written with a sync of three disks. */
    private static final int SYNCED_CLIENTS = 2;

    /** The pause of clients, which leaves the two cores of a test machine to the cluster. */
    private static final int PAUSE_MILLIS = 2;

    private static final int LEASE_SECONDS = 3;

    /** The longest time after the end of a fault until all clients write again. */
    private static final int UNTIL_WRITES_SECONDS = LEASE_SECONDS + 2;

    private static final int AFTERWARDS_SECONDS = 2;

    /** Longer than a lease: after this time others have taken over what could be taken over. */
    static final int FAULT_SECONDS = 2 * LEASE_SECONDS;

    private final LocalCluster cluster;
    private final List<Load> loads = new ArrayList<>();

    private FaultRun(LocalCluster cluster) {
        this.cluster = cluster;
    }

    /** Starts the cluster and the clients. */
    static FaultRun start() throws IOException {
        return start(Files.createTempDirectory("granary-fault"));
    }

    /**
     * Does the same with one node's data on another disk.
     *
     * @param name the node, such as {@code storage-1}
     */
    static FaultRun start(String name, Path disk) throws IOException {
        Path directory = Files.createTempDirectory("granary-fault");
        Path data = Files.createDirectory(disk.resolve("data"));
        Files.createSymbolicLink(Files.createDirectory(directory.resolve(name)).resolve("data"), data);
        return start(directory);
    }

    private static FaultRun start(Path directory) {
        FaultRun run = new FaultRun(LocalCluster.up(directory, SUPER_PEERS, STORAGE_PEERS, "64Mi"));
        try {
            run.awaitCopies();
            ClientOptions options = run.cluster.clientOptions();
            run.loads.add(Load.start(options, CLIENTS, PAUSE_MILLIS));
            run.loads.add(Load.start(options.withDurability(Durability.SYNCED), SYNCED_CLIENTS, PAUSE_MILLIS));
            run.workFor(2);
            return run;
        } catch (RuntimeException | AssertionError e) {
            run.close();
            throw e;
        }
    }

    LocalCluster cluster() {
        return cluster;
    }

    /** Lets the clients work. */
    void workFor(int seconds) {
        loads.getFirst().runFor(seconds);
    }

    /** Notes what is done to the cluster now. */
    void note(String what) {
        loads.forEach(load -> load.note(what));
    }

    /** Call at the end of a fault: asserts that all clients write again in time, and that all copies come back. */
    void assertWritesGoOn(String fault) {
        note("end: " + fault);
        loads.forEach(Load::watchWrites);
        workFor(UNTIL_WRITES_SECONDS);
        List<Integer> before =
                loads.stream().map(load -> load.failures().size()).toList();
        workFor(AFTERWARDS_SECONDS);
        for (int i = 0; i < loads.size(); i++) {
            Load load = loads.get(i);
            long millis = load.longestWithoutWriteMillis();
            System.out.printf("%s: after its end the longest time without a write was %d ms%n", fault, millis);
            assertThat(millis)
                    .as("longest time in ms that a client had no write acknowledged after the end of: %s", fault)
                    .isLessThanOrEqualTo(1000L * UNTIL_WRITES_SECONDS);
            List<String> failures = load.failures();
            assertThat(failures.subList(before.get(i), failures.size()))
                    .as("failures more than %d s after the end of: %s", UNTIL_WRITES_SECONDS, fault)
                    .isEmpty();
        }
        awaitCopies();
    }

    private void awaitCopies() {
        cluster.awaitStatus(
                "all storage peers and copies",
                status -> status.at("/totals/livePeers").asInt() == STORAGE_PEERS
                        && sum(status, "copies") >= COPIES * sum(status, "zones")
                        && status.at("/zones/degraded").asInt() == 0
                        && status.at("/zones/recovering").asInt() == 0);
    }

    private static int sum(JsonNode status, String field) {
        int sum = 0;
        for (JsonNode peer : status.path("storagePeers")) {
            sum += peer.path(field).asInt();
        }
        return sum;
    }

    /**
     * Ends the work; asserts that no answer was impossible, nothing acknowledged is lost, and no operation failed after
     * all retries.
     */
    void assertAllRight() {
        for (Load load : loads) {
            List<String> problems = load.stop();
            assertThat(load.wrongAnswers()).isEmpty();
            assertThat(problems)
                    .filteredOn(text -> text.contains("last get") || Load.isFailed(text))
                    .isEmpty();
            assertThat(load.operations()).isGreaterThan(100);
        }
    }

    @Override
    public void close() {
        try {
            loads.forEach(Load::close);
        } finally {
            cluster.close();
        }
    }
}
