package dev.granary.operator.reconcile;

import dev.granary.operator.api.AutoscalingSpec;
import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.HibernationStatus;
import dev.granary.operator.api.RdmaSpec;
import dev.granary.operator.build.ClusterObjects;
import dev.granary.operator.control.ClusterControl;
import dev.granary.operator.control.ClusterControl.ControlException;
import dev.granary.operator.control.DrainView;
import dev.granary.operator.observe.CertificateObserver;
import dev.granary.operator.observe.ClusterObserver;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.HttpPlaces;
import dev.granary.operator.observe.NewestTemplate;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.observe.UnusedVolumes;
import dev.granary.operator.observe.VolumesView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.InvalidSpecException;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.Planner;
import dev.granary.operator.status.Failure;
import dev.granary.operator.status.Happening;
import dev.granary.operator.status.Happenings;
import dev.granary.operator.status.Observation;
import dev.granary.operator.status.StatusBuilder;
import dev.granary.operator.steer.Autoscaler;
import dev.granary.operator.steer.Hibernating;
import dev.granary.operator.steer.Steering;
import dev.granary.operator.steer.Stop;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
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
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.javaoperatorsdk.operator.processing.retry.Retry;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a cluster to the state that its resource asks for: plans, applies the objects, looks at the cluster, writes
 * the status. One thread at a time works on a resource; different resources run in parallel.
 *
 * <p>Reads the facts that bind the plan (numbers of pods, templates, the cluster id) from the API server and not from a
 * watch's cache: a stale value could scale a StatefulSet in, or overwrite the first cluster id with a second one.
 * Trusts the cache only when it shows that there is nothing to do.
 */
@ControllerConfiguration(name = GranaryReconciler.NAME, fieldManager = Names.FIELD_MANAGER)
public final class GranaryReconciler implements Reconciler<Granary> {
    private static final Logger LOG = LoggerFactory.getLogger(GranaryReconciler.class);

    /** The name of the controller. */
    public static final String NAME = "granary";

    private final KubernetesClient client;
    private final Planner planner;
    private final ClusterObserver observer;
    private final ReconcileMetrics metrics;
    private final InstantSource clock;
    private final Pace pace;
    private final Applier applier;
    private final VolumeGrower volumes;
    private final KeptVolumes keptVolumes;
    private final EventWriter events;
    private final Actuator actuator;
    private final ClusterControl control;
    private final Nodes nodes;
    private final PodMonitorKeeper podMonitors;
    private final SecretKeeper secrets;
    private final UserSecretKeeper users;
    private final CertificateKeeper certificates;
    private final SleepDriver sleepDriver;
    private volatile boolean stopping;

    /**
     * What the operator knows of Kubernetes nodes.
     *
     * @param cordoned the nodes that take no pods any more
     * @param devices the devices of the nodes
     * @param zones the failure zones of the nodes
     */
    public record Nodes(CordonedNodes cordoned, DeviceNodes devices, NodeZones zones) {}

    /**
     * How the operator talks to the processes of clusters.
     *
     * @param observer asks super-peers for their status
     * @param control tells super-peers what to do
     * @param certificates asks processes for their certificates
     */
    public record Contacts(ClusterObserver observer, ClusterControl control, CertificateObserver certificates) {}

    /**
     * What the operator sees of a cluster at one moment, and its decisions from that.
     *
     * @param sleep the next step of a hibernation or back, empty when the cluster works
     */
    private record Look(
            PodsView superPeerPods,
            PodsView storagePods,
            ClusterObserver.Answer answer,
            Optional<Hibernating.Result> sleep,
            Steering.Result steered,
            Instant now) {

        /** Returns this look after a StatefulSet was changed. */
        Look withNewTemplates() {
            return new Look(
                    superPeerPods.withNewTemplate(), storagePods.withNewTemplate(), answer, sleep, steered, now);
        }
    }

    /**
     * The time between two looks at a cluster.
     *
     * @param settled while the cluster is ready
     * @param changing while the cluster is not ready
     */
    public record Pace(Duration settled, Duration changing) {}

    /** Makes a reconciler. */
    public GranaryReconciler(
            KubernetesClient client,
            Planner planner,
            Contacts contacts,
            Nodes nodes,
            UserSecretKeeper users,
            ReconcileMetrics metrics,
            InstantSource clock,
            Pace pace) {
        this.client = client;
        this.planner = planner;
        this.observer = contacts.observer();
        this.metrics = metrics;
        this.clock = clock;
        this.pace = pace;
        this.applier = new Applier(client);
        this.volumes = new VolumeGrower(client);
        this.keptVolumes = new KeptVolumes(client);
        this.events = new EventWriter(client, clock);
        this.control = contacts.control();
        SecureRandom random = new SecureRandom();
        this.secrets = new SecretKeeper(client, random);
        this.users = users;
        this.certificates = new CertificateKeeper(client, contacts.certificates(), random, clock);
        this.nodes = nodes;
        this.podMonitors = new PodMonitorKeeper(client, applier, clock);
        this.sleepDriver = new SleepDriver(control);
        this.actuator = new Actuator(client, control, clock);
    }

    /**
     * Makes this reconciler do nothing from now on. Call it before the operator stops: stopped watches forget what they
     * have shown, and the status would report a cluster without pods.
     */
    public void stop() {
        stopping = true;
    }

    @Override
    public List<EventSource<?, Granary>> prepareEventSources(EventSourceContext<Granary> context) {
        metrics.watch(() -> context.getPrimaryCache().list());
        SimpleInboundEventSource<Granary> cordoned = new SimpleInboundEventSource<>("cordoned-nodes");
        nodes.cordoned().whenChanged(() -> context.getPrimaryCache()
                .list()
                .forEach(granary -> cordoned.propagateEvent(ResourceID.fromResource(granary))));
        List<EventSource<?, Granary>> sources = new ArrayList<>(Watched.sources(context));
        sources.add(cordoned);
        return sources;
    }

    @Override
    public UpdateControl<Granary> reconcile(Granary cached, Context<Granary> context) {
        try {
            return metrics.time(cached, () -> round(cached, context));
        } catch (InvalidSpecException | NameTakenException e) {
            return withFailure(cached, Failures.of(e))
                    .map(UpdateControl::patchStatus)
                    .orElseGet(UpdateControl::noUpdate)
                    .rescheduleAfter(pace.settled());
        }
    }

    private UpdateControl<Granary> round(Granary cached, Context<Granary> context) {
        if (isPaused(cached)
                && StatusBuilder.isPaused(
                        cached.getStatus(), cached.getMetadata().getGeneration())) {
            return UpdateControl.noUpdate();
        }
        // First of all, because new pods wait for it.
        nodes.zones().tell(Watched.pods(context, Names.STORAGE));
        if (rests(cached, context)) {
            return UpdateControl.<Granary>noUpdate().rescheduleAfter(pace.settled());
        }
        Granary granary = client.resource(cached).get();
        if (granary == null) {
            return UpdateControl.noUpdate();
        }
        if (isPaused(granary)) {
            return pause(granary);
        }
        Look look = look(granary, statefulSet(granary, Names.SUPER_PEER), statefulSet(granary, Names.STORAGE), context);
        if (stopping) {
            return UpdateControl.noUpdate();
        }
        GranaryStatus status = run(granary, look, context);
        Happenings.between(granary.getStatus(), status).forEach(happening -> events.write(granary, happening));
        UpdateControl<Granary> control = status.equals(granary.getStatus())
                ? UpdateControl.noUpdate()
                : UpdateControl.patchStatus(StatusPatch.of(new Granary(), granary, status));
        return control.rescheduleAfter(isSettled(status) ? pace.settled() : pace.changing());
    }

    private static boolean isPaused(Granary granary) {
        return granary.getSpec() != null
                && Boolean.TRUE.equals(granary.getSpec().paused());
    }

    /** Says that the operator has stopped. The next reconcile comes with the next change of the resource. */
    private UpdateControl<Granary> pause(Granary granary) {
        GranaryStatus status =
                StatusBuilder.paused(granary.getStatus(), granary.getMetadata().getGeneration(), clock.instant());
        Happenings.between(granary.getStatus(), status).forEach(happening -> events.write(granary, happening));
        return UpdateControl.patchStatus(StatusPatch.of(new Granary(), granary, status));
    }

    @Override
    public ErrorStatusUpdateControl<Granary> updateErrorStatus(
            Granary cached, Context<Granary> context, Exception error) {
        int tries = context.getRetryInfo().map(RetryInfo::getAttemptCount).orElse(0);
        if (Failures.isKeptBack(error, tries)) {
            return ErrorStatusUpdateControl.noStatusUpdate();
        }
        try {
            return withFailure(cached, Failures.of(error))
                    .map(ErrorStatusUpdateControl::patchStatus)
                    .orElseGet(ErrorStatusUpdateControl::noStatusUpdate);
        } catch (KubernetesClientException unreachable) {
            LOG.atWarn().setCause(unreachable).log("the status of a failed resource cannot be written");
            return ErrorStatusUpdateControl.noStatusUpdate();
        }
    }

    /** Returns the resource with the status that it has after a failure; empty when that says nothing new. */
    private Optional<Granary> withFailure(Granary cached, Failure failure) {
        // A cached status may lack the cluster id, and a patch removes what it leaves out.
        Granary granary = client.resource(cached).get();
        if (granary == null) {
            return Optional.empty();
        }
        GranaryStatus status = StatusBuilder.failed(
                granary.getStatus(), failure, granary.getMetadata().getGeneration(), clock.instant());
        if (status.equals(granary.getStatus())) {
            return Optional.empty();
        }
        Happenings.between(granary.getStatus(), status).forEach(happening -> events.write(granary, happening));
        return Optional.of(StatusPatch.of(new Granary(), granary, status));
    }

    /** Returns how to retry a failed reconcile: for ever, and at least every 30 s. */
    public static Retry retry() {
        return new GenericRetry()
                .setInitialInterval(Duration.ofSeconds(1))
                .setIntervalMultiplier(1.5)
                .setMaxInterval(Duration.ofSeconds(30).toMillis())
                .withoutMaxAttempts();
    }

    /**
     * Whether the watches show that there is nothing to do. If their state is old, the news is on its way and causes
     * the next reconcile. If there is something to do, the decision is made again from the answers of the API server.
     */
    private boolean rests(Granary cached, Context<Granary> context) {
        GranaryStatus status = cached.getStatus();
        if (status == null
                || !isSettled(status)
                || !Objects.equals(cached.getMetadata().getGeneration(), status.observedGeneration())) {
            return false;
        }
        Look look;
        try {
            look = look(
                    cached,
                    Watched.statefulSet(cached, Names.SUPER_PEER, context),
                    Watched.statefulSet(cached, Names.STORAGE, context),
                    context);
        } catch (InvalidSpecException e) {
            return false;
        }
        ClusterPlan plan = look.steered().plan();
        return look.sleep().isEmpty()
                && look.steered().actions().isEmpty()
                && look.steered().stops().isEmpty()
                && podMonitors.rests(plan, status)
                && certificates.rests(plan)
                && Watched.unwanted(plan, context).isEmpty()
                && volumes.due(volumes.view(plan, Watched.claims(context)), look.now())
                        .isEmpty()
                && ClusterObjects.of(plan).stream()
                        .allMatch(object -> applier.isApplied(object, Watched.object(object, context)))
                && status.equals(status(cached, look, List.of(), List.of(), null, podMonitors.answer(plan), context));
    }

    private Look look(
            Granary granary,
            @Nullable StatefulSet superPeers,
            @Nullable StatefulSet storage,
            Context<Granary> context) {
        Set<String> cordoned = nodes.cordoned().names();
        PodsView superPeerPods =
                PodsView.of(Watched.pods(context, Names.SUPER_PEER), NewestTemplate.of(superPeers), cordoned);
        PodsView storagePods = PodsView.of(Watched.pods(context, Names.STORAGE), NewestTemplate.of(storage), cordoned);
        Existing.Devices devices = devices(granary, storage, storagePods);
        ClusterPlan asked = planner.plan(
                granary,
                ExistingOf.of(
                        granary, superPeers, storage, devices, component -> keptVolumes.count(granary, component)));
        ClusterObserver.Answer answer = observer.observe(new HttpPlaces(
                superPeerPods.addresses(),
                superPeerPods.secured(),
                superPeerPods.secured().isEmpty() ? null : certificates.known(asked)));
        Instant now = clock.instant();
        Optional<Hibernating.Result> sleep = Hibernating.decide(
                asked,
                superPeerPods,
                storagePods,
                answer instanceof ClusterObserver.Answer.Seen(ClusterView view) ? view : null,
                SleepDriver.phase(granary.getStatus()));
        Steering.Result steered = sleep.map(it -> new Steering.Result(it.plan(), it.actions(), List.of()))
                .orElseGet(() -> Steering.decide(asked, superPeerPods, storagePods, answer, now));
        return new Look(superPeerPods, storagePods, answer, sleep, steered, now);
    }

    private GranaryStatus run(Granary granary, Look look, Context<Granary> context) {
        ClusterPlan plan = look.steered().plan();
        ClusterControl.Target cluster = new ClusterControl.Target(
                look.superPeerPods().addresses(),
                plan.adminPort(),
                secrets.keep(plan, granary.getStatus()),
                certificates.keep(plan, look.superPeerPods(), look.storagePods()));
        users.keep(plan);
        boolean templates = false;
        for (HasMetadata object : ClusterObjects.of(plan)) {
            templates |= apply(granary, plan, object, context) && object instanceof StatefulSet;
        }
        Watched.unwanted(plan, context)
                .forEach(object -> client.resource(object).delete());
        Boolean podMonitor = podMonitors.keep(plan, PodMonitorKeeper.had(granary.getStatus()));
        volumes.grow(plan.namespace(), volumes.view(plan, Watched.claims(context)), look.now())
                .forEach(h -> events.write(granary, h));
        Actuator.Result done =
                actuator.run(plan.namespace(), cluster, look.steered().actions());
        done.happenings().forEach(h -> events.write(granary, h));
        HibernationStatus hibernation = look.sleep()
                .map(it -> sleepDriver.take(it, plan.storage().replicas(), cluster, granary.getStatus(), look.now()))
                .orElse(null);
        List<Stop> stops = look.steered().stops().stream()
                .map(stop -> withTrouble(stop, done.troubles().get(stop.pod())))
                .toList();
        // The look is older than the change of the templates, so it cannot say that nothing is left to do.
        Look now = templates ? look.withNewTemplates() : look;
        return status(granary, now, stops, drains(stops, cluster), hibernation, podMonitor, context);
    }

    private GranaryStatus status(
            Granary granary,
            Look look,
            List<Stop> stops,
            List<DrainView> drains,
            @Nullable HibernationStatus hibernation,
            @Nullable Boolean podMonitor,
            Context<Granary> context) {
        ClusterPlan plan = look.steered().plan();
        Observation seen = new Observation(
                look.superPeerPods(),
                look.storagePods(),
                look.answer(),
                stops,
                drains,
                autoscale(granary, plan, look.answer(), look.now()),
                hibernation,
                podMonitor,
                certificates.status(plan),
                volumes(plan, context),
                ServiceAddresses.of(
                        plan,
                        context.getSecondaryResourcesAsStream(Service.class).toList()),
                UnusedVolumes.of(plan, Watched.claims(context), look.superPeerPods(), look.storagePods()));
        return StatusBuilder.of(
                plan, seen, granary.getStatus(), granary.getMetadata().getGeneration(), look.now());
    }

    /** Returns the volumes that may have to grow, {@code null} when all have the size that they were made with. */
    private @Nullable VolumesView volumes(ClusterPlan plan, Context<Granary> context) {
        return VolumeGrower.concerns(plan) ? volumes.view(plan, Watched.claims(context)) : null;
    }

    private static GranaryStatus.@Nullable AutoscalerStatus autoscale(
            Granary granary, ClusterPlan plan, ClusterObserver.Answer answer, Instant now) {
        AutoscalingSpec spec = granary.getSpec() == null || granary.getSpec().storagePeers() == null
                ? null
                : granary.getSpec().storagePeers().autoscaling();
        if (spec == null) {
            return null;
        }
        return Autoscaler.next(
                spec,
                ExistingOf.autoscaler(granary.getStatus()),
                plan.storage().wantedReplicas(),
                plan.copies().backups() > 0,
                answer instanceof ClusterObserver.Answer.Seen(ClusterView view) ? view : null,
                now);
    }

    /**
     * Returns the stop as blocked if the super-peers have refused its action. It stays so until the cluster or the
     * resource changes.
     */
    private static Stop withTrouble(Stop stop, @Nullable String trouble) {
        return trouble == null ? stop : new Stop(stop.pod(), stop.nid(), stop.reason(), Stop.Phase.BLOCKED, trouble);
    }

    /** Returns the progress of drains. Asks the super-peers only when there are drains. */
    private List<DrainView> drains(List<Stop> stops, ClusterControl.Target cluster) {
        boolean any = stops.stream()
                .anyMatch(stop -> stop.phase() == Stop.Phase.DRAINING
                        && !stop.nid().isEmpty()
                        && stop.pod().contains("-" + Names.STORAGE + "-"));
        try {
            return any ? control.drains(cluster) : List.of();
        } catch (ControlException e) {
            LOG.atDebug().setCause(e).log("the super-peers do not report the progress of drains");
            return List.of();
        }
    }

    /** Applies an object, and returns whether its spec has changed. */
    private boolean apply(Granary granary, ClusterPlan plan, HasMetadata object, Context<Granary> context) {
        String name = object.getMetadata().getName();
        Applier.Outcome outcome = applier.apply(
                object,
                ServiceAddresses.withFormer(object, plan, granary.getStatus()),
                Watched.object(object, context));
        if (outcome != Applier.Outcome.UNCHANGED) {
            boolean created = outcome == Applier.Outcome.CREATED;
            events.write(
                    granary,
                    new Happening(
                            false,
                            created ? "Created" : "Updated",
                            (created ? "created " : "updated ") + object.getKind() + " " + name));
        }
        return outcome == Applier.Outcome.CREATED || outcome == Applier.Outcome.SPEC_CHANGED;
    }

    private Existing.Devices devices(Granary granary, @Nullable StatefulSet storage, PodsView pods) {
        RdmaSpec spec = granary.getSpec() == null ? null : granary.getSpec().rdma();
        if (spec == null || !Planner.asksNodes(spec)) {
            return Existing.Devices.UNKNOWN;
        }
        String name = Planner.resourceName(spec);
        boolean granted = storage != null
                && storage.getSpec().getTemplate().getSpec().getContainers().stream()
                        .anyMatch(container -> container.getResources() != null
                                && container.getResources().getLimits() != null
                                && container.getResources().getLimits().containsKey(name));
        Map<String, String> labels = spec.nodeSelector() == null ? Map.of() : spec.nodeSelector();
        return new Existing.Devices(nodes.devices().count(name, labels), granted, pods.unschedulable());
    }

    /** Returns the StatefulSet of a role if this resource owns it; a StatefulSet of another owner binds nothing. */
    private @Nullable StatefulSet statefulSet(Granary granary, String component) {
        StatefulSet set = client.apps()
                .statefulSets()
                .inNamespace(granary.getMetadata().getNamespace())
                .withName(Names.role(granary.getMetadata().getName(), component))
                .get();
        return set != null && Applier.isOwnedBy(set, granary.getMetadata().getUid()) ? set : null;
    }

    private static boolean isSettled(GranaryStatus status) {
        boolean rests = status.hibernation() != null
                && Hibernating.Phase.ASLEEP.text().equals(status.hibernation().phase());
        // Volumes may take long to grow, and a watch tells when they have.
        boolean done = has(status, "Progressing", "False") || StatusBuilder.isGrowingVolumes(status);
        return (rests || has(status, "Ready", "True")) && done && status.stops() == null;
    }

    private static boolean has(GranaryStatus status, String type, String value) {
        return status.conditions() != null
                && status.conditions().stream()
                        .anyMatch(c -> c.getType().equals(type) && c.getStatus().equals(value));
    }
}
