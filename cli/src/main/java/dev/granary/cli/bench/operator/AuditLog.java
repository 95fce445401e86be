package dev.granary.cli.bench.operator;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The requests of the operator that an API server wrote down, one JSON object a line. */
final class AuditLog {
    private final Path file;

    AuditLog(Path file) {
        this.file = file;
    }

    /** Requests so far by verb; a watch counts when it ends. */
    Map<String, Long> byVerb() throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        if (!Files.exists(file)) {
            return counts;
        }
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null && line.endsWith("}"); line = lines.readLine()) {
                JsonNode event = Json.parse("a line of the audit log", line);
                counts.merge(event.path("verb").asText(), 1L, Long::sum);
            }
        }
        return counts;
    }

    /** What was added from one count to another. */
    static Map<String, Long> difference(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> added = new TreeMap<>();
        after.forEach((verb, count) -> {
            long more = count - before.getOrDefault(verb, 0L);
            if (more > 0) {
                added.put(verb, more);
            }
        });
        return added;
    }

    static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
