package dev.granary.tools.bench.redis;

import dev.granary.cli.base.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A result: the fields of every line in their order, null where one does not apply, and those of its case behind them.
 */
public final class Line {

    public static final String CASE = "case";
    public static final String STORE = "store";
    public static final String COPIES = "copies";
    public static final String BESIDE = "bytesPerKeyBesideData";
    public static final String OWN_BESIDE = "ownBytesPerKeyBesideData";
    public static final String PIPELINE = "pipeline";
    public static final String GETS = "getsPerSecond";
    public static final String SETS = "setsPerSecond";
    public static final String GET_CPU = "serverCpuNanosPerGet";
    public static final String SET_CPU = "serverCpuNanosPerSet";
    public static final String P50 = "p50Micros";
    public static final String P99 = "p99Micros";
    public static final String HIT_RATIO = "hitRatio";
    public static final String REMARK = "remark";
    public static final String GETS_BY_OTHER = "driverByRedisBenchmarkGets";
    public static final String SETS_BY_OTHER = "driverByRedisBenchmarkSets";
    public static final String OTHER_GET_CPU = "redisBenchmarkServerCpuNanosPerGet";
    public static final String OTHER_SET_CPU = "redisBenchmarkServerCpuNanosPerSet";

    static final String KEYS = "keys";
    static final String KEY_BYTES = "keyBytes";
    static final String VALUE_BYTES = "valueBytes";

    /** The fields of every line. */
    public static final List<String> FIELDS = List.of(
            CASE,
            STORE,
            COPIES,
            KEYS,
            KEY_BYTES,
            VALUE_BYTES,
            BESIDE,
            "connections",
            PIPELINE,
            GETS,
            SETS,
            GET_CPU,
            SET_CPU,
            P50,
            P99,
            HIT_RATIO,
            REMARK);

    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

    /** A line about a store with the numbers of a plan. */
    Line(String name, StoreKind kind, int copies, RedisPlan plan) {
        FIELDS.forEach(field -> fields.put(field, null));
        fields.put(CASE, name);
        fields.put(STORE, kind.toString());
        fields.put(COPIES, copies);
        fields.put(KEYS, plan.keys());
        fields.put(KEY_BYTES, plan.keyBytes());
        fields.put(VALUE_BYTES, plan.meanValueBytes());
        fields.put("connections", plan.connections());
        fields.put("valueBytesRange", plan.valueRange());
        fields.put("expirySeconds", plan.expirySeconds() == 0 ? null : plan.expirySeconds());
    }

    /** Adds a field. Numbers with a point are rounded to five digits behind it. */
    Line with(String name, @Nullable Object value) {
        fields.put(name, value instanceof Double number ? Math.round(number * 1e5) / 1e5 : value);
        return this;
    }

    /** One line of JSON. */
    String toJson() {
        return Json.compact(fields);
    }
}
