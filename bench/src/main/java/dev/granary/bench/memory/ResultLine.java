package dev.granary.bench.memory;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One result, written as a JSON object. Each has all of {@link #FIELDS}, null where a field does not apply. Soak and
 * defragment have three more. Names that start with an underscore are only for the table and do not go into a file.
 */
public final class ResultLine {

    public static final String NAME = "name";
    public static final String CHUNKS = "chunks";
    public static final String SIZE_BYTES = "sizeBytes";
    public static final String THREADS = "threads";
    public static final String DISTRIBUTION = "distribution";
    public static final String WORKLOAD = "workload";
    public static final String OVERHEAD = "overheadBytesPerChunk";
    public static final String RSS_OVERHEAD = "rssOverheadBytesPerChunk";
    public static final String LOAD_RATE = "loadOpsPerSecond";
    public static final String RATE = "opsPerSecond";
    public static final String LAYOUT = "layout";
    public static final String STORE = "store";
    public static final String GET_P50 = "getP50Nanos";
    public static final String GET_P99 = "getP99Nanos";
    public static final String GET_P999 = "getP999Nanos";
    public static final String PUT_P50 = "putP50Nanos";
    public static final String PUT_P99 = "putP99Nanos";
    public static final String BATCH_SIZE = "batchSize";
    public static final String FRAGMENTATION = "fragmentation";
    public static final String NANOS_PER_LIVE_CHUNK = "nanosPerLiveChunk";
    public static final String WHOLE_FREE_SHARE = "wholeFreeSegmentsShare";

    /** Processor time of one operation in nanoseconds, for the table. */
    public static final String CPU_NANOS = "_cpuNanos";

    /** The fields of every line, in their order. */
    public static final List<String> FIELDS = List.of(
            NAME,
            CHUNKS,
            SIZE_BYTES,
            THREADS,
            DISTRIBUTION,
            WORKLOAD,
            OVERHEAD,
            RSS_OVERHEAD,
            LOAD_RATE,
            RATE,
            LAYOUT,
            STORE,
            GET_P50,
            GET_P99,
            GET_P999,
            PUT_P50,
            PUT_P99,
            BATCH_SIZE);

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

    /** A line with all fields null. */
    public ResultLine() {
        FIELDS.forEach(field -> values.put(field, null));
    }

    /** Sets a field. Empty text becomes null. */
    public ResultLine with(String field, Object value) {
        boolean empty = value.equals("") || (value instanceof Double number && !Double.isFinite(number));
        values.put(field, empty ? null : value);
        return this;
    }

    /** Removes a field's value. */
    public ResultLine without(String field) {
        values.put(field, null);
        return this;
    }

    /**
     * A line from its JSON.
     *
     * @throws IllegalArgumentException when the text is not a result
     */
    public static ResultLine ofJson(String text) {
        try {
            ResultLine line = new ResultLine();
            line.values.putAll(JSON.readValue(text, new TypeReference<LinkedHashMap<String, @Nullable Object>>() {}));
            return line;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a result: " + text, e);
        }
    }

    /** A field as text; empty when it is null. */
    public String text(String field) {
        Object value = values.get(field);
        return value == null ? "" : value.toString();
    }

    /** A field as a number; NaN when it is null. */
    public double number(String field) {
        return values.get(field) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    /** One line of JSON with all fields, for another process. */
    String toJson() {
        return json(values);
    }

    /** One line of JSON for a file, without the fields that are only for the table. */
    public String toFileJson() {
        Map<String, @Nullable Object> kept = new LinkedHashMap<>(values);
        kept.keySet().removeIf(field -> field.startsWith("_"));
        return json(kept);
    }

    private static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
