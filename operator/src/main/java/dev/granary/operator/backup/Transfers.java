package dev.granary.operator.backup;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.backup.TransferStatus;
import dev.granary.operator.api.backup.TransferStatus.Progress;
import dev.granary.operator.plan.Names;
import dev.granary.operator.reconcile.EventWriter;
import dev.granary.operator.reconcile.StatusPatch;
import dev.granary.operator.status.Happening;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The common part of cluster backups and restores. Each has one Job. The operator makes it once, when the cluster is
 * ready, and watches it until it has ended. The status of ended work never changes again. Thread-safe.
 */
final class Transfers {
    private static final Logger LOG = LoggerFactory.getLogger(Transfers.class);

    private final KubernetesClient client;
    private final ProgressReader progress;
    private final EventWriter events;
    private final InstantSource clock;

    Transfers(KubernetesClient client, ProgressReader progress, InstantSource clock) {
        this.client = client;
        this.progress = progress;
        this.clock = clock;
        this.events = new EventWriter(client, clock);
    }

    /**
     * The Job of a resource.
     *
     * @param watched the Job as the watch last showed it, {@code null} when it showed none
     * @param make makes the Job
     */
    record Work(String job, @Nullable Job watched, Function<TransferTarget, Job> make) {}

    /** Returns the next status. Makes the Job when there was none and the cluster is ready. */
    TransferStatus next(HasMetadata resource, @Nullable TransferStatus before, String cluster, Work work) {
        String namespace = resource.getMetadata().getNamespace();
        long generation = resource.getMetadata().getGeneration();
        Instant now = clock.instant();
        String jobName = work.job();
        Job job = work.watched() != null
                ? work.watched()
                : client.batch()
                        .v1()
                        .jobs()
                        .inNamespace(namespace)
                        .withName(jobName)
                        .get();
        if (job == null && before != null && before.job() != null) {
            return TransferStatuses.failed(
                    before,
                    generation,
                    now,
                    "JobGone",
                    "Job " + jobName + " was deleted before its end was seen: whether the work was done is not known."
                            + " Look into the place of the backup, or make another resource");
        }
        if (job == null) {
            Target found = target(namespace, cluster);
            if (found.target() == null) {
                return TransferStatuses.waiting(before, generation, now, found.reason(), found.message());
            }
            job = client.resource(work.make().apply(found.target())).create();
            events.write(resource, new Happening(false, "Started", "made Job " + jobName));
        } else if (job.getMetadata().getOwnerReferences().stream()
                .noneMatch(owner -> resource.getMetadata().getUid().equals(owner.getUid()))) {
            return TransferStatuses.failed(
                    before,
                    generation,
                    now,
                    "NameTaken",
                    "Job " + jobName + " exists already and does not belong to this resource: take another name");
        }
        List<Pod> pods = client.pods()
                .inNamespace(namespace)
                .withLabel("job-name", jobName)
                .list()
                .getItems();
        JobView view = JobView.of(job, pods);
        Progress far = view.address() == null ? null : progress.ask(view.address());
        return TransferStatuses.of(before, generation, now, jobName, view, far);
    }

    /**
     * A cluster to work on, or the reason why there is none yet.
     *
     * @param target {@code null} when there is none yet
     */
    record Target(@Nullable TransferTarget target, String reason, String message) {}

    Target target(String namespace, String cluster) {
        Granary granary = client.resources(Granary.class)
                .inNamespace(namespace)
                .withName(cluster)
                .get();
        if (granary == null) {
            return new Target(null, "NoSuchGranary", "there is no Granary " + cluster + " in this namespace");
        }
        StatefulSet superPeers = client.apps()
                .statefulSets()
                .inNamespace(namespace)
                .withName(Names.role(cluster, Names.SUPER_PEER))
                .get();
        boolean ready = granary.getStatus() != null
                && granary.getStatus().conditions() != null
                && granary.getStatus().conditions().stream()
                        .anyMatch(each -> "Ready".equals(each.getType()) && "True".equals(each.getStatus()));
        return superPeers == null || !ready
                ? new Target(null, "ClusterNotReady", "Granary " + cluster + " is not ready; the work waits for it")
                : new Target(TransferTarget.of(granary, superPeers), "", "");
    }

    /**
     * Tells how a transfer stands, in the status and by an event, and when it is looked at again.
     *
     * @param patch a new resource
     * @param pace the time between two looks while it is not over
     */
    <R extends CustomResource<?, TransferStatus>> UpdateControl<R> written(
            R resource, TransferStatus now, R patch, Duration pace) {
        tell(resource, resource.getStatus(), now);
        UpdateControl<R> control = now.equals(resource.getStatus())
                ? UpdateControl.noUpdate()
                : UpdateControl.patchStatus(StatusPatch.of(patch, resource, now));
        return TransferStatuses.isOver(now) ? control : control.rescheduleAfter(pace);
    }

    /** Writes an event about what has changed. */
    private void tell(HasMetadata resource, @Nullable TransferStatus before, TransferStatus now) {
        Condition old = TransferStatuses.find(before, TransferStatuses.COMPLETE);
        Condition next = Objects.requireNonNull(TransferStatuses.find(now, TransferStatuses.COMPLETE));
        if (old == null || !next.getReason().equals(old.getReason())) {
            boolean warning = TransferStatuses.isTrue(now, TransferStatuses.FAILED);
            events.write(resource, new Happening(warning, next.getReason(), next.getMessage()));
        }
    }

    /** Writes an event that something is wrong. */
    void warn(HasMetadata resource, String reason, String message) {
        events.write(resource, new Happening(true, reason, message));
    }

    /**
     * Tells of a failed reconcile in the status and by an event. A first failure that is likely to pass is not told.
     *
     * @param patch makes a new resource
     */
    <R extends CustomResource<?, TransferStatus>> ErrorStatusUpdateControl<R> tellError(
            R cached, Context<R> context, Exception error, Supplier<R> patch) {
        return tellError(cached, context, error, (resource, trouble) -> {
            TransferStatus before = resource.getStatus();
            if (TransferStatuses.isOver(before)) {
                return null;
            }
            TransferStatus now =
                    TransferStatuses.erring(before, resource.getMetadata().getGeneration(), clock.instant(), trouble);
            Condition old = TransferStatuses.find(before, TransferStatuses.COMPLETE);
            if (old == null || !trouble.reason().equals(old.getReason())) {
                warn(resource, trouble.reason(), trouble.message());
            }
            return StatusPatch.of(patch.get(), resource, now);
        });
    }

    /**
     * Does the same for any kind.
     *
     * @param patch makes the patch of a resource's status, or {@code null} for none
     */
    <R extends HasMetadata> ErrorStatusUpdateControl<R> tellError(
            R cached, Context<R> context, Exception error, BiFunction<R, Trouble, @Nullable R> patch) {
        Trouble trouble = Trouble.of(error);
        if (trouble.passing()
                && context.getRetryInfo().map(RetryInfo::getAttemptCount).orElse(0) == 0) {
            return ErrorStatusUpdateControl.noStatusUpdate();
        }
        try {
            // A patch removes what it leaves out, so it starts from what the API server has.
            R resource = client.resource(cached).get();
            R patched = resource == null ? null : patch.apply(resource, trouble);
            return patched == null
                    ? ErrorStatusUpdateControl.noStatusUpdate()
                    : ErrorStatusUpdateControl.patchStatus(patched);
        } catch (KubernetesClientException unreachable) {
            LOG.atWarn().setCause(unreachable).log("the status of a failed resource cannot be written");
            return ErrorStatusUpdateControl.noStatusUpdate();
        }
    }

    Instant now() {
        return clock.instant();
    }
}
