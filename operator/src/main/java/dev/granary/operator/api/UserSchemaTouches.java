package dev.granary.operator.api;

import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;

/** Adds to the schema of users what the generator's annotations cannot say. Runs only in the build. */
public final class UserSchemaTouches implements SchemaCustomizer.Customizer {
    private static final long MOST_PASSWORDS = 8;

    @Override
    public JSONSchemaProps apply(JSONSchemaProps root, String input, KubernetesSerialization serialization) {
        root.setDescription("A user of the doors of a cluster, at which storage peers speak Redis's protocol.");
        root.setRequired(List.of("spec"));
        JSONSchemaProps spec = SchemaTouches.property(root, "spec");
        spec.setDescription("Who the user is, how it proves that, and what it may do.");
        SchemaTouches.property(spec, "passwords").setMaxItems(MOST_PASSWORDS);
        JSONSchemaProps status = SchemaTouches.property(root, "status");
        status.setDescription("What the operator sees. It is the only one who writes it.");
        SchemaTouches.describeConditions(status);
        SchemaTouches.dropRepeatedRules(root);
        return root;
    }
}
