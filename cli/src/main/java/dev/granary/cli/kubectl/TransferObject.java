package dev.granary.cli.kubectl;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The objects that ask the operator for a cluster backup or a restore. */
final class TransferObject {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private TransferObject() {}

    /** A name that no other object has, made of a Granary's name and the time. */
    static String nameFor(String granary, Instant now) {
        return granary + "-" + TIME.format(now);
    }

    /**
     * An object.
     *
     * @param kind GranaryBackup or GranaryRestore
     */
    static Map<String, Object> of(String kind, String name, Map<String, Object> spec) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("apiVersion", "granary.dev/v1alpha1");
        object.put("kind", kind);
        object.put("metadata", Map.of("name", name));
        object.put("spec", spec);
        return object;
    }
}
