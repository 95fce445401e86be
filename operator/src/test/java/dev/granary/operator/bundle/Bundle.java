package dev.granary.operator.bundle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes the files of the bundle for the Operator Lifecycle Manager. Their content comes from the chart and from
 * {@code crds/}: rights, the operator's pod, names of the kinds, examples.
 */
final class Bundle {
    private static final String PACKAGE = "granary-operator";
    private static final String CHANNEL = "alpha";
    private static final String SUGGESTED_NAMESPACE = "granary-system";
    private static final String NOTE = "# Generated from the chart and crds/ by a test of operator; never edited.\n";
    private static final String DESCRIPTION = """
            Granary is a cloud cache for billions of tiny objects of 16 to 128 bytes. It keeps them as chunks outside the Java heap with a few \
            bytes of bookkeeping each, and has copies of every chunk in the logs of other storage peers.

            A resource `Granary` is a cluster of super-peers and storage peers. The operator makes its pods, adds and removes some, updates them \
            one by one and drains them first, grows volumes, puts whole clusters to sleep, and backs them up and restores them with `GranaryBackup`, \
            `GranaryBackupSchedule` and `GranaryRestore`. A `GranaryUser` is a user of its doors for Redis clients.
            """;

    /** Labels that Helm writes and that would be wrong without Helm. */
    private static final List<String> LABELS_OF_HELM = List.of("helm.sh/chart", "app.kubernetes.io/managed-by");

    /** Kinds outside of namespaces that the operator reads. The Lifecycle Manager grants rights to them separately. */
    private static final List<String> CLUSTER_SCOPED = List.of("nodes");

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ObjectMapper WRITER = new YAMLMapper(YAMLMapper.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER, YAMLGenerator.Feature.SPLIT_LINES)
            .enable(
                    YAMLGenerator.Feature.MINIMIZE_QUOTES,
                    YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS,
                    YAMLGenerator.Feature.LITERAL_BLOCK_STYLE)
            .build()
            .getFactory());

    private final Sources sources;

    Bundle(Sources sources) {
        this.sources = sources;
    }

    /** The files by their path in the bundle. */
    Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        files.put("manifests/" + PACKAGE + ".clusterserviceversion.yaml", NOTE + WRITER.writeValueAsString(version()));
        files.put("manifests/" + PACKAGE + ".service.yaml", NOTE + WRITER.writeValueAsString(service()));
        for (Path crd : sources.crds()) {
            // The bundle's loader takes the first document of a file, and counts a comment before "---" as a document.
            String text = Files.readString(crd);
            files.put("manifests/" + crd.getFileName(), NOTE + text.substring(text.indexOf("---\n") + 4));
        }
        Map<String, String> labels = labels();
        files.put("metadata/annotations.yaml", NOTE + WRITER.writeValueAsString(Map.of("annotations", labels)));
        StringBuilder dockerfile = new StringBuilder(NOTE).append("FROM scratch\n");
        labels.forEach((name, value) -> dockerfile
                .append("LABEL ")
                .append(name)
                .append('=')
                .append(value)
                .append('\n'));
        files.put(
                "bundle.Dockerfile",
                dockerfile
                        .append("COPY manifests /manifests/\nCOPY metadata /metadata/\n")
                        .toString());
        return files;
    }

    private static Map<String, String> labels() {
        String prefix = "operators.operatorframework.io.bundle.";
        return new TreeMap<>(Map.of(
                prefix + "mediatype.v1",
                "registry+v1",
                prefix + "manifests.v1",
                "manifests/",
                prefix + "metadata.v1",
                "metadata/",
                prefix + "package.v1",
                PACKAGE,
                prefix + "channels.v1",
                CHANNEL,
                prefix + "channel.default.v1",
                CHANNEL));
    }

    /** The ClusterServiceVersion. */
    ObjectNode version() throws IOException {
        ObjectNode root = NODES.objectNode();
        root.put("apiVersion", "operators.coreos.com/v1alpha1").put("kind", "ClusterServiceVersion");
        ObjectNode metadata = root.putObject("metadata");
        metadata.put("name", PACKAGE + ".v" + sources.text("version"));
        JsonNode operator = container();
        metadata.putObject("annotations")
                .put(
                        "alm-examples",
                        new ObjectMapper()
                                .writerWithDefaultPrettyPrinter()
                                .writeValueAsString(sources.annotation("artifacthub.io/crdsExamples")))
                .put("capabilities", sources.text("annotations", "artifacthub.io/operatorCapabilities"))
                .put("categories", upperFirst(sources.text("annotations", "artifacthub.io/category")))
                .put("containerImage", operator.path("image").asText())
                .put("description", sources.text("description"))
                .put("operatorframework.io/suggested-namespace", SUGGESTED_NAMESPACE);
        ObjectNode spec = root.putObject("spec");
        spec.put("displayName", upperFirst(sources.text("name")))
                .put("description", DESCRIPTION)
                .put("version", sources.text("version"))
                .put("maturity", CHANNEL)
                .put("minKubeVersion", minKubeVersion());
        Matcher icon = Pattern.compile("data:(.+);base64,(.+)").matcher(sources.text("icon"));
        if (!icon.matches()) {
            throw new IllegalStateException("Chart.yaml: icon is no data URI in base64");
        }
        spec.putArray("icon").addObject().put("base64data", icon.group(2)).put("mediatype", icon.group(1));
        spec.putObject("provider")
                .put("name", sources.chart().at("/maintainers/0/name").asText());
        spec.set("keywords", sources.chart().path("keywords"));
        ArrayNode modes = spec.putArray("installModes");
        for (String mode : List.of("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")) {
            modes.addObject().put("type", mode).put("supported", true);
        }
        spec.set("install", install());
        spec.putObject("customresourcedefinitions")
                .set("owned", sources.annotation("artifacthub.io/crds").deepCopy());
        ArrayNode images = spec.putArray("relatedImages");
        images.addObject()
                .put("name", PACKAGE)
                .put("image", operator.path("image").asText());
        images.addObject()
                .put("name", "granary")
                .put(
                        "image",
                        environment(operator, "GRANARY_IMAGE").path("value").asText());
        return root;
    }

    private ObjectNode install() {
        ObjectNode install = NODES.objectNode();
        install.put("strategy", "deployment");
        ObjectNode spec = install.putObject("spec");
        ObjectNode deployment = sources.object("Deployment", "");
        ObjectNode pods = (ObjectNode) deployment.at("/spec/template");
        dropLabelsOfHelm(pods);
        // OpenShift assigns users from a range of the namespace; elsewhere the image's own user counts.
        ((ObjectNode) pods.at("/spec/securityContext")).remove(List.of("runAsUser", "runAsGroup"));
        // The Lifecycle Manager writes the namespaces to watch into this annotation; empty means all.
        ((ArrayNode) pods.at("/spec/containers/0/env"))
                .addObject()
                .put("name", "GRANARY_OPERATOR_NAMESPACES")
                .putObject("valueFrom")
                .putObject("fieldRef")
                .put("fieldPath", "metadata.annotations['olm.targetNamespaces']");
        ObjectNode only = spec.putArray("deployments").addObject();
        only.set("name", deployment.at("/metadata/name"));
        dropLabelsOfHelm(deployment);
        only.set("label", deployment.at("/metadata/labels"));
        only.set("spec", deployment.path("spec"));
        JsonNode account = pods.at("/spec/serviceAccountName");
        ArrayNode everywhere = NODES.arrayNode();
        ArrayNode inNamespaces = NODES.arrayNode();
        for (JsonNode rule : sources.object("ClusterRole", "-operator").path("rules")) {
            (isOfTheCluster(rule) ? everywhere : inNamespaces).add(rule);
        }
        sources.object("Role", "-leader").path("rules").forEach(inNamespaces::add);
        permissions(spec.putArray("permissions"), account, inNamespaces);
        permissions(spec.putArray("clusterPermissions"), account, everywhere);
        return install;
    }

    private static void permissions(ArrayNode permissions, JsonNode account, ArrayNode rules) {
        ObjectNode only = permissions.addObject();
        only.set("serviceAccountName", account);
        only.set("rules", rules);
    }

    private static boolean isOfTheCluster(JsonNode rule) {
        return rule.path("resources").valueStream().allMatch(resource -> CLUSTER_SCOPED.contains(resource.asText()));
    }

    private ObjectNode service() {
        ObjectNode service = sources.object("Service", "");
        ((ObjectNode) service.path("metadata")).remove("namespace");
        dropLabelsOfHelm(service);
        return service;
    }

    private JsonNode container() {
        return sources.object("Deployment", "").at("/spec/template/spec/containers/0");
    }

    private static JsonNode environment(JsonNode container, String name) {
        return container
                .path("env")
                .valueStream()
                .filter(variable -> variable.path("name").asText().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the operator's container has no " + name));
    }

    private String minKubeVersion() {
        Matcher version = Pattern.compile(">=([0-9]+\\.[0-9]+\\.[0-9]+)-0").matcher(sources.text("kubeVersion"));
        if (!version.matches()) {
            throw new IllegalStateException("Chart.yaml: kubeVersion is not >=X.Y.Z-0");
        }
        return version.group(1);
    }

    private static void dropLabelsOfHelm(JsonNode object) {
        ((ObjectNode) object.at("/metadata/labels")).remove(LABELS_OF_HELM);
    }

    private static String upperFirst(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
