package dev.granary.operator.reconcile;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryUser;
import dev.granary.operator.api.UserStatus;
import dev.granary.operator.build.RedisDoor;
import dev.granary.operator.plan.Names;
import dev.granary.operator.reconcile.UserJudge.Verdict;
import dev.granary.operator.reconcile.UserSecretKeeper.Cluster;
import dev.granary.operator.status.ConditionChange;
import dev.granary.operator.status.Failure;
import dev.granary.operator.status.Happening;
import dev.granary.operator.user.CollectedUsers;
import dev.granary.operator.user.DerivedKeys;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings GranaryUsers into the file of users that the doors of their cluster read (ADR 0337). Deletions are seen as
 * events, not by a finalizer: a resource can always be deleted, also when no operator runs.
 */
@ControllerConfiguration(name = "granaryuser", fieldManager = Names.FIELD_MANAGER, triggerReconcilerOnAllEvents = true)
public final class UserReconciler implements Reconciler<GranaryUser> {
    private static final Logger LOG = LoggerFactory.getLogger(UserReconciler.class);

    /** The type of the only condition. */
    static final String READY = "Ready";

    private static final String NOT_ROLLED_OUT = "NotRolledOut";

    private final KubernetesClient client;
    private final UserSecretKeeper keeper;
    private final UserMetrics metrics;
    private final InstantSource clock;
    private final Pace pace;
    private final EventWriter events;
    private final UserJudge judge;

    /**
     * The time between two looks at a user.
     *
     * @param settled while it is ready; within that time a changed password is seen
     * @param changing while it is not
     */
    public record Pace(Duration settled, Duration changing) {}

    /** Makes a reconciler. */
    public UserReconciler(
            KubernetesClient client, UserSecretKeeper keeper, UserMetrics metrics, InstantSource clock, Pace pace) {
        this.client = client;
        this.keeper = keeper;
        this.metrics = metrics;
        this.clock = clock;
        this.pace = pace;
        this.events = new EventWriter(client, clock);
        this.judge = new UserJudge(client, new DerivedKeys(new SecureRandom()));
    }

    /** Returns whether a user is one of a Granary of this name. */
    static boolean isOf(GranaryUser user, String granary) {
        return user.getSpec() != null
                && user.getMetadata().getDeletionTimestamp() == null
                && user.getSpec().granaryRef().name().equals(granary);
    }

    @Override
    public List<EventSource<?, GranaryUser>> prepareEventSources(EventSourceContext<GranaryUser> context) {
        metrics.watch(() -> context.getPrimaryCache().list());
        return List.of();
    }

    @Override
    public UpdateControl<GranaryUser> reconcile(GranaryUser cached, Context<GranaryUser> context) {
        return metrics.count(() -> round(cached, context));
    }

    private UpdateControl<GranaryUser> round(GranaryUser cached, Context<GranaryUser> context) {
        GranaryUser user = context.isPrimaryResourceDeleted()
                ? null
                : client.resource(cached).get();
        if (user == null || user.getMetadata().getDeletionTimestamp() != null) {
            forget(cached);
            return UpdateControl.noUpdate();
        }
        if (user.getSpec() == null) {
            return UpdateControl.noUpdate();
        }
        Condition ready = condition(user, judged(user, context));
        UserStatus next = status(user, ready);
        tell(user, ready);
        UpdateControl<GranaryUser> control = next.equals(user.getStatus())
                ? UpdateControl.noUpdate()
                : UpdateControl.patchStatus(StatusPatch.of(new GranaryUser(), user, next));
        return control.rescheduleAfter("True".equals(ready.getStatus()) ? pace.settled() : pace.changing());
    }

    private Verdict judged(GranaryUser user, Context<GranaryUser> context) {
        String name = user.getSpec().granaryRef().name();
        Granary granary = granary(user);
        Optional<Verdict> without = UserJudge.withoutUsers(granary, name);
        if (granary == null || without.isPresent()) {
            return without.orElseThrow();
        }
        Cluster cluster = clusterOf(granary);
        CollectedUsers present = keeper.read(cluster);
        // A stopped watch shows nobody, and must not give a name away.
        List<GranaryUser> others =
                present.isTaken(user.userName(), user.getMetadata().getUid())
                        ? keeper.list(cluster)
                        : seen(user, context);
        Verdict verdict = judge.judge(user, others, present);
        keeper.change(cluster, () -> uids(seen(user, context)), verdict.change());
        return verdict.good() && !isRolledOut(cluster)
                ? new Verdict(
                        false,
                        NOT_ROLLED_OUT,
                        "the storage peers of Granary " + name
                                + " are not made with its GranaryUsers yet, or were rolled"
                                + " back: look at the conditions of the Granary",
                        verdict.change())
                : verdict;
    }

    /** Takes a deleted user out of the file. */
    private void forget(GranaryUser user) {
        Granary granary = user.getSpec() == null ? null : granary(user);
        if (granary != null
                && UserJudge.withoutUsers(granary, granary.getMetadata().getName())
                        .isEmpty()) {
            keeper.change(clusterOf(granary), Set::of, users -> users);
        }
    }

    private @Nullable Granary granary(GranaryUser user) {
        return client.resources(Granary.class)
                .inNamespace(user.getMetadata().getNamespace())
                .withName(user.getSpec().granaryRef().name())
                .get();
    }

    private static Cluster clusterOf(Granary granary) {
        return new Cluster(
                granary.getMetadata().getNamespace(),
                granary.getMetadata().getName(),
                granary.getMetadata().getUid());
    }

    /** Returns all users of the cluster of a user, as the watch shows them. */
    private static List<GranaryUser> seen(GranaryUser user, Context<GranaryUser> context) {
        String granary = user.getSpec().granaryRef().name();
        return context.getPrimaryCache()
                .list(user.getMetadata().getNamespace(), other -> isOf(other, granary))
                .toList();
    }

    private static Set<String> uids(List<GranaryUser> users) {
        return users.stream().map(user -> user.getMetadata().getUid()).collect(Collectors.toSet());
    }

    /** Whether storage pods are made with the users from now on. */
    private boolean isRolledOut(Cluster cluster) {
        StatefulSet storage = client.apps()
                .statefulSets()
                .inNamespace(cluster.namespace())
                .withName(Names.role(cluster.name(), Names.STORAGE))
                .get();
        return storage != null
                && RedisDoor.hasUsers(
                        storage.getSpec().getTemplate().getSpec().getVolumes(), Names.users(cluster.name()));
    }

    private Condition condition(GranaryUser user, Verdict verdict) {
        return condition(user, verdict.good() ? "True" : "False", verdict.reason(), verdict.message());
    }

    private Condition condition(GranaryUser user, String status, String reason, String message) {
        long generation = user.getMetadata().getGeneration();
        return ConditionChange.of(ready(user.getStatus()), generation, clock.instant(), READY, status, reason, message);
    }

    private static UserStatus status(GranaryUser user, Condition ready) {
        return new UserStatus(user.getMetadata().getGeneration(), List.of(ready), user.userName());
    }

    static @Nullable Condition ready(@Nullable UserStatus status) {
        return status == null ? null : ConditionChange.find(status.conditions(), READY);
    }

    /** Writes an event when something else is the case than before. */
    private void tell(GranaryUser user, Condition now) {
        Condition old = ready(user.getStatus());
        if (old == null || !now.getReason().equals(old.getReason())) {
            boolean warning = "False".equals(now.getStatus()) && !NOT_ROLLED_OUT.equals(now.getReason());
            events.write(user, new Happening(warning, now.getReason(), now.getMessage()));
        }
    }

    @Override
    public ErrorStatusUpdateControl<GranaryUser> updateErrorStatus(
            GranaryUser cached, Context<GranaryUser> context, Exception error) {
        int tries = context.getRetryInfo().map(RetryInfo::getAttemptCount).orElse(0);
        if (Failures.isKeptBack(error, tries)) {
            return ErrorStatusUpdateControl.noStatusUpdate();
        }
        try {
            GranaryUser user = client.resource(cached).get();
            if (user == null || user.getSpec() == null) {
                return ErrorStatusUpdateControl.noStatusUpdate();
            }
            Failure failure = Failures.of(error);
            Condition ready = condition(user, "False", failure.reason(), failure.message());
            UserStatus next = status(user, ready);
            if (next.equals(user.getStatus())) {
                return ErrorStatusUpdateControl.noStatusUpdate();
            }
            tell(user, ready);
            return ErrorStatusUpdateControl.patchStatus(StatusPatch.of(new GranaryUser(), user, next));
        } catch (KubernetesClientException unreachable) {
            LOG.atWarn().setCause(unreachable).log("the status of a failed user cannot be written");
            return ErrorStatusUpdateControl.noStatusUpdate();
        }
    }
}
