package dev.granary.operator;

import dev.granary.operator.backup.BackupMetrics;
import dev.granary.operator.backup.BackupReconciler;
import dev.granary.operator.backup.HttpProgressReader;
import dev.granary.operator.backup.RestoreReconciler;
import dev.granary.operator.backup.ScheduleReconciler;
import dev.granary.operator.control.ClientClusterControl;
import dev.granary.operator.control.ClusterControl;
import dev.granary.operator.observe.HttpCertificateObserver;
import dev.granary.operator.observe.HttpClusterObserver;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.OperatorDefaults;
import dev.granary.operator.plan.Planner;
import dev.granary.operator.reconcile.CordonedNodes;
import dev.granary.operator.reconcile.DeviceNodes;
import dev.granary.operator.reconcile.GranaryReconciler;
import dev.granary.operator.reconcile.NodeZones;
import dev.granary.operator.reconcile.ReconcileMetrics;
import dev.granary.operator.reconcile.UserMetrics;
import dev.granary.operator.reconcile.UserReconciler;
import dev.granary.operator.reconcile.UserSecretKeeper;
import dev.granary.overlay.HostAddress;
import dev.granary.process.HttpContent;
import dev.granary.process.HttpPort;
import dev.granary.process.Metrics;
import dev.granary.process.ProcessControl;
import dev.granary.process.Program;
import dev.granary.process.Version;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigSchema;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.prometheus.client.CollectorRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operator as a process: HTTP port, leader election, and the reconciler. */
public final class OperatorProgram implements Program {
    private static final Logger LOG = LoggerFactory.getLogger(OperatorProgram.class);
    private static final GranaryReconciler.Pace PACE =
            new GranaryReconciler.Pace(Duration.ofSeconds(10), Duration.ofSeconds(2));

    /** The time between two looks at the cluster of a schedule. */
    private static final Duration SCHEDULE_PACE = Duration.ofSeconds(30);

    /** The time between two looks at a user, and so between a change of its password and the doors' learning of it. */
    private static final UserReconciler.Pace USER_PACE =
            new UserReconciler.Pace(Duration.ofSeconds(60), Duration.ofSeconds(10));

    /** An API group of OpenShift, which gives each namespace a range of users and refuses pods that name another. */
    private static final String OPENSHIFT_SECURITY = "security.openshift.io";

    private final Supplier<KubernetesClient> clients;

    /** Makes a program that finds the API server and its credentials as pods and kubectl do. */
    OperatorProgram() {
        this(() -> new KubernetesClientBuilder()
                .withKubernetesSerialization(new LeanSerialization())
                .build());
    }

    /**
     * Makes a program.
     *
     * @param clients makes a client for each start; the stop closes it
     */
    public OperatorProgram(Supplier<KubernetesClient> clients) {
        this.clients = clients;
    }

    @Override
    public String name() {
        return "granary-operator";
    }

    @Override
    public String description() {
        return "Watches Granary resources and makes and runs clusters of them.";
    }

    @Override
    public ConfigSchema schema() {
        return OperatorKeys.schema();
    }

    @Override
    public LogSettings logging(Config config) {
        return new LogSettings(config.get(OperatorKeys.LOG_FORMAT), config.get(OperatorKeys.LOG_LEVEL));
    }

    @Override
    public Running start(Config config, ProcessControl control) throws Exception {
        CollectorRegistry registry = Metrics.newRegistryWithJvm();
        ReconcileMetrics metrics = new ReconcileMetrics(registry, InstantSource.system());
        KubernetesClient client = clients.get();
        HttpClusterObserver observer = new HttpClusterObserver(Names.SUPER_PEER_HTTP_PORT);
        HttpCertificateObserver certificates = new HttpCertificateObserver();
        ClusterControl superPeers = new ClientClusterControl(Names.SUPER_PEER_PORT);
        AtomicBoolean stopping = new AtomicBoolean();
        Consumer<@Nullable Throwable> whenWatchStops = error -> {
            if (error != null && !stopping.get()) {
                control.fail("a watch of the API server stopped", error);
            }
        };
        CordonedNodes cordoned = config.get(OperatorKeys.WATCH_NODES)
                ? CordonedNodes.watch(client, whenWatchStops)
                : CordonedNodes.none();
        Operator operator = new Operator(overrides -> {
            overrides
                    .withKubernetesClient(client)
                    .withCloseClientOnStop(false)
                    .withReconciliationTerminationTimeout(Duration.ofSeconds(5))
                    .withInformerStoppedHandler((_, error) -> whenWatchStops.accept(error));
            if (config.get(OperatorKeys.LEADER_ELECTION)) {
                overrides.withLeaderElectionConfiguration(
                        leaderElection(config, metrics, control, stopping).build());
            } else {
                metrics.leading(true);
            }
        });
        GranaryReconciler.Nodes nodes = new GranaryReconciler.Nodes(
                cordoned,
                config.get(OperatorKeys.WATCH_NODES)
                        ? DeviceNodes.of(client, InstantSource.system())
                        : DeviceNodes.unknown(),
                config.get(OperatorKeys.WATCH_NODES) ? NodeZones.of(client) : NodeZones.unknown(client));
        Planner planner = new Planner(new OperatorDefaults(
                config.get(OperatorKeys.IMAGE),
                config.get(OperatorKeys.PULL_POLICY).kubernetesName,
                config.find(OperatorKeys.LEASE_NAMESPACE).orElse(null),
                client.hasApiGroup(OPENSHIFT_SECURITY, true)));
        UserSecretKeeper users = new UserSecretKeeper(client, InstantSource.system());
        GranaryReconciler reconciler = new GranaryReconciler(
                client,
                planner,
                new GranaryReconciler.Contacts(observer, superPeers, certificates),
                nodes,
                users,
                metrics,
                InstantSource.system(),
                PACE);
        HttpProgressReader progress = new HttpProgressReader();
        register(operator, reconciler, config);
        BackupMetrics backups = new BackupMetrics(registry);
        register(
                operator,
                new BackupReconciler(client, progress, backups, InstantSource.system(), PACE.changing()),
                config);
        register(
                operator,
                new RestoreReconciler(client, progress, backups, InstantSource.system(), PACE.changing()),
                config);
        register(operator, new ScheduleReconciler(client, backups, InstantSource.system(), SCHEDULE_PACE), config);
        register(
                operator,
                new UserReconciler(client, users, new UserMetrics(registry), InstantSource.system(), USER_PACE),
                config);
        HttpPort http = HttpPort.open(
                new HostAddress(config.get(OperatorKeys.HTTP_HOST), config.get(OperatorKeys.HTTP_PORT)),
                new Content(operator, cordoned, metrics, registry));
        operator.start();
        LOG.atInfo()
                .addKeyValue("version", Version.current())
                .addKeyValue(
                        "namespaces",
                        config.find(OperatorKeys.NAMESPACES)
                                .map(Object::toString)
                                .orElse("all"))
                .addKeyValue("httpPort", http.port())
                .log("the operator watches");
        return () -> {
            stopping.set(true);
            reconciler.stop();
            operator.stop();
            cordoned.close();
            http.close();
            observer.close();
            certificates.close();
            progress.close();
            client.close();
        };
    }

    private static <P extends HasMetadata> void register(Operator operator, Reconciler<P> reconciler, Config config) {
        operator.register(reconciler, overrides -> {
            overrides.withRetry(GranaryReconciler.retry());
            config.find(OperatorKeys.NAMESPACES)
                    .ifPresentOrElse(overrides::settingNamespaces, overrides::watchingAllNamespaces);
        });
    }

    private static LeaderElectionConfigurationBuilder leaderElection(
            Config config, ReconcileMetrics metrics, ProcessControl control, AtomicBoolean stopping) {
        LeaderCallbacks callbacks = new LeaderCallbacks(
                () -> {
                    metrics.leading(true);
                    LOG.atInfo().log("this operator leads");
                },
                () -> {
                    metrics.leading(false);
                    if (!stopping.get()) {
                        control.fail("it lost the Lease for leader election; another operator may act now", null);
                    }
                },
                leader -> LOG.atInfo().addKeyValue("leader", leader).log("there is a leader"));
        LeaderElectionConfigurationBuilder builder = LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(
                        config.get(OperatorKeys.LEASE_NAME))
                .withLeaderCallbacks(callbacks)
                .withExitOnStopLeading(false);
        config.find(OperatorKeys.LEASE_NAMESPACE).ifPresent(builder::withLeaseNamespace);
        return builder;
    }

    /** The content of the HTTP port. An operator that stands by is ready too, because it can lead at once. */
    private record Content(
            Operator operator, CordonedNodes cordoned, ReconcileMetrics reconciles, CollectorRegistry metrics)
            implements HttpContent {
        @Override
        public Optional<String> notReadyReason() {
            if (!operator.getRuntimeInfo().isStarted()) {
                return Optional.of("it is starting");
            }
            return operator.getRuntimeInfo().allEventSourcesAreHealthy() && cordoned.isWatching()
                    ? Optional.empty()
                    : Optional.of("a watch of the API server is broken; does the operator have its rights?");
        }

        @Override
        public String statusJson() {
            return "{\"version\":\"%s\",\"leader\":%b,\"resources\":%d}"
                    .formatted(Version.current(), reconciles.isLeading(), reconciles.resourceCount());
        }
    }
}
