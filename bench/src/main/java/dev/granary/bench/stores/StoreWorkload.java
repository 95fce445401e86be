package dev.granary.bench.stores;

import com.google.errorprone.annotations.Immutable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What is done with a store. The first six are the core workloads of YCSB; the next three are those of the paper about
 * DXMem (its YCSB-A is that of YCSB); the last two read many objects in one request.
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
    MULTI_GET_RANDOM(1, 32, Mix.of(100, 0, 0, 0, 0));

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

    /** The most objects of a scan. */
    public static final int MOST_SCANNED = 100;

    private final int fields;
    private final int fieldBytes;
    private final Mix mix;

    StoreWorkload(int fields, int fieldBytes, Mix mix) {
        this.fields = fields;
        this.fieldBytes = fieldBytes;
        this.mix = mix;
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

    /** Fields of an object. */
    public int fields() {
        return fields;
    }

    /** The size of each field. */
    public int fieldBytes() {
        return fieldBytes;
    }

    /** The size of an object: its fields one after the other. */
    public int valueBytes() {
        return fields * fieldBytes;
    }

    /** Shares of kinds of operations. */
    public Mix mix() {
        return mix;
    }

    /** Workloads with the same name of their data share the objects. */
    public String data() {
        return fields + "x" + fieldBytes;
    }

    /** Whether each request reads as many objects as are told. */
    public boolean isMultiGet() {
        return this == MULTI_GET_ORDERED || this == MULTI_GET_RANDOM;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
