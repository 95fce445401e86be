package dev.granary.operator.backup;

import dev.granary.operator.api.GranaryBackupSchedule;
import dev.granary.operator.api.ScheduleStatus;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a CronJob for each GranaryBackupSchedule. Kubernetes keeps the time, so backups go on when the operator is
 * away.
 */
@ControllerConfiguration(name = "granarybackupschedule", fieldManager = Names.FIELD_MANAGER)
public final class ScheduleReconciler implements Reconciler<GranaryBackupSchedule> {
    private static final String READY = "Ready";

    private final KubernetesClient client;
    private final Transfers transfers;
    private final Duration pace;

    /**
     * Makes a reconciler.
     *
     * @param pace the time between two looks at the backups and at the image of the cluster
     */
    public ScheduleReconciler(KubernetesClient client, InstantSource clock, Duration pace) {
        this.client = client;
        this.transfers = new Transfers(client, address -> null, clock);
        this.pace = pace;
    }

    @Override
    public UpdateControl<GranaryBackupSchedule> reconcile(
            GranaryBackupSchedule cached, Context<GranaryBackupSchedule> context) {
        GranaryBackupSchedule schedule = client.resource(cached).get();
        if (schedule == null || schedule.getSpec() == null) {
            return UpdateControl.noUpdate();
        }
        ScheduleStatus next = next(schedule);
        UpdateControl<GranaryBackupSchedule> control = next.equals(schedule.getStatus())
                ? UpdateControl.noUpdate()
                : UpdateControl.patchStatus(withStatus(schedule, next));
        return control.rescheduleAfter(pace);
    }

    private ScheduleStatus next(GranaryBackupSchedule schedule) {
        String namespace = schedule.getMetadata().getNamespace();
        Transfers.Target found =
                transfers.target(namespace, schedule.getSpec().granaryRef().name());
        CronJob existing = client.batch()
                .v1()
                .cronjobs()
                .inNamespace(namespace)
                .withName(schedule.getMetadata().getName() + "-backups")
                .get();
        if (found.target() == null && existing == null) {
            return status(schedule, null, "False", found.reason(), found.message());
        }
        if (existing != null
                && existing.getMetadata().getOwnerReferences().stream()
                        .noneMatch(owner -> schedule.getMetadata().getUid().equals(owner.getUid()))) {
            return status(
                    schedule,
                    null,
                    "False",
                    "NameTaken",
                    "CronJob " + existing.getMetadata().getName() + " exists already and does not belong to this"
                            + " resource: take another name");
        }
        CronJob kept = existing;
        if (found.target() != null) {
            kept = client.resource(TransferJobs.schedule(schedule, found.target(), schedule.getSpec()))
                    .fieldManager(Names.FIELD_MANAGER)
                    .forceConflicts()
                    .serverSideApply();
        }
        CronJobStatus seen = Objects.requireNonNull(kept).getStatus();
        if (Boolean.TRUE.equals(schedule.getSpec().suspend())) {
            return status(schedule, seen, "False", "Suspended", "spec.suspend says that no backups begin");
        }
        boolean running =
                seen != null && seen.getActive() != null && !seen.getActive().isEmpty();
        boolean failed = seen != null
                && !running
                && seen.getLastScheduleTime() != null
                && (seen.getLastSuccessfulTime() == null
                        || seen.getLastSuccessfulTime().compareTo(seen.getLastScheduleTime()) < 0);
        if (failed) {
            return status(
                    schedule,
                    seen,
                    "False",
                    "LastBackupFailed",
                    "the backup of " + seen.getLastScheduleTime() + " was not finished: look at the Jobs of CronJob "
                            + kept.getMetadata().getName());
        }
        return status(
                schedule,
                seen,
                "True",
                running ? "Running" : "Scheduled",
                "backups are made by CronJob " + kept.getMetadata().getName());
    }

    private ScheduleStatus status(
            GranaryBackupSchedule schedule, @Nullable CronJobStatus seen, String ready, String reason, String message) {
        ScheduleStatus before = schedule.getStatus();
        Condition old = before == null || before.conditions() == null
                ? null
                : before.conditions().stream()
                        .filter(each -> READY.equals(each.getType()))
                        .findFirst()
                        .orElse(null);
        long generation = schedule.getMetadata().getGeneration();
        return new ScheduleStatus(
                generation,
                List.of(TransferStatuses.condition(old, generation, transfers.now(), READY, ready, reason, message)),
                seen == null ? null : seen.getLastScheduleTime(),
                seen == null ? null : seen.getLastSuccessfulTime());
    }

    private static GranaryBackupSchedule withStatus(GranaryBackupSchedule schedule, ScheduleStatus status) {
        GranaryBackupSchedule patch = new GranaryBackupSchedule();
        patch.setMetadata(new ObjectMetaBuilder()
                .withName(schedule.getMetadata().getName())
                .withNamespace(schedule.getMetadata().getNamespace())
                .build());
        patch.setStatus(status);
        return patch;
    }
}
