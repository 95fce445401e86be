package dev.granary.operator.api.backup;

import dev.granary.operator.api.SchemaTouches;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Objects;

/**
 * Adds to the schemas of backups, restores and schedules what the generator's annotations cannot say. Runs only in the
 * build.
 */
public final class BackupSchemaTouches implements SchemaCustomizer.Customizer {
    private static final long MAX_TEXT = 1024;

    @Override
    public JSONSchemaProps apply(JSONSchemaProps root, String input, KubernetesSerialization serialization) {
        JSONSchemaProps spec = Objects.requireNonNull(root.getProperties().get("spec"));
        boolean restores = spec.getProperties().containsKey("backupRef");
        boolean repeats = spec.getProperties().containsKey("schedule");
        root.setDescription(
                restores
                        ? "A restoration of a backup into a new, empty cluster."
                        : repeats ? "Backups of a cluster again and again." : "A backup of a cluster.");
        root.setRequired(List.of("spec"));
        spec.setDescription(restores ? "What is restored, and into what." : "What is backed up, and where to.");
        limit(spec);
        JSONSchemaProps status = Objects.requireNonNull(root.getProperties().get("status"));
        status.setDescription("What the operator sees. It is the only one who writes it.");
        SchemaTouches.describeConditions(status);
        SchemaTouches.dropRepeatedRules(root);
        return root;
    }

    /** Limits the lengths of texts, by which the API server estimates the cost of rules. */
    private static void limit(JSONSchemaProps schema) {
        if ("string".equals(schema.getType())) {
            schema.setMaxLength(MAX_TEXT);
        }
        if (schema.getProperties() != null) {
            schema.getProperties().values().forEach(BackupSchemaTouches::limit);
        }
    }
}
