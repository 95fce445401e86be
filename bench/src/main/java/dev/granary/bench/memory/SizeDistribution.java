package dev.granary.bench.memory;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.granary.memory.ChunkMemory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * The distribution of chunk sizes: ranges of sizes with weights, uniform inside a range. Immutable.
 *
 * <p>Made from {@code 32} (one size), {@code 16-64} (uniform, both ends included), or from a {@code sizes.json} of
 * CacheLib's CacheBench: {@code valSizeRange} holds ascending lower bounds, {@code valSizeRangeProbability} a weight
 * for each. A range goes from a bound (inclusive) to the next one (exclusive); the last range has only its bound.
 */
public final class SizeDistribution {

    /** The included production distributions, which are directories under {@code /workloads}. */
    public static final Set<String> CARRIED =
            new TreeSet<>(List.of("graph_cache_leader_assocs", "graph_cache_leader_fbobj", "kvcache_reg"));

    private final String name;
    private final int[] lows;
    private final int[] highs;
    /** The sum of the weights up to and including each range, divided by the sum of all weights. */
    private final double[] cumulative;

    private SizeDistribution(String name, int[] lows, int[] highs, double[] weights) {
        this.name = name;
        this.lows = lows;
        this.highs = highs;
        double sum = Arrays.stream(weights).sum();
        cumulative = new double[weights.length];
        double sofar = 0;
        for (int i = 0; i < weights.length; i++) {
            sofar += weights[i];
            cumulative[i] = sofar / sum;
        }
    }

    /**
     * Parses {@code 32} or {@code 16-64}.
     *
     * @throws BadOptionException when the text is neither
     */
    public static SizeDistribution parse(String text) {
        String plain = text.strip();
        if (!plain.matches("[0-9]{1,10}(-[0-9]{1,10})?")) {
            throw new BadOptionException("a size must look like 32 or 16-64 (bytes), not '" + text + "'");
        }
        String[] ends = plain.split("-", -1);
        long low = Long.parseLong(ends[0]);
        long high = Long.parseLong(ends[ends.length - 1]);
        if (low < 1 || high < low || high > ChunkMemory.MAX_SIZE_BYTES) {
            throw new BadOptionException("sizes go from 1 to " + ChunkMemory.MAX_SIZE_BYTES
                    + " B, the smaller one first; '" + text + "' does not");
        }
        return new SizeDistribution(plain, new int[] {(int) low}, new int[] {(int) high}, new double[] {1});
    }

    /**
     * Parses a comma-separated list of texts for {@link #parse}: several distributions, to measure one after the other.
     */
    public static List<SizeDistribution> parseList(String text) {
        List<SizeDistribution> all = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            all.add(parse(part));
        }
        return all;
    }

    /**
     * Loads one of {@link #CARRIED}, or a file.
     *
     * @throws BadOptionException when there is no such file, or it is not a distribution of sizes
     */
    public static SizeDistribution load(String nameOrFile) {
        try {
            if (CARRIED.contains(nameOrFile)) {
                String resource = "/workloads/" + nameOrFile + "/sizes.json";
                try (InputStream in = SizeDistribution.class.getResourceAsStream(resource)) {
                    if (in == null) {
                        throw new IllegalStateException(resource + " is missing from the program");
                    }
                    return ofJson(nameOrFile, new String(in.readAllBytes(), StandardCharsets.UTF_8));
                }
            }
            Path file = Path.of(nameOrFile);
            if (!Files.isRegularFile(file)) {
                throw new BadOptionException("there is no file " + nameOrFile);
            }
            return ofJson(nameOrFile, Files.readString(file));
        } catch (IOException e) {
            throw new BadOptionException(nameOrFile + " cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Parses the text of a {@code sizes.json}.
     *
     * @throws BadOptionException when the text is invalid; the message says why
     */
    static SizeDistribution ofJson(String name, String text) {
        JsonNode root;
        try {
            root = new ObjectMapper().readTree(text);
        } catch (JsonProcessingException e) {
            throw new BadOptionException(name + " is not JSON: " + e.getOriginalMessage(), e);
        }
        JsonNode bounds = root.path("valSizeRange");
        JsonNode weights = root.path("valSizeRangeProbability");
        if (!bounds.isArray() || !weights.isArray() || weights.isEmpty()) {
            throw new BadOptionException(name
                    + " is not a distribution of sizes: it needs the arrays valSizeRange and valSizeRangeProbability");
        }
        if (bounds.size() != weights.size() && bounds.size() != weights.size() + 1) {
            throw new BadOptionException(
                    name + " has " + bounds.size() + " bounds in valSizeRange and " + weights.size()
                            + " weights in valSizeRangeProbability; there must be as many bounds, or one more");
        }
        int[] lows = new int[weights.size()];
        int[] highs = new int[weights.size()];
        double[] parts = new double[weights.size()];
        double sum = 0;
        for (int i = 0; i < lows.length; i++) {
            lows[i] = bound(name, bounds, i);
            highs[i] = i + 1 < bounds.size() ? bound(name, bounds, i + 1) - 1 : lows[i];
            if (highs[i] < lows[i]) {
                throw new BadOptionException(
                        name + ": bound " + (i + 1) + " of valSizeRange is not above the one before");
            }
            parts[i] = weights.get(i).isNumber() ? weights.get(i).asDouble() : -1;
            if (!(parts[i] >= 0) || Double.isInfinite(parts[i])) {
                throw new BadOptionException(name + ": weight " + i + " of valSizeRangeProbability is " + weights.get(i)
                        + ", not a number from 0 on");
            }
            sum += parts[i];
        }
        if (sum == 0) {
            throw new BadOptionException(name + ": all weights of valSizeRangeProbability are 0");
        }
        return new SizeDistribution(name, lows, highs, parts);
    }

    private static int bound(String name, JsonNode bounds, int index) {
        JsonNode bound = bounds.get(index);
        if (!bound.isIntegralNumber() || bound.asLong() < 1 || bound.asLong() > ChunkMemory.MAX_SIZE_BYTES) {
            throw new BadOptionException(name + ": bound " + index + " of valSizeRange is " + bound
                    + ", not a size from 1 to " + ChunkMemory.MAX_SIZE_BYTES);
        }
        return bound.asInt();
    }

    /** The text or file from which the distribution was made. */
    public String name() {
        return name;
    }

    /** Whether all sizes are the same. */
    public boolean isFixed() {
        return lows.length == 1 && lows[0] == highs[0];
    }

    /** The smallest size that may be drawn. */
    public int leastBytes() {
        return lows[0];
    }

    /** The largest size that may be drawn. */
    public int maxBytes() {
        return highs[highs.length - 1];
    }

    /** The expected size. */
    public double meanBytes() {
        double mean = 0;
        double before = 0;
        for (int i = 0; i < lows.length; i++) {
            mean += (cumulative[i] - before) * ((double) lows[i] + highs[i]) / 2;
            before = cumulative[i];
        }
        return mean;
    }

    /** Draws one size. */
    public int draw(SplittableRandom random) {
        int place = lows.length == 1 ? 0 : Arrays.binarySearch(cumulative, random.nextDouble());
        int range = Math.min(place < 0 ? -place - 1 : place + 1, lows.length - 1);
        if (lows.length == 1) {
            range = 0;
        }
        return lows[range] == highs[range] ? lows[range] : random.nextInt(lows[range], highs[range] + 1);
    }

    @Override
    public String toString() {
        return name;
    }
}
