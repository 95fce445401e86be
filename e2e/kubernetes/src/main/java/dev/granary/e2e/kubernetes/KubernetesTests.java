package dev.granary.e2e.kubernetes;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;

/** The main program: runs the steps on the cluster that KUBECONFIG names, and reports. */
public final class KubernetesTests {

    private KubernetesTests() {}

    /**
     * Runs all steps; see {@link Options} for the arguments. Exits with 0 when all passed, 1 when some did not, 2 for
     * wrong usage.
     */
    public static void main(String[] arguments) throws Exception {
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        Files.createDirectories(options.reportFolder());
        Report report = new Report();
        report.addPreparation(options.preparation());
        try (Target target = new Target(options)) {
            run(target, report);
        }
        report.print();
        report.write(options.reportFolder().resolve("report.json"));
        if (options.json() != null) {
            report.write(options.json());
        }
        System.exit(report.failed() == 0 ? 0 : 1);
    }

    private static void run(Target target, Report report) throws Exception {
        Options options = target.options();
        report.fact("cluster", options.cluster());
        report.fact("kubernetes", target.client().getKubernetesVersion().getGitVersion());
        report.fact("nodes", target.client().nodes().list().getItems().size());
        InstallationSteps installation = new InstallationSteps(target);
        installation.refuseUsedCluster();
        MonitoringSteps monitoring = new MonitoringSteps(target);
        CleanUp cleanUp = new CleanUp(monitoring, installation, options.keep());
        Runtime.getRuntime().addShutdownHook(new Thread(cleanUp::runOnce, "clean-up"));
        try {
            new StepRunner(report, new Diagnosis(target)::collect).run(steps(target, report, installation, monitoring));
        } finally {
            cleanUp.runOnce();
        }
    }

    /** Returns the steps to run, in order. */
    static List<Step> steps(Target target, Report report, InstallationSteps installation, MonitoringSteps monitoring) {
        ClusterSteps cluster = new ClusterSteps(target);
        RefusalSteps refusals = new RefusalSteps(target);
        DataSteps data = new DataSteps(target, cluster);
        RdmaSteps rdma = new RdmaSteps(target);
        LoadCases cases = new LoadCases(target, report, data);
        SleepSteps sleep = new SleepSteps(target, cluster);
        BackupSteps backup = new BackupSteps(target, cluster, data);
        RedisSteps redis = new RedisSteps(target, report);
        SecureSteps secure = new SecureSteps(target, report, data);
        AlertCase alerts = new AlertCase(target, report, data, monitoring);
        PluginSteps plugin = new PluginSteps(target);
        ExampleSteps examples = new ExampleSteps(target, cluster, data, plugin);
        Set<String> only = target.options().only();
        cases.requireKnown(only);
        Set<String> ownClusters = new TreeSet<>(SecureSteps.NAMES);
        ownClusters.addAll(List.of(AlertCase.NAME, ExampleSteps.NAME));
        List<Step> own = new ArrayList<>();
        if (only.contains(ExampleSteps.NAME)
                || (only.isEmpty() && target.options().all())) {
            own.addAll(examples.all());
        }
        own.addAll(secure.of(target.options().all() && only.isEmpty() ? Set.copyOf(SecureSteps.NAMES) : only));
        // It takes half an hour: it runs only when it is named.
        if (only.contains(AlertCase.NAME)) {
            own.addAll(alerts.all());
        }
        if (!only.isEmpty()
                && ownClusters.containsAll(only)
                && !target.options().all()) {
            List<Step> few = new ArrayList<>(List.of(installation.installs()));
            few.addAll(own);
            few.add(installation.leavesOnlyTheCrd());
            return few;
        }
        if (!only.isEmpty() && !target.options().all()) {
            List<Step> few = new ArrayList<>(List.of(installation.installs(), cluster.becomesReady()));
            if (only.contains(SleepSteps.NAME) || only.contains(BackupSteps.NAME)) {
                few.add(data.loads());
            }
            if (only.contains(SleepSteps.NAME)) {
                few.addAll(List.of(sleep.sleepsAndWakes(), data.readsBack("after a sleep", "verify-after-sleep")));
            }
            if (only.contains(BackupSteps.NAME)) {
                few.addAll(backup.all());
            }
            if (only.contains(RdmaSteps.NAME)) {
                few.addAll(rdma.all());
            }
            if (only.contains(RedisSteps.NAME)) {
                few.add(redis.survives());
            }
            few.addAll(cases.all());
            few.add(cluster.leavesNothing());
            few.addAll(own);
            few.add(installation.leavesOnlyTheCrd());
            return few;
        }
        List<Step> steps = new ArrayList<>(List.of(
                installation.installs(),
                installation.passesItsTest(),
                refusals.refusesWrongResources(),
                refusals.takesTheExamplesOfTheGuide(),
                cluster.becomesReady(),
                cluster.podsAreRestricted(),
                cluster.peersKnowTheirZones(),
                monitoring.checksRules(),
                monitoring.startsPrometheus(),
                data.loads(),
                data.readsBack("from three peers", "verify"),
                cluster.showsItself(),
                plugin.shows(),
                refusals.refusesWrongChanges(),
                cluster.scales(),
                data.reachesNewPeers(),
                data.readsBack("from five peers", "verify-again"),
                redis.serves(),
                monitoring.answersDashboards(),
                monitoring.evaluatesAlerts(),
                cluster.neverRestarts(),
                cluster.scalesIn(),
                data.readsBack("from the three peers that stayed", "verify-after-scale-in")));
        steps.addAll(backup.all());
        if (target.options().all()) {
            steps.addAll(cases.plannedOnes());
            // An update that is rolled back shall be told.
            steps.add(monitoring.noAlertHasFired("in all planned work", Set.of("GranaryUpdateRolledBack")));
            steps.addAll(cases.faultyOnes());
            if (only.isEmpty() || only.contains(RedisSteps.NAME)) {
                steps.add(redis.survives());
            }
            if (only.isEmpty() || only.contains(SleepSteps.NAME)) {
                steps.add(sleep.sleepsAndWakes());
            }
            steps.add(data.readsBack("after all this", "verify-at-the-end"));
        } else {
            steps.add(monitoring.noAlertHasFired("in all planned work", Set.of()));
            steps.add(cases.sample());
        }
        steps.addAll(rdma.all());
        steps.addAll(List.of(monitoring.drawsDashboards(), monitoring.evaluatesAlertsAtTheEnd()));
        steps.add(cluster.leavesNothing());
        steps.addAll(own);
        steps.add(installation.leavesOnlyTheCrd());
        return steps;
    }

    /** Ends the processes and removes what the steps made. Runs once: at the end, or when this process gets SIGTERM. */
    private static final class CleanUp {
        private final MonitoringSteps monitoring;
        private final InstallationSteps installation;
        private final boolean keep;
        private final AtomicBoolean done = new AtomicBoolean();

        CleanUp(MonitoringSteps monitoring, InstallationSteps installation, boolean keep) {
            this.monitoring = monitoring;
            this.installation = installation;
            this.keep = keep;
        }

        void runOnce() {
            if (!done.compareAndSet(false, true)) {
                return;
            }
            monitoring.close();
            if (keep) {
                return;
            }
            try {
                installation.removeAll();
            } catch (Exception | AssertionError e) {
                System.err.println("cleaning up failed: " + e);
            }
        }
    }
}
