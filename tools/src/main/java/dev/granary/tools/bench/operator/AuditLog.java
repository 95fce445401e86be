package dev.granary.tools.bench.operator;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The audit log of an API server with the requests of the operator, one JSON object per line. */
final class AuditLog {
    private final Path file;

    AuditLog(Path file) {
        this.file = file;
    }

    /** The number of requests so far, by verb. A watch counts when it ends. */
    Map<String, Long> byVerb() throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        if (!Files.exists(file)) {
            return counts;
        }
        String text = Files.readString(file);
        // The last line may be half written and look complete.
        text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(line -> {
            JsonNode event = Json.parse("a line of the audit log", line);
            counts.merge(event.path("verb").asText(), 1L, Long::sum);
        });
        return counts;
    }

    /** The difference of two counts, by verb. */
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
