package dev.granary.tools.bench.compare;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.stores.StoreWorkload;
import dev.granary.cli.base.Sizes;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is measured.
 *
 * @param stores names of {@link StoreChoice}
 * @param workloads names of {@link StoreWorkload}
 * @param objects objects of each shape at the beginning; multi-gets have as many as their largest batch, if that is
 *     more
 * @param threads with single operations
 * @param ratedThreads with how many threads a rated workload is measured, one number after the other; a store's rating
 *     is its best rate
 * @param batches objects in each request of a multi-get, one measurement for each
 * @param batchThreads threads with multi-gets
 * @param millis how long each store is measured in each round
 * @param rounds how often stores take turns in a measurement
 * @param mostWarmUps measurements of a store that do not count, at most
 * @param openPercent the rate of the open loop, of 100 of what the slowest store does in the closed loop; 0 for none
 * @param serverCpus processors of servers, as taskset reads them
 * @param clientCpus processors of clients
 */
public record ComparePlan(
        List<String> stores,
        List<String> workloads,
        int objects,
        int threads,
        List<Integer> ratedThreads,
        List<Integer> batches,
        int batchThreads,
        int millis,
        int rounds,
        int mostWarmUps,
        int openPercent,
        String serverCpus,
        String clientCpus) {

    private static final int MOST_OBJECTS = 100_000_000;
    private static final int MOST_THREADS = 1_000;
    private static final int MOST_BATCH = 1_000_000;
    private static final int MOST_MILLIS = 600_000;
    private static final int MOST_ROUNDS = 100;

    /** Stores of others take up to some 300 bytes beside each object. */
    private static final long BOOKKEEPING_BYTES = 300;

    private static final long LEAST_MEMORY_BYTES = 256L << 20;

    public ComparePlan {
        stores = List.copyOf(stores);
        workloads = List.copyOf(workloads);
        ratedThreads = List.copyOf(ratedThreads);
        batches = List.copyOf(batches);
    }

    /**
     * Checks the numbers and names.
     *
     * @throws BadOptionException when one makes no sense; the message names its option
     */
    public void check() {
        requireKnown("--stores", stores, StoreChoice.names());
        requireKnown("--workloads", workloads, StoreWorkload.names());
        require("--objects", objects, 1, MOST_OBJECTS);
        require("--threads", threads, 1, MOST_THREADS);
        ratedThreads.forEach(count -> require("--rated-threads", count, 1, MOST_THREADS));
        requireDistinct("--rated-threads", ratedThreads);
        batches.forEach(count -> require("--batch", count, 1, MOST_BATCH));
        requireDistinct("--batch", batches);
        require("--batch-threads", batchThreads, 1, MOST_THREADS);
        require("--millis", millis, 100, MOST_MILLIS);
        require("--rounds", rounds, 1, MOST_ROUNDS);
        require("--open-percent", openPercent, 0, 100);
        requireProcessors("--server-cpus", serverCpus);
        requireProcessors("--client-cpus", clientCpus);
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

    private static void requireKnown(String option, List<String> names, List<String> known) {
        requireDistinct(option, names);
        for (String name : names) {
            if (!known.contains(name)) {
                throw new BadOptionException(option + " are " + String.join(", ", known) + ", not '" + name + "'");
            }
        }
    }

    private static void requireProcessors(String option, String list) {
        if (!list.matches("[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*")) {
            throw new BadOptionException(option + " is a list such as 0 or 0-3,6, not '" + list + "'");
        }
    }

    /** The stores. */
    public List<StoreChoice> choices() {
        return stores.stream().map(name -> StoreChoice.of(name).orElseThrow()).toList();
    }

    /** The workloads. */
    List<StoreWorkload> cases() {
        return workloads.stream()
                .map(name -> StoreWorkload.of(name).orElseThrow())
                .toList();
    }

    /** The most objects in a request. */
    public int largestBatch() {
        return batches.stream().max(Comparator.naturalOrder()).orElseThrow();
    }

    /** How many objects of each shape are loaded, by the name of the data. */
    Map<String, Integer> objectsByData() {
        Map<String, Integer> all = new TreeMap<>();
        for (StoreWorkload workload : cases()) {
            int least = workload.isMultiGet() ? largestBatch() : 0;
            all.merge(workload.data(), Math.max(objects, least), Math::max);
        }
        return all;
    }

    /** Bytes that each server has for objects: twice what they take, and what little ones need. */
    public long memoryBytes() {
        Map<String, Integer> counts = objectsByData();
        long bytes = 0;
        for (Map.Entry<String, Integer> each : counts.entrySet()) {
            int meanBytes = cases().stream()
                    .filter(workload -> workload.data().equals(each.getKey()))
                    .mapToInt(StoreWorkload::meanBytes)
                    .findFirst()
                    .orElseThrow();
            bytes += each.getValue() * (meanBytes + BOOKKEEPING_BYTES);
        }
        return LEAST_MEMORY_BYTES + 2 * bytes;
    }
}
