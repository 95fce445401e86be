package dev.granary.tools.bench.network;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A set of options for one question. */
public enum NetworkCase {
    /** Clients of Granary and of others beside each other. */
    CLIENTS("1,8,32", "1000", 95, "1", "granary,granary-futures,jedis,lettuce"),
    /** What an operation takes of the heap, and how often threads wait for it. */
    ALLOCATIONS("1,8", "1000", 95, "1", "granary,granary-futures"),
    /** Puts with three copies and without. */
    REPLICATED_PUT("1", "1000", 0, "1,4", "granary");

    private final String threads;
    private final String batches;
    private final int getPercent;
    private final String copies;
    private final String clients;

    NetworkCase(String threads, String batches, int getPercent, String copies, String clients) {
        this.threads = threads;
        this.batches = batches;
        this.getPercent = getPercent;
        this.copies = copies;
        this.clients = clients;
    }

    private static List<Integer> numbers(String list) {
        return Arrays.stream(list.split(",", -1)).map(Integer::valueOf).toList();
    }

    /** The names of all cases. */
    public static List<String> names() {
        return Arrays.stream(values()).map(NetworkCase::toString).toList();
    }

    /** The case of a name. */
    public static Optional<NetworkCase> of(String name) {
        return Arrays.stream(values())
                .filter(each -> each.toString().equals(name))
                .findFirst();
    }

    public List<Integer> threads() {
        return numbers(threads);
    }

    public List<Integer> batches() {
        return numbers(batches);
    }

    public int getPercent() {
        return getPercent;
    }

    public List<Integer> copies() {
        return numbers(copies);
    }

    public List<String> clients() {
        return List.of(clients.split(",", -1));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
