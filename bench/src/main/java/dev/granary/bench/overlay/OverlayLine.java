package dev.granary.bench.overlay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One result, written as a JSON object with all of {@link #FIELDS}, null where a field does not apply. */
public final class OverlayLine {

    public static final String EXPERIMENT = "experiment";
    public static final String STRUCTURE = "structure";
    public static final String RANGES = "ranges";
    public static final String CHUNKS = "chunks";
    public static final String MIGRATED_PERCENT = "migratedPercent";

    /** The growth of the heap, after a collection. */
    public static final String TOTAL_BYTES = "totalBytes";

    /** The bytes that the structure itself reports. */
    public static final String COUNTED_BYTES = "countedBytes";

    public static final String BYTES_PER_RANGE = "bytesPerRange";
    public static final String BYTES_PER_MIGRATED_CHUNK = "bytesPerMigratedChunk";
    public static final String FIND_NANOS = "findNanos";
    public static final String INSERT_NANOS = "insertNanos";
    public static final String MIGRATE_NANOS = "migrateNanos";
    public static final String LOOKUPS_SAVED_PERCENT = "lookupsSavedPercent";
    public static final String ACCESS_TIME_REDUCTION_PERCENT = "accessTimeReductionPercent";

    /** The fields of every line, in their order. */
    public static final List<String> FIELDS = List.of(
            EXPERIMENT,
            STRUCTURE,
            RANGES,
            CHUNKS,
            MIGRATED_PERCENT,
            TOTAL_BYTES,
            COUNTED_BYTES,
            BYTES_PER_RANGE,
            BYTES_PER_MIGRATED_CHUNK,
            FIND_NANOS,
            INSERT_NANOS,
            MIGRATE_NANOS,
            LOOKUPS_SAVED_PERCENT,
            ACCESS_TIME_REDUCTION_PERCENT);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final double HUNDREDTHS = 100.0;

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

    /** A line with these two fields; all others are null. */
    public OverlayLine(String experiment, String structure) {
        FIELDS.forEach(field -> values.put(field, null));
        values.put(EXPERIMENT, experiment);
        values.put(STRUCTURE, structure);
    }

    /** Sets a field to a count. */
    OverlayLine with(String field, long value) {
        values.put(field, value);
        return this;
    }

    /** Sets a field to a measured value, rounded to hundredths. */
    OverlayLine with(String field, double value) {
        values.put(field, Double.isFinite(value) ? Math.round(value * HUNDREDTHS) / HUNDREDTHS : null);
        return this;
    }

    /**
     * A line from its JSON.
     *
     * @throws IllegalArgumentException when the text is not a result
     */
    public static OverlayLine ofJson(String text) {
        try {
            OverlayLine line = new OverlayLine("", "");
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

    /** One line of JSON. */
    public String toJson() {
        try {
            return JSON.writeValueAsString(values);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a result cannot be written", e);
        }
    }
}
