package dev.granary.operator.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Adds to the schema of a {@link Granary} what the generator's annotations cannot say. Runs only in the build. */
public final class SchemaTouches implements SchemaCustomizer.Customizer {
    private static final Map<String, String> CONDITION_FIELDS = Map.of(
            "type", "Name of the condition, in CamelCase.",
            "status", "True, False or Unknown.",
            "reason", "One word for why, in CamelCase.",
            "message", "Why, for a person, and what to do where something can be done.",
            "lastTransitionTime", "When the status last changed.",
            "observedGeneration", "The generation of the spec that the condition is about.");

    @Override
    public JSONSchemaProps apply(JSONSchemaProps root, String input, KubernetesSerialization serialization) {
        root.setDescription("A cluster of super-peers and storage peers: a cache for tiny objects.");
        JSONSchemaProps spec = property(root, "spec");
        spec.setDescription("What the cluster should be. Everything has a default.");
        spec.setDefault(serialization.convertValue(Map.of(), JsonNode.class));
        oneOf(property(spec, "rdma"), "mode", RdmaSpec.DISABLED, RdmaSpec.AUTO, RdmaSpec.REQUIRED);
        oneOf(property(spec, "storagePeers"), "durability", "async", "replicated", "synced");
        oneOf(spec, "imagePullPolicy", "Always", "IfNotPresent", "Never");
        oneOf(property(spec, "logging"), "format", LoggingSpec.FORMATS.toArray(String[]::new));
        oneOf(property(spec, "logging"), "level", LoggingSpec.LEVELS.toArray(String[]::new));
        for (String when : List.of("whenDeleted", "whenScaled")) {
            oneOf(property(spec, "volumeRetention"), when, VolumeRetentionSpec.RETAIN, VolumeRetentionSpec.DELETE);
        }
        oneOf(property(spec, "redis"), "redirect", RedisSpec.REDIRECTS.toArray(String[]::new));
        JSONSchemaProps tls = property(spec, "tls");
        oneOf(tls, "clientAuthentication", TlsSpec.CLIENT_AUTHENTICATION.toArray(String[]::new));
        oneOf(tls, "redisClientAuthentication", TlsSpec.CLIENT_AUTHENTICATION.toArray(String[]::new));
        property(tls, "names").setMaxItems(64L);
        property(tls, "names").getItems().getSchema().setPattern("^(" + TlsSpec.NAME + ")$");
        property(tls, "names").getItems().getSchema().setMaxLength(253L);
        property(tls, "revokedSerials").setMaxItems(256L);
        property(tls, "revokedSerials").getItems().getSchema().setPattern("^" + TlsSpec.SERIAL + "$");
        property(tls, "revokedSerials").getItems().getSchema().setMaxLength(96L);
        JSONSchemaProps redisService = property(property(spec, "redis"), "service");
        oneOf(redisService, "type", RedisServiceSpec.TYPES.toArray(String[]::new));
        property(redisService, "annotations").setMaxProperties(64L);
        property(spec, "imagePullSecrets").setMaxItems(16L);
        for (String role : List.of("superPeers", "storagePeers")) {
            KubernetesTypes.resources(property(property(spec, role), "resources"));
            KubernetesTypes.pod(property(property(spec, role), "pod"));
        }
        List.of("clients", "metricsFrom")
                .forEach(field -> KubernetesTypes.peers(property(spec, "networkPolicy"), field));
        List.of("labels", "annotations").forEach(field -> property(property(spec, "serviceAccount"), field)
                .setMaxProperties(64L));

        JSONSchemaProps status = property(root, "status");
        status.setDescription("What the operator sees. It is the only one who writes it.");
        describeConditions(status);
        dropRepeatedRules(root);
        return root;
    }

    /** Describes the conditions of a status: a list by type, as Kubernetes has them. */
    public static void describeConditions(JSONSchemaProps status) {
        JSONSchemaProps conditions = property(status, "conditions");
        conditions.setXKubernetesListType("map");
        conditions.setXKubernetesListMapKeys(List.of("type"));
        JSONSchemaProps condition = conditions.getItems().getSchema();
        condition.setRequired(List.of("type", "status"));
        CONDITION_FIELDS.forEach((name, text) -> property(condition, name).setDescription(text));
    }

    /**
     * Drops repeated rules: the generator finds the annotation of a record's component on the field and the accessor.
     */
    public static void dropRepeatedRules(JSONSchemaProps schema) {
        var rules = schema.getXKubernetesValidations();
        if (rules != null) {
            schema.setXKubernetesValidations(List.copyOf(new LinkedHashSet<>(rules)));
        }
        if (schema.getProperties() != null) {
            schema.getProperties().values().forEach(SchemaTouches::dropRepeatedRules);
        }
    }

    /** Lists the values that a text may have, so that {@code kubectl explain} shows them. */
    public static void oneOf(JSONSchemaProps of, String field, String... values) {
        property(of, field)
                .setEnum(Stream.of(values).<JsonNode>map(TextNode::valueOf).toList());
    }

    public static JSONSchemaProps property(JSONSchemaProps of, String name) {
        return Objects.requireNonNull(of.getProperties().get(name), name);
    }
}
