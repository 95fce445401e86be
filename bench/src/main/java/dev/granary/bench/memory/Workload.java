package dev.granary.bench.memory;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A mix of gets and puts over objects of given sizes. The named ones are those of Nothaas, Beineke and Schöttner's
 * DXMem paper, section VI: ycsb-a has ten fields of 100 B, facebook-b one of 32 B, facebook-d 24 of 32 B, facebook-f
 * one of 64 B. An object is one chunk.
 *
 * @param name the name on the command line
 * @param sizes the sizes of the objects, unless the command line names others
 * @param getShare share of the gets, 0 to 1
 * @param special the measurement if it is not one of gets and puts, or null
 */
public record Workload(
        String name,
        SizeDistribution sizes,
        double getShare,
        @Nullable Special special) {

    /** Workloads that are not a mix of gets and puts. */
    public enum Special {
        /** Deletes, creates and resizes at 90 % fill for minutes. */
        SOAK,
        /** Every second chunk is deleted, then the memory is defragmented. */
        DEFRAGMENT
    }

    /** The default workload. */
    public static final String DEFAULT = "facebook-b";

    private static final double MOSTLY_GETS = 0.95;
    private static final Map<String, Workload> NAMED = Map.of(
            "ycsb-a", named("ycsb-a", "1000", 0.5),
            "facebook-b", named("facebook-b", "32", MOSTLY_GETS),
            "facebook-d", named("facebook-d", "768", MOSTLY_GETS),
            "facebook-f", named("facebook-f", "64", 1),
            "soak", new Workload("soak", SizeDistribution.parse("16-64"), MOSTLY_GETS, Special.SOAK),
            "defragment", new Workload("defragment", SizeDistribution.parse("50"), MOSTLY_GETS, Special.DEFRAGMENT));

    private static Workload named(String name, String size, double getShare) {
        return new Workload(name, SizeDistribution.parse(size), getShare, null);
    }

    /**
     * Parses a named workload, an included size distribution, or a file with one (95 % gets).
     *
     * @throws BadOptionException when the text is none of these
     */
    public static Workload parse(String text) {
        Workload named = NAMED.get(text.toLowerCase(Locale.ROOT));
        if (named != null) {
            return named;
        }
        try {
            SizeDistribution sizes = SizeDistribution.load(text);
            return new Workload(text, sizes, MOSTLY_GETS, null);
        } catch (BadOptionException e) {
            throw new BadOptionException(
                    e.getMessage()
                            + "; a workload is ycsb-a, facebook-b, facebook-d, facebook-f, soak, defragment, one of "
                            + SizeDistribution.CARRIED + " or a file with a distribution of sizes",
                    e);
        }
    }
}
