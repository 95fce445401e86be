package dev.granary.operator.backup;

import dev.granary.operator.api.backup.GranaryBackup;
import dev.granary.operator.api.backup.GranaryBackupSpec;
import dev.granary.operator.api.backup.TransferStatus;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** Makes a cluster backup for each GranaryBackup. */
@ControllerConfiguration(name = "granarybackup", fieldManager = Names.FIELD_MANAGER)
public final class BackupReconciler implements Reconciler<GranaryBackup> {
    private final KubernetesClient client;
    private final Transfers transfers;
    private final BackupMetrics metrics;
    private final Duration pace;

    /**
     * Makes a reconciler.
     *
     * @param pace the time between two looks at the progress of a running backup
     */
    public BackupReconciler(
            KubernetesClient client,
            ProgressReader progress,
            BackupMetrics metrics,
            InstantSource clock,
            Duration pace) {
        this.client = client;
        this.transfers = new Transfers(client, progress, clock);
        this.metrics = metrics;
        this.pace = pace;
    }

    @Override
    public List<EventSource<?, GranaryBackup>> prepareEventSources(EventSourceContext<GranaryBackup> context) {
        metrics.watch("GranaryBackup", () -> context.getPrimaryCache()
                .list()
                .map(backup -> new BackupMetrics.Seen(
                        backup,
                        backup.getStatus() == null ? null : backup.getStatus().conditions(),
                        null)));
        return List.of(Watches.of(Job.class, GranaryBackup.class, context));
    }

    @Override
    public UpdateControl<GranaryBackup> reconcile(GranaryBackup cached, Context<GranaryBackup> context) {
        return metrics.count(cached, () -> {
            GranaryBackup backup = client.resource(cached).get();
            if (backup == null || backup.getSpec() == null || TransferStatuses.isOver(backup.getStatus())) {
                return UpdateControl.noUpdate();
            }
            GranaryBackupSpec spec = backup.getSpec();
            TransferStatus next = transfers.next(
                    backup,
                    backup.getStatus(),
                    spec.granaryRef().name(),
                    new Transfers.Work(
                            backup.getMetadata().getName() + "-backup",
                            context.getSecondaryResource(Job.class).orElse(null),
                            target -> TransferJobs.backup(backup, target, spec.destination(), spec.job())));
            return transfers.written(backup, next, new GranaryBackup(), pace);
        });
    }

    @Override
    public ErrorStatusUpdateControl<GranaryBackup> updateErrorStatus(
            GranaryBackup cached, Context<GranaryBackup> context, Exception error) {
        return transfers.tellError(cached, context, error, GranaryBackup::new);
    }
}
