package dev.granary.operator.api.backup;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.granary.operator.api.Granary;
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

/** A schedule of cluster backups. */
@Group(Granary.GROUP)
@Version(Granary.VERSION)
@Plural("granarybackupschedules")
@ShortNames("gransched")
@Categories(Granary.CATEGORY)
@JsonInclude(JsonInclude.Include.NON_NULL)
@SchemaCustomizer(BackupSchemaTouches.class)
@ValidationRule(
        value = "self.metadata.name.size() <= 40 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
        message = "metadata.name must start with a letter, have only lower-case letters, digits and '-', and at most 40"
                + " characters, because Jobs and backups are named after it")
@AdditionalPrinterColumn(
        name = "Granary",
        jsonPath = ".spec.granaryRef.name",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Schedule", jsonPath = ".spec.schedule", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Last",
        jsonPath = ".status.lastSuccessfulTime",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public class GranaryBackupSchedule extends CustomResource<GranaryBackupScheduleSpec, ScheduleStatus>
        implements Namespaced {
    private static final long serialVersionUID = 1L;

    /** Returns no spec: the user writes it, and it may be missing. */
    @Override
    protected @Nullable GranaryBackupScheduleSpec initSpec() {
        return null;
    }

    /** Returns no status: only the operator writes it. */
    @Override
    protected @Nullable ScheduleStatus initStatus() {
        return null;
    }
}
