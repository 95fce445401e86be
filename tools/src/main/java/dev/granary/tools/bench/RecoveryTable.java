package dev.granary.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Prints results of logs and recovery while they come in and writes them to a file, one JSON object per line. Each
 * object has all of {@link #FIELDS} first, null where one does not apply, and then the other fields of its case.
 */
final class RecoveryTable implements AutoCloseable {

    static final String CASE = "case";

    /** The fields of every line, in their order. */
    static final List<String> FIELDS = List.of(
            CASE,
            "peers",
            "chunks",
            "recoveryMillis",
            "unservedP99Millis",
            "lostWrites",
            "firstChunkMillis",
            "unservedP50Millis",
            "replayChunksPerSecondPerCore",
            "logAppendsPerSecond",
            "replicatedPutShare",
            "utilisation",
            "writeAmplification",
            "dumpShareOfDisk",
            "loadShareOfDisk");

    private final PrintStream out = System.out;
    private final @Nullable PrintWriter file;

    /**
     * A table on standard output.
     *
     * @param json a file that gets the lines as well and loses its former content, null for none
     */
    RecoveryTable(@Nullable Path json) {
        try {
            file = json == null ? null : new PrintWriter(Files.newBufferedWriter(json, StandardCharsets.UTF_8), true);
        } catch (IOException e) {
            throw new UserException(json + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** Prints a line for people. */
    void note(String text) {
        out.println(text);
    }

    /** Adds a result of a measuring process, a JSON object. */
    void add(String line) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        Json.parse("a result", line).properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
        add(fields);
    }

    /** Adds a result. */
    void add(Map<String, ? extends @Nullable Object> fields) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        FIELDS.forEach(field -> all.put(field, null));
        all.putAll(fields);
        StringBuilder text = new StringBuilder(shown(all.get(CASE)));
        fields.forEach((name, value) -> {
            if (value != null && !name.equals(CASE)) {
                text.append("  ").append(name).append(' ').append(shown(value));
            }
        });
        out.println(text);
        if (file != null) {
            file.println(Json.compact(all));
        }
    }

    private static String shown(@Nullable Object value) {
        if (value instanceof JsonNode node) {
            return node.isIntegralNumber() ? shown(node.asLong()) : node.asText();
        }
        return value instanceof Integer || value instanceof Long
                ? Sizes.count(((Number) value).longValue())
                : String.valueOf(value);
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
