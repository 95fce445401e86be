package dev.granary.operator.api;

import static dev.granary.operator.api.SchemaTouches.oneOf;
import static dev.granary.operator.api.SchemaTouches.property;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import java.util.List;
import java.util.Map;

/**
 * Adds to the schemas of Kubernetes' own types what Kubernetes demands of them, so that a wrong one is refused with the
 * resource and not later with a StatefulSet. Their descriptions refer to those of Kubernetes. Runs only in the build.
 */
final class KubernetesTypes {
    private static final long MAX_ITEMS = 64;

    /** A quantity of Kubernetes that is not negative, when it is written as a text. */
    private static final String QUANTITY =
            "^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?[0-9]+))?$";

    private KubernetesTypes() {}

    /** The resources of a container. */
    static void resources(JSONSchemaProps resources) {
        // A claim would name one of the pod's resourceClaims, and the pods have none.
        resources.getProperties().remove("claims");
        for (String field : List.of("requests", "limits")) {
            property(resources, field).setMaxProperties(16L);
            property(resources, field).getAdditionalProperties().getSchema().setPattern(QUANTITY);
            property(resources, field).setDescription("See: kubectl explain pod.spec.containers.resources." + field);
        }
    }

    /** What pods get from the resource. */
    static void pod(JSONSchemaProps pod) {
        List.of("labels", "annotations", "nodeSelector")
                .forEach(field -> property(pod, field).setMaxProperties(MAX_ITEMS));
        oneOf(pod, "antiAffinity", "preferred", "required");
        List.of("affinity", "tolerations", "topologySpreadConstraints")
                .forEach(field -> describe(property(pod, field), "pod.spec." + field));
        JSONSchemaProps toleration = items(pod, "tolerations");
        oneOf(toleration, "operator", "Exists", "Equal");
        oneOf(toleration, "effect", "NoSchedule", "PreferNoSchedule", "NoExecute");
        JSONSchemaProps constraint = items(pod, "topologySpreadConstraints");
        constraint.setRequired(List.of("maxSkew", "topologyKey", "whenUnsatisfiable"));
        property(constraint, "maxSkew").setMinimum(1.0);
        oneOf(constraint, "whenUnsatisfiable", "DoNotSchedule", "ScheduleAnyway");
        JSONSchemaProps env = property(pod, "env");
        describe(env, "pod.spec.containers.env");
        env.setXKubernetesListType("map");
        env.setXKubernetesListMapKeys(List.of("name"));
        items(pod, "env").setRequired(List.of("name"));
        property(items(pod, "env"), "name").setMinLength(1L);
        property(items(pod, "env"), "name").setMaxLength(253L);
        extras(pod);
    }

    /** Volumes and containers are described by their names alone: all their fields would be 100 KB for each role. */
    private static void extras(JSONSchemaProps pod) {
        Map.of("volumes", "volumes", "sidecars", "containers", "initContainers", "initContainers")
                .forEach((field, path) -> named(property(pod, field), "pod.spec." + path));
        JSONSchemaProps mounts = property(pod, "volumeMounts");
        describe(mounts, "pod.spec.containers.volumeMounts");
        items(pod, "volumeMounts").setRequired(List.of("name", "mountPath"));
        property(items(pod, "volumeMounts"), "mountPath").setMaxLength(1024L);
        mounts.setXKubernetesListType("map");
        mounts.setXKubernetesListMapKeys(List.of("mountPath"));
        for (String field : List.of("securityContext", "containerSecurityContext")) {
            property(pod, field).getProperties().remove("windowsOptions");
            boolean ofThePod = field.equals("securityContext");
            describe(property(pod, field), "pod.spec." + (ofThePod ? "" : "containers.") + "securityContext");
        }
        describe(property(pod, "dnsConfig"), "pod.spec.dnsConfig");
        oneOf(pod, "dnsPolicy", "ClusterFirst", "Default", "None");
    }

    private static void named(JSONSchemaProps list, String path) {
        list.setXKubernetesListType("map");
        list.setXKubernetesListMapKeys(List.of("name"));
        list.getItems()
                .setSchema(new JSONSchemaPropsBuilder()
                        .withType("object")
                        .withXKubernetesPreserveUnknownFields(true)
                        .withDescription("See: kubectl explain " + path)
                        .withRequired("name")
                        .addToProperties(
                                "name",
                                new JSONSchemaPropsBuilder()
                                        .withType("string")
                                        .withDescription("See: kubectl explain " + path + ".name")
                                        .withMinLength(1L)
                                        .withMaxLength(63L)
                                        .build())
                        .build());
    }

    /** Who may connect, as in a rule of a NetworkPolicy. */
    static void peers(JSONSchemaProps policy, String field) {
        describe(property(policy, field), "networkpolicy.spec.ingress.from");
        JSONSchemaProps peer = items(policy, field);
        ValidationRule rule = new ValidationRule();
        rule.setRule("has(self.ipBlock) != (has(self.podSelector) || has(self.namespaceSelector))");
        rule.setMessage("name either an ipBlock, or a podSelector, a namespaceSelector or both");
        peer.setXKubernetesValidations(List.of(rule));
        property(peer, "ipBlock").setRequired(List.of("cidr"));
    }

    private static JSONSchemaProps items(JSONSchemaProps of, String field) {
        return property(of, field).getItems().getSchema();
    }

    /** Makes the descriptions of the fields of a type refer to the descriptions of Kubernetes. */
    private static void describe(JSONSchemaProps schema, String path) {
        JSONSchemaProps of = schema.getItems() != null ? schema.getItems().getSchema() : schema;
        if (of.getProperties() == null) {
            return;
        }
        of.getProperties().forEach((name, child) -> {
            child.setDescription("See: kubectl explain " + path + "." + name);
            describe(child, path + "." + name);
        });
    }
}
