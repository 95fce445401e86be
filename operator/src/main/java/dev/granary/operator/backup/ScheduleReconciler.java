package dev.granary.operator.backup;

import dev.granary.operator.api.backup.GranaryBackupSchedule;
import dev.granary.operator.api.backup.ScheduleStatus;
import dev.granary.operator.plan.Names;
import dev.granary.operator.reconcile.Applier;
import dev.granary.operator.reconcile.NameTakenException;
import dev.granary.operator.reconcile.StatusPatch;
import dev.granary.operator.status.ConditionChange;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobStatus;
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
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a CronJob for each GranaryBackupSchedule. Kubernetes keeps the time, so backups go on when the operator is
 * away.
 */
@ControllerConfiguration(name = "granarybackupschedule", fieldManager = Names.FIELD_MANAGER)
public final class ScheduleReconciler implements Reconciler<GranaryBackupSchedule> {
    private static final String READY = "Ready";

    /** Why a schedule is not ready that is not to begin backups. */
    static final String SUSPENDED = "Suspended";

    /** Reasons for no backups that need no event: a person has asked for them, or they pass. */
    private static final Set<String> EXPECTED = Set.of(SUSPENDED, "ClusterNotReady");

    private final KubernetesClient client;
    private final Transfers transfers;
    private final Applier applier;
    private final BackupMetrics metrics;
    private final Duration pace;

    /**
     * Makes a reconciler.
     *
     * @param pace the time between two looks at the cluster, whose image the CronJob has
     */
    public ScheduleReconciler(KubernetesClient client, BackupMetrics metrics, InstantSource clock, Duration pace) {
        this.client = client;
        this.transfers = new Transfers(client, address -> null, clock);
        this.applier = new Applier(client);
        this.metrics = metrics;
        this.pace = pace;
    }

    @Override
    public List<EventSource<?, GranaryBackupSchedule>> prepareEventSources(
            EventSourceContext<GranaryBackupSchedule> context) {
        metrics.watch("GranaryBackupSchedule", () -> context.getPrimaryCache()
                .list()
                .map(schedule -> new BackupMetrics.Seen(
                        schedule,
                        schedule.getStatus() == null
                                ? null
                                : schedule.getStatus().conditions(),
                        lastBackup(schedule))));
        return List.of(Watches.of(CronJob.class, GranaryBackupSchedule.class, context));
    }

    private static BackupMetrics.@Nullable LastBackup lastBackup(GranaryBackupSchedule schedule) {
        String finished =
                schedule.getStatus() == null ? null : schedule.getStatus().lastSuccessfulTime();
        return finished == null || schedule.getSpec() == null
                ? null
                : new BackupMetrics.LastBackup(schedule.getSpec().granaryRef().name(), finished);
    }

    @Override
    public UpdateControl<GranaryBackupSchedule> reconcile(
            GranaryBackupSchedule cached, Context<GranaryBackupSchedule> context) {
        return metrics.count(cached, () -> {
            GranaryBackupSchedule schedule = client.resource(cached).get();
            if (schedule == null || schedule.getSpec() == null) {
                return UpdateControl.noUpdate();
            }
            ScheduleStatus next =
                    next(schedule, context.getSecondaryResource(CronJob.class).orElse(null));
            tell(schedule, next);
            UpdateControl<GranaryBackupSchedule> control = next.equals(schedule.getStatus())
                    ? UpdateControl.noUpdate()
                    : UpdateControl.patchStatus(StatusPatch.of(new GranaryBackupSchedule(), schedule, next));
            return control.rescheduleAfter(pace);
        });
    }

    @Override
    public ErrorStatusUpdateControl<GranaryBackupSchedule> updateErrorStatus(
            GranaryBackupSchedule cached, Context<GranaryBackupSchedule> context, Exception error) {
        return transfers.tellError(cached, context, error, (schedule, trouble) -> {
            ScheduleStatus next = status(schedule, null, "False", trouble.reason(), trouble.message());
            tell(schedule, next);
            return StatusPatch.of(new GranaryBackupSchedule(), schedule, next);
        });
    }

    /** Writes an event when no backups are made, unless that is as asked. */
    private void tell(GranaryBackupSchedule schedule, ScheduleStatus next) {
        Condition now = Objects.requireNonNull(ready(next));
        Condition old = ready(schedule.getStatus());
        boolean news = old == null || !now.getReason().equals(old.getReason());
        if (news && now.getStatus().equals("False") && !EXPECTED.contains(now.getReason())) {
            transfers.warn(schedule, now.getReason(), now.getMessage());
        }
    }

    /** Returns the next status, and brings the CronJob up to date unless the watch shows it so already. */
    private ScheduleStatus next(GranaryBackupSchedule schedule, @Nullable CronJob watched) {
        String namespace = schedule.getMetadata().getNamespace();
        Transfers.Target found =
                transfers.target(namespace, schedule.getSpec().granaryRef().name());
        if (found.target() == null && watched == null) {
            return status(schedule, null, "False", found.reason(), found.message());
        }
        if (found.target() != null) {
            try {
                applier.apply(TransferJobs.schedule(schedule, found.target(), schedule.getSpec()), watched);
            } catch (NameTakenException _) {
                return status(
                        schedule,
                        null,
                        "False",
                        "NameTaken",
                        "CronJob " + name(schedule) + " exists already and does not belong to this resource: take"
                                + " another name");
            }
        }
        CronJobStatus seen = watched == null ? null : watched.getStatus();
        if (Boolean.TRUE.equals(schedule.getSpec().suspend())) {
            return status(schedule, seen, "False", SUSPENDED, "spec.suspend says that no backups begin");
        }
        boolean running =
                seen != null && seen.getActive() != null && !seen.getActive().isEmpty();
        boolean failed = seen != null
                && !running
                && seen.getLastScheduleTime() != null
                && (seen.getLastSuccessfulTime() == null
                        || seen.getLastSuccessfulTime().compareTo(seen.getLastScheduleTime()) < 0);
        if (failed && seen != null) {
            return status(
                    schedule,
                    seen,
                    "False",
                    "LastBackupFailed",
                    "the backup of " + seen.getLastScheduleTime() + " was not finished: look at the Jobs of CronJob "
                            + name(schedule));
        }
        return status(
                schedule,
                seen,
                "True",
                running ? "Running" : "Scheduled",
                "backups are made by CronJob " + name(schedule));
    }

    private static String name(GranaryBackupSchedule schedule) {
        return schedule.getMetadata().getName() + TransferJobs.SCHEDULE_SUFFIX;
    }

    private static @Nullable Condition ready(@Nullable ScheduleStatus status) {
        return status == null ? null : ConditionChange.find(status.conditions(), READY);
    }

    private ScheduleStatus status(
            GranaryBackupSchedule schedule, @Nullable CronJobStatus seen, String ready, String reason, String message) {
        ScheduleStatus before = schedule.getStatus();
        Condition old = ready(before);
        long generation = schedule.getMetadata().getGeneration();
        return new ScheduleStatus(
                generation,
                List.of(ConditionChange.of(old, generation, transfers.now(), READY, ready, reason, message)),
                seen != null ? seen.getLastScheduleTime() : before != null ? before.lastScheduleTime() : null,
                seen != null ? seen.getLastSuccessfulTime() : before != null ? before.lastSuccessfulTime() : null);
    }
}
