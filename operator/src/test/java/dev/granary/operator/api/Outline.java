package dev.granary.operator.api;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The fields of a spec as {@code kubectl explain --recursive} shows them, without those of Kubernetes' own types. */
public final class Outline {
    private static final Set<String> TYPES_OF_KUBERNETES =
            Set.of("affinity", "clients", "env", "metricsFrom", "tolerations", "topologySpreadConstraints");

    /** How many values of an enum kubectl shows. */
    private static final int SHOWN_VALUES = 4;

    private Outline() {}

    /** Returns the lines for the spec of a kind, by its plural. */
    public static String of(String plural) throws IOException {
        StringBuilder lines = new StringBuilder();
        append(lines, SchemaTouches.property(CommittedCrdTest.schema(plural), "spec"), 1);
        return lines.toString();
    }

    private static void append(StringBuilder lines, JSONSchemaProps schema, int level) {
        JSONSchemaProps of = schema.getItems() != null ? schema.getItems().getSchema() : schema;
        if (of.getProperties() == null) {
            return;
        }
        String indent = "  ".repeat(level);
        List<String> required = of.getRequired() == null ? List.of() : of.getRequired();
        new TreeMap<>(of.getProperties()).forEach((name, child) -> {
            lines.append(indent).append(name).append("\t<").append(type(child)).append('>');
            lines.append(required.contains(name) ? " -required-\n" : "\n");
            if (child.getEnum() != null && !child.getEnum().isEmpty()) {
                boolean more = child.getEnum().size() > SHOWN_VALUES;
                lines.append(indent)
                        .append(child.getEnum().stream()
                                .limit(SHOWN_VALUES)
                                .map(value -> value.asText())
                                .collect(Collectors.joining(", ", "enum: ", more ? ", ....\n" : "\n")));
            }
            if (!TYPES_OF_KUBERNETES.contains(name)) {
                append(lines, child, level + 1);
            }
        });
    }

    private static String type(JSONSchemaProps schema) {
        if (schema.getItems() != null) {
            return "[]" + type(schema.getItems().getSchema());
        }
        if (schema.getAdditionalProperties() != null) {
            return "map[string]" + type(schema.getAdditionalProperties().getSchema());
        }
        return schema.getType() == null ? "Object" : schema.getType().equals("object") ? "Object" : schema.getType();
    }
}
