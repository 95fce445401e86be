package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** A cluster of super-peers and storage peers: the wish of its user and the view of the operator. */
@Group(Granary.GROUP)
@Version(Granary.VERSION)
@Plural("granaries")
@ShortNames("gran")
@Categories(Granary.CATEGORY)
@JsonInclude(JsonInclude.Include.NON_NULL)
@SchemaCustomizer(SchemaTouches.class)
@ValidationRule(
        value = "self.metadata.name.size() <= 40 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
        message = "metadata.name must start with a letter, have only lower-case letters, digits and '-', and at most 40"
                + " characters, because Services and pods are named after it")
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Replicated",
        jsonPath = ".status.conditions[?(@.type==\"Replicated\")].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Degraded",
        jsonPath = ".status.conditions[?(@.type==\"Degraded\")].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Peers", jsonPath = ".status.summary.peers", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Super-peers",
        jsonPath = ".status.summary.superPeers",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Chunks",
        jsonPath = ".status.chunks.count",
        type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
        name = "Memory used",
        jsonPath = ".status.summary.memory",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Reason",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Message",
        jsonPath = ".status.summary.message",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Redis",
        jsonPath = ".status.endpoints.redis",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Version",
        jsonPath = ".status.version",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Cluster id",
        jsonPath = ".status.clusterId",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public class Granary extends CustomResource<GranarySpec, GranaryStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    /** The API group. */
    public static final String GROUP = "granary.dev";

    /** The version of the API. */
    public static final String VERSION = "v1alpha1";

    /** The category of all our resources, for {@code kubectl get granary-all}. */
    public static final String CATEGORY = "granary-all";

    /** Returns no spec: the user writes it, and it may be missing. */
    @Override
    protected @Nullable GranarySpec initSpec() {
        return null;
    }

    /** Returns no status: only the operator writes it. */
    @Override
    protected @Nullable GranaryStatus initStatus() {
        return null;
    }
}
