package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** A user of the doors of a cluster. */
@Group(Granary.GROUP)
@Version(Granary.VERSION)
@Plural("granaryusers")
@ShortNames("granuser")
@Categories(Granary.CATEGORY)
@JsonInclude(JsonInclude.Include.NON_NULL)
@SchemaCustomizer(UserSchemaTouches.class)
@AdditionalPrinterColumn(name = "User", jsonPath = ".status.user", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Granary",
        jsonPath = ".spec.granaryRef.name",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Reason",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Rules",
        jsonPath = ".spec.rules",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Message",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].message",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public class GranaryUser extends CustomResource<GranaryUserSpec, UserStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    /** Returns no spec: the user writes it, and it may be missing. */
    @Override
    protected @Nullable GranaryUserSpec initSpec() {
        return null;
    }

    /** Returns no status: only the operator writes it. */
    @Override
    protected @Nullable UserStatus initStatus() {
        return null;
    }

    /** Returns the name at the door. */
    public String userName() {
        return getSpec() == null || getSpec().user() == null
                ? getMetadata().getName()
                : getSpec().user();
    }
}
