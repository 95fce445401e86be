package dev.granary.tools.bench.redis;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.redis.KeyNames;
import dev.granary.bench.redis.Operation;
import dev.granary.bench.redis.Values;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.Sizes;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What is measured.
 *
 * @param keys keys in each store
 * @param keyBytes the size of each key
 * @param leastValueBytes the size of the smallest values; all sizes up to the largest are equally likely
 * @param mostValueBytes the size of the largest values
 * @param connections connections of the driver to each store
 * @param pipelines requests that a connection has on their way, one measurement for each
 * @param seconds how long each kind of request is measured
 * @param expirySeconds keys expire after that time, or up to twice as long; 0 when they do not
 * @param settleSeconds how long stores may give back or put together memory before it is measured
 * @param stores names of {@link StoreKind}
 * @param copies copies of each key in clusters of ours, one cluster for each
 * @param cases some of {@link #CASES}
 */
public record RedisPlan(
        long keys,
        int keyBytes,
        int leastValueBytes,
        int mostValueBytes,
        int connections,
        List<Integer> pipelines,
        double seconds,
        int expirySeconds,
        int settleSeconds,
        List<String> stores,
        List<Integer> copies,
        List<String> cases) {

    static final String DRIVER_CHECK = "driver-check";
    static final String MEMORY = "memory";
    static final String SPEED = "speed";
    static final String HIT_RATIO = "hit-ratio";

    /** All that can be measured. */
    public static final List<String> CASES = List.of(DRIVER_CHECK, MEMORY, SPEED, HIT_RATIO);

    /** The fewest keys that are more than those of a warm-up. */
    public static final long LEAST_KEYS = 2_000;

    private static final long MOST_KEYS = 2_000_000_000;
    private static final int MOST_CONNECTIONS = 10_000;
    private static final int MOST_PIPELINE = 10_000;
    private static final int MOST_IN_FLIGHT = 1_000_000;
    private static final double LEAST_SECONDS = 0.1;
    private static final int MOST_SECONDS = 3_600;
    private static final int MOST_SETTLE_SECONDS = 600;

    /** Shorter times could end while the keys are measured. */
    private static final int LEAST_EXPIRY_SECONDS = 600;

    /** memcached takes larger numbers for dates. */
    private static final int MOST_EXPIRY_SECONDS = 15 * 24 * 3600;

    /** The most copies of a key that a cluster keeps: its owner and three backups. */
    private static final int MOST_COPIES = 4;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    public RedisPlan {
        pipelines = List.copyOf(pipelines);
        stores = List.copyOf(stores);
        copies = List.copyOf(copies);
        cases = List.copyOf(cases);
    }

    /**
     * Checks the numbers.
     *
     * @throws BadOptionException when one makes no sense; the message names its option
     */
    public void check() {
        require("--keys", keys, LEAST_KEYS, MOST_KEYS);
        require("--settle-seconds", settleSeconds, 0, MOST_SETTLE_SECONDS);
        require("--key-bytes", keyBytes, KeyNames.LEAST_BYTES, KeyNames.MOST_BYTES);
        // Churn adds keys with numbers up to twice that of the last one.
        if (2 * keys > Math.min(KeyNames.mixed(keyBytes).most(), Operation.MOST_KEYS)) {
            throw new BadOptionException("--key-bytes " + keyBytes + " are too few for " + Sizes.count(keys)
                    + " keys and those that replace them: use more, 16 for example");
        }
        require("--value-bytes", leastValueBytes, Values.LEAST_BYTES, Values.MOST_BYTES);
        require("--value-bytes", mostValueBytes, Values.LEAST_BYTES, Values.MOST_BYTES);
        require("--connections", connections, 1, MOST_CONNECTIONS);
        // As it is written so that what is no number is refused, too.
        if (!(seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS)) {
            throw new BadOptionException(
                    "--seconds is from " + LEAST_SECONDS + " to " + MOST_SECONDS + ", not " + seconds);
        }
        for (int pipeline : pipelines) {
            require("--pipeline", pipeline, 1, MOST_PIPELINE);
            if ((long) pipeline * connections > MOST_IN_FLIGHT) {
                throw new BadOptionException("--pipeline " + pipeline + " with --connections " + connections
                        + " are more than " + Sizes.count(MOST_IN_FLIGHT) + " requests at a time: use fewer");
            }
        }
        requireDistinct("--pipeline", pipelines);
        for (int count : copies) {
            require("--copies", count, 1, MOST_COPIES);
        }
        requireDistinct("--copies", copies);
        if (expirySeconds != 0) {
            require("--expire-seconds", expirySeconds, LEAST_EXPIRY_SECONDS, MOST_EXPIRY_SECONDS);
        }
        requireKnown("--stores", stores, StoreKind.names());
        requireKnown("--cases", cases, CASES);
    }

    private static void require(String option, long number, long least, long most) {
        if (number < least || number > most) {
            throw new BadOptionException(option + " is from " + Sizes.count(least) + " to " + Sizes.count(most)
                    + ", not " + Sizes.count(number));
        }
    }

    private static void requireKnown(String option, List<String> names, List<String> known) {
        for (String name : names) {
            if (!known.contains(name)) {
                throw new BadOptionException(option + " are " + String.join(", ", known) + ", not '" + name + "'");
            }
        }
        requireDistinct(option, names);
    }

    private static void requireDistinct(String option, List<?> list) {
        if (list.isEmpty() || new HashSet<>(list).size() < list.size()) {
            throw new BadOptionException(option + " is a list of one or more, each once");
        }
    }

    /** How long each kind of request is measured. */
    @JsonIgnore
    long measuredNanos() {
        return Math.round(seconds * TimeUnit.SECONDS.toNanos(1));
    }

    /** The keys that the stores have while they warm up. */
    @JsonIgnore
    long warmKeys() {
        return LEAST_KEYS / 2;
    }

    /** The mean size of the values. */
    @JsonIgnore
    double meanValueBytes() {
        return (leastValueBytes + (double) mostValueBytes) / 2;
    }

    /** The range of the sizes of values as the option writes it. */
    @JsonIgnore
    String valueRange() {
        return leastValueBytes == mostValueBytes
                ? Integer.toString(leastValueBytes)
                : leastValueBytes + "-" + mostValueBytes;
    }

    /** Bytes of keys and values that a store holds at the end of the load. */
    @JsonIgnore
    public long dataBytes() {
        return Math.round(keys * (keyBytes + meanValueBytes()));
    }

    /** One line of JSON, for the measuring process. */
    public String toJson() {
        return Json.compact(this);
    }

    /** A plan from its JSON. */
    static RedisPlan ofJson(String text) {
        try {
            return MAPPER.readValue(text, RedisPlan.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a plan: " + text, e);
        }
    }
}
