package dev.granary.bench.stores;

import com.google.errorprone.annotations.Immutable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What is done with a store. The first six are the core workloads of YCSB; the next three are those of the paper about
 * DXMem (its YCSB-A is that of YCSB); then come two that read many objects in one request, and those of graphs and of
 * production caches.
 */
public enum StoreWorkload {
    YCSB_A(10, 100, Mix.of(50, 50, 0, 0, 0)),
    YCSB_B(10, 100, Mix.of(95, 5, 0, 0, 0)),
    YCSB_C(10, 100, Mix.of(100, 0, 0, 0, 0)),
    /** Reads the newest objects. */
    YCSB_D(10, 100, new Mix(95, 0, 5, 0, 0, "latest")),
    /** Scans of 1 to 100 objects. */
    YCSB_E(10, 100, Mix.of(0, 0, 5, 95, 0)),
    YCSB_F(10, 100, Mix.of(50, 0, 0, 0, 50)),
    FACEBOOK_B(1, 32, Mix.of(95, 5, 0, 0, 0)),
    FACEBOOK_D(24, 32, Mix.of(95, 5, 0, 0, 0)),
    FACEBOOK_F(1, 64, Mix.of(100, 0, 0, 0, 0)),
    /** Objects with consecutive numbers, in order. */
    MULTI_GET_ORDERED(1, 32, Mix.of(100, 0, 0, 0, 0)),
    /** Distinct objects, at random. */
    MULTI_GET_RANDOM(1, 32, Mix.of(100, 0, 0, 0, 0)),
    /** The mix of LinkBench on a graph whose nodes have links by a power law. */
    LINKBENCH("linkbench", Family.LINKBENCH, 130),
    /** The actions of BG on members whose friends follow a power law. */
    BG("bg", Family.BG, 300),
    /** The same on packages, whose friends are those that they need and that need them. */
    BG_PACKAGES("bg-packages", Family.BG, 300),
    /** Sizes of production caches; objects change their size, and old ones make way for new ones. */
    PRODUCTION_ASSOCS("graph_cache_leader_assocs", Family.PRODUCTION, 1_440),
    PRODUCTION_FBOBJ("graph_cache_leader_fbobj", Family.PRODUCTION, 357),
    PRODUCTION_KVCACHE("kvcache_reg", Family.PRODUCTION, 351);

    /** How operations are drawn. */
    public enum Family {
        YCSB,
        MULTI_GET,
        LINKBENCH,
        BG,
        PRODUCTION
    }

    /**
     * Shares of kinds of operations, of 100.
     *
     * @param distribution of the objects that are read and replaced, as YCSB calls it
     */
    @Immutable
    public record Mix(int read, int update, int insert, int scan, int readModifyWrite, String distribution) {

        private static Mix of(int read, int update, int insert, int scan, int readModifyWrite) {
            return new Mix(read, update, insert, scan, readModifyWrite, "zipfian");
        }
    }

    /** The file with the friends of {@link #BG_PACKAGES}: a line with two numbers for each two that are friends. */
    public static final String FRIENDS_FILE = "friends.txt";

    /** The most objects of a scan. */
    public static final int MOST_SCANNED = 100;

    private final String data;
    private final int fields;
    private final int fieldBytes;
    private final int meanBytes;
    private final Mix mix;
    private final Family family;

    StoreWorkload(int fields, int fieldBytes, Mix mix) {
        this.data = fields + "x" + fieldBytes;
        this.fields = fields;
        this.fieldBytes = fieldBytes;
        this.meanBytes = fields * fieldBytes;
        this.mix = mix;
        this.family = name().startsWith("MULTI_GET") ? Family.MULTI_GET : Family.YCSB;
    }

    StoreWorkload(String data, Family family, int meanBytes) {
        this.data = data;
        this.fields = 0;
        this.fieldBytes = 0;
        this.meanBytes = meanBytes;
        this.mix = new Mix(0, 0, 0, 0, 0, "");
        this.family = family;
    }

    /** The names of all workloads. */
    public static List<String> names() {
        return Arrays.stream(values()).map(StoreWorkload::toString).toList();
    }

    /** The workload of a name. */
    public static Optional<StoreWorkload> of(String name) {
        return Arrays.stream(values())
                .filter(workload -> workload.toString().equals(name))
                .findFirst();
    }

    /** How operations are drawn. */
    public Family family() {
        return family;
    }

    /** Fields of an object; 0 when it has none. */
    public int fields() {
        return fields;
    }

    /** The size of each field. */
    public int fieldBytes() {
        return fieldBytes;
    }

    /** About how large objects are. */
    public int meanBytes() {
        return meanBytes;
    }

    /** The size of an object: its fields one after the other; 0 when sizes differ. */
    public int valueBytes() {
        return fields * fieldBytes;
    }

    /** Shares of kinds of operations; all are 0 when YCSB does not draw them. */
    public Mix mix() {
        return mix;
    }

    /** Workloads with the same name of their data share the objects. */
    public String data() {
        return data;
    }

    /** Whether each request reads as many objects as are told. */
    public boolean isMultiGet() {
        return family == Family.MULTI_GET;
    }

    /** Whether stores are rated: by the highest rate of several numbers of threads that keeps BG's limits. */
    public boolean isRated() {
        return family == Family.BG;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
