package dev.granary.operator.backup;

import dev.granary.operator.api.backup.BackupPlace;
import dev.granary.operator.api.backup.GranaryBackup;
import dev.granary.operator.api.backup.GranaryRestore;
import dev.granary.operator.api.backup.GranaryRestoreSpec;
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
import org.jspecify.annotations.Nullable;

/** Restores a cluster backup for each GranaryRestore. The cluster itself checks that it is empty (ADR 0140). */
@ControllerConfiguration(name = "granaryrestore", fieldManager = Names.FIELD_MANAGER)
public final class RestoreReconciler implements Reconciler<GranaryRestore> {
    private final KubernetesClient client;
    private final Transfers transfers;
    private final BackupMetrics metrics;
    private final Duration pace;

    /**
     * Makes a reconciler.
     *
     * @param pace the time between two looks at the progress of a running restore
     */
    public RestoreReconciler(
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
    public List<EventSource<?, GranaryRestore>> prepareEventSources(EventSourceContext<GranaryRestore> context) {
        metrics.watch("GranaryRestore", () -> context.getPrimaryCache()
                .list()
                .map(restore -> new BackupMetrics.Seen(
                        restore,
                        restore.getStatus() == null ? null : restore.getStatus().conditions(),
                        null)));
        return List.of(Watches.of(Job.class, GranaryRestore.class, context));
    }

    @Override
    public UpdateControl<GranaryRestore> reconcile(GranaryRestore cached, Context<GranaryRestore> context) {
        return metrics.count(cached, () -> {
            GranaryRestore restore = client.resource(cached).get();
            if (restore == null || restore.getSpec() == null || TransferStatuses.isOver(restore.getStatus())) {
                return UpdateControl.noUpdate();
            }
            TransferStatus next = next(
                    restore,
                    restore.getSpec(),
                    context.getSecondaryResource(Job.class).orElse(null));
            return transfers.written(restore, next, new GranaryRestore(), pace);
        });
    }

    @Override
    public ErrorStatusUpdateControl<GranaryRestore> updateErrorStatus(
            GranaryRestore cached, Context<GranaryRestore> context, Exception error) {
        return transfers.tellError(cached, context, error, GranaryRestore::new);
    }

    private TransferStatus next(GranaryRestore restore, GranaryRestoreSpec spec, @Nullable Job watched) {
        TransferStatus before = restore.getStatus();
        long generation = restore.getMetadata().getGeneration();
        BackupPlace place = spec.source();
        String id = spec.id();
        if (spec.backupRef() != null) {
            GranaryBackup backup = client.resources(GranaryBackup.class)
                    .inNamespace(restore.getMetadata().getNamespace())
                    .withName(spec.backupRef().name())
                    .get();
            if (backup == null) {
                return TransferStatuses.waiting(
                        before,
                        generation,
                        transfers.now(),
                        "NoSuchBackup",
                        "there is no GranaryBackup " + spec.backupRef().name() + " in this namespace");
            }
            TransferStatus problem = problemOf(restore, backup);
            if (problem != null) {
                return problem;
            }
            place = backup.getSpec().destination();
            id = backup.getMetadata().getName();
        }
        if (place == null) {
            return TransferStatuses.failed(
                    before, generation, transfers.now(), "InvalidSpec", "neither backupRef nor source is named");
        }
        BackupPlace from = place;
        String wanted = id;
        return transfers.next(
                restore,
                before,
                spec.granaryRef().name(),
                new Transfers.Work(
                        restore.getMetadata().getName() + "-restore",
                        watched,
                        target -> TransferJobs.restore(restore, target, from, wanted, spec.job())));
    }

    private @Nullable TransferStatus problemOf(GranaryRestore restore, GranaryBackup backup) {
        TransferStatus before = restore.getStatus();
        long generation = restore.getMetadata().getGeneration();
        String name = backup.getMetadata().getName();
        if (TransferStatuses.isTrue(backup.getStatus(), TransferStatuses.FAILED)) {
            return TransferStatuses.failed(
                    before,
                    generation,
                    transfers.now(),
                    "BackupFailed",
                    "GranaryBackup " + name + " has failed: there is nothing to restore");
        }
        return TransferStatuses.isTrue(backup.getStatus(), TransferStatuses.COMPLETE)
                ? null
                : TransferStatuses.waiting(
                        before,
                        generation,
                        transfers.now(),
                        "BackupNotComplete",
                        "GranaryBackup " + name + " is not complete; the restore waits for it");
    }
}
