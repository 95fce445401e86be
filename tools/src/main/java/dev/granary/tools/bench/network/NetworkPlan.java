package dev.granary.tools.bench.network;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.cli.base.Sizes;
import java.util.HashSet;
import java.util.List;

/**
 * What is measured.
 *
 * @param objects objects of each client
 * @param valueBytes the size of each
 * @param threads numbers of threads with single operations, one measurement for each
 * @param batches objects in each request of a batch, one measurement for each; may be empty
 * @param batchThreads threads with batches
 * @param getPercent how many of 100 requests are gets
 * @param millis how long each client is measured in each round
 * @param rounds how often clients take turns in a measurement
 * @param copies copies of each object in clusters of ours, one cluster for each
 * @param clients names of {@link ClientKind}
 */
public record NetworkPlan(
        int objects,
        int valueBytes,
        List<Integer> threads,
        List<Integer> batches,
        int batchThreads,
        int getPercent,
        int millis,
        int rounds,
        List<Integer> copies,
        List<String> clients) {

    private static final int MOST_OBJECTS = 100_000_000;
    private static final int MOST_VALUE_BYTES = 1 << 20;
    private static final int MOST_THREADS = 1_000;
    private static final int MOST_BATCH = 100_000;
    private static final int MOST_MILLIS = 600_000;
    private static final int MOST_ROUNDS = 100;

    /** The most copies of a chunk that a cluster keeps: its owner and three backups. */
    private static final int MOST_COPIES = 4;

    public NetworkPlan {
        threads = List.copyOf(threads);
        batches = List.copyOf(batches);
        copies = List.copyOf(copies);
        clients = List.copyOf(clients);
    }

    /**
     * Checks the numbers.
     *
     * @throws BadOptionException when one makes no sense; the message names its option
     */
    public void check() {
        require("--objects", objects, 1, MOST_OBJECTS);
        require("--value-bytes", valueBytes, 1, MOST_VALUE_BYTES);
        threads.forEach(count -> require("--threads", count, 1, MOST_THREADS));
        requireDistinct("--threads", threads);
        batches.forEach(count -> require("--batch", count, 2, MOST_BATCH));
        require("--batch-threads", batchThreads, 1, MOST_THREADS);
        require("--get-percent", getPercent, 0, 100);
        require("--millis", millis, 100, MOST_MILLIS);
        require("--rounds", rounds, 1, MOST_ROUNDS);
        copies.forEach(count -> require("--copies", count, 1, MOST_COPIES));
        requireDistinct("--copies", copies);
        for (String name : clients) {
            if (ClientKind.of(name).isEmpty()) {
                throw new BadOptionException(
                        "--clients are " + String.join(", ", ClientKind.names()) + ", not '" + name + "'");
            }
        }
        requireDistinct("--clients", clients);
    }

    private static void require(String option, long number, long least, long most) {
        if (number < least || number > most) {
            throw new BadOptionException(option + " is from " + Sizes.count(least) + " to " + Sizes.count(most)
                    + ", not " + Sizes.count(number));
        }
    }

    private static void requireDistinct(String option, List<?> list) {
        if (list.isEmpty() || new HashSet<>(list).size() < list.size()) {
            throw new BadOptionException(option + " is a list of one or more, each once");
        }
    }

    /** The kinds of the clients. */
    List<ClientKind> kinds() {
        return clients.stream().map(name -> ClientKind.of(name).orElseThrow()).toList();
    }

    /** Whether clients of another store are measured. */
    public boolean comparesStores() {
        return kinds().stream().anyMatch(kind -> !kind.isOurs());
    }
}
