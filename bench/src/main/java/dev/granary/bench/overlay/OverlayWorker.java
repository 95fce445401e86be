package dev.granary.bench.overlay;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The process that measures the overlay. Lines of JSON are results ({@link OverlayLine}), others are for people.
 *
 * <p>Arguments: the largest number of ranges, the largest number of chunks, the largest number of chunks in a map with
 * an entry for each, and the experiments, separated by commas.
 */
public final class OverlayWorker {

    /** All experiments, in their order. */
    public static final List<String> EXPERIMENTS = List.of("zones", "cache", "names", "ranges", "paper");

    private static final long FIRST_RANGES = 1_000;
    private static final long FIRST_CHUNKS = 1_000_000;
    private static final long CACHE_CHUNKS = 1_000_000;
    private static final long MOST_NAMES = 1_000_000;
    private static final int[] PERCENT = {1, 5, 10};

    private final long maxRanges;
    private final long maxChunks;
    private final long maxMapChunks;

    private OverlayWorker(long maxRanges, long maxChunks, long maxMapChunks) {
        this.maxRanges = maxRanges;
        this.maxChunks = maxChunks;
        this.maxMapChunks = maxMapChunks;
    }

    /** Runs the experiments of its arguments. */
    public static void main(String[] args) throws IOException {
        OverlayWorker worker =
                new OverlayWorker(Long.parseLong(args[0]), Long.parseLong(args[1]), Long.parseLong(args[2]));
        Set<String> wanted = Set.of(args[3].split(",", -1));
        for (String experiment : EXPERIMENTS) {
            if (wanted.contains(experiment)) {
                worker.run(experiment);
            }
        }
    }

    private void run(String experiment) throws IOException {
        switch (experiment) {
            case "ranges" -> {
                new RangesExperiment(line -> {}).run(FIRST_RANGES * 10, maxMapChunks);
                for (long ranges = FIRST_RANGES; ranges <= maxRanges; ranges *= 10) {
                    progress(count(ranges) + " ranges");
                    new RangesExperiment(OverlayWorker::result).run(ranges, maxMapChunks);
                }
            }
            case "paper" -> {
                new PaperExperiment(line -> {}).run(FIRST_CHUNKS / 10, 10, maxMapChunks);
                for (long chunks = FIRST_CHUNKS; chunks <= maxChunks; chunks *= 10) {
                    for (int percent : PERCENT) {
                        progress(count(chunks) + " chunks, " + percent + " % migrated");
                        new PaperExperiment(OverlayWorker::result).run(chunks, percent, maxMapChunks);
                    }
                }
            }
            case "cache" -> {
                // The first run loads classes and frees memory, which would be counted as the cache's bytes.
                new CacheExperiment(line -> {}).run(Math.min(maxChunks, CACHE_CHUNKS / 10), 10);
                for (int percent : PERCENT) {
                    progress("client cache, " + percent + " % migrated");
                    new CacheExperiment(OverlayWorker::result).run(Math.min(maxChunks, CACHE_CHUNKS), percent);
                }
            }
            case "zones" -> ZonesExperiment.run(OverlayWorker::result);
            case "names" -> {
                NamesExperiment.run(MOST_NAMES / 10, line -> {});
                NamesExperiment.run(MOST_NAMES, OverlayWorker::result);
            }
            default -> throw new IllegalArgumentException("there is no experiment '" + experiment + "'");
        }
    }

    private static void progress(String text) {
        System.out.println(text);
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static void result(OverlayLine line) {
        System.out.println(line.toJson());
    }
}
