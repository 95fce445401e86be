package dev.granary.e2e.kubernetes;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Which steps are run, and in which order: all of them, or some cases and what they need. */
final class StepPlan {

    private final boolean all;
    private final Set<String> only;
    private final InstallationSteps installation;
    private final MonitoringSteps monitoring;
    private final ClusterSteps cluster;
    private final RefusalSteps refusals;
    private final DataSteps data;
    private final RdmaSteps rdma;
    private final LoadCases cases;
    private final SleepSteps sleep;
    private final BackupSteps backup;
    private final RedisSteps redis;
    private final SecureSteps secure;
    private final AlertCase alerts;
    private final PluginSteps plugin;
    private final ExampleSteps examples;

    StepPlan(Target target, Report report, InstallationSteps installation, MonitoringSteps monitoring) {
        this.all = target.options().all();
        this.only = target.options().only();
        this.installation = installation;
        this.monitoring = monitoring;
        this.cluster = new ClusterSteps(target);
        this.refusals = new RefusalSteps(target);
        this.data = new DataSteps(target, cluster);
        this.rdma = new RdmaSteps(target);
        this.cases = new LoadCases(target, report, data);
        this.sleep = new SleepSteps(target, cluster);
        this.backup = new BackupSteps(target, cluster, data);
        this.redis = new RedisSteps(target, report);
        this.plugin = new PluginSteps(target);
        this.secure = new SecureSteps(target, report, data, plugin);
        this.alerts = new AlertCase(target, report, data, monitoring);
        this.examples = new ExampleSteps(target, cluster, data, plugin);
    }

    /** Returns the steps, in order. Fails when a case is asked for that there is not. */
    List<Step> steps() {
        cases.requireKnown(only);
        List<Step> steps = new ArrayList<>(List.of(installation.installs()));
        if (all || only.isEmpty()) {
            steps.addAll(life());
            steps.addAll(backup.all());
            steps.addAll(all ? everyCase() : sample());
            steps.addAll(rdma.all());
            steps.addAll(List.of(
                    monitoring.drawsDashboards(), monitoring.evaluatesAlertsAtTheEnd(), cluster.leavesNothing()));
        } else if (needsTheCluster()) {
            steps.addAll(someCases());
        }
        steps.addAll(ownClusters());
        steps.add(installation.leavesOnlyTheCrd());
        return steps;
    }

    /** Whether a case is asked for that has no cluster of its own. */
    private boolean needsTheCluster() {
        Set<String> others = new TreeSet<>(only);
        SecureSteps.NAMES.forEach(others::remove);
        others.removeAll(Set.of(AlertCase.NAME, ExampleSteps.NAME));
        return !others.isEmpty();
    }

    /** Whether a case runs that all others come with. */
    private boolean isAskedFor(String name) {
        return only.contains(name) || (all && only.isEmpty());
    }

    /** The cases that have clusters of their own, behind the others. */
    private List<Step> ownClusters() {
        List<Step> steps = new ArrayList<>();
        if (isAskedFor(ExampleSteps.NAME)) {
            steps.addAll(examples.all());
        }
        steps.addAll(secure.of(all && only.isEmpty() ? Set.copyOf(SecureSteps.NAMES) : only));
        // It takes half an hour: it runs only when it is named.
        if (only.contains(AlertCase.NAME)) {
            steps.addAll(alerts.all());
        }
        return steps;
    }

    private List<Step> someCases() {
        List<Step> steps = new ArrayList<>(List.of(cluster.becomesReady()));
        if (only.contains(SleepSteps.NAME) || only.contains(BackupSteps.NAME)) {
            steps.add(data.loads());
        }
        if (only.contains(SleepSteps.NAME)) {
            steps.addAll(List.of(sleep.sleepsAndWakes(), data.readsBack("after a sleep", "verify-after-sleep")));
        }
        if (only.contains(BackupSteps.NAME)) {
            steps.addAll(backup.all());
        }
        if (only.contains(RdmaSteps.NAME)) {
            steps.addAll(rdma.all());
        }
        if (only.contains(RedisSteps.NAME)) {
            steps.add(redis.survives());
        }
        steps.addAll(cases.all());
        steps.add(cluster.leavesNothing());
        return steps;
    }

    /** From ten lines of YAML to a cluster that has grown and shrunk, without a fault. */
    private List<Step> life() {
        return List.of(
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
                data.readsBack("from the three peers that stayed", "verify-after-scale-in"));
    }

    private List<Step> sample() {
        return List.of(monitoring.noAlertHasFired("in all planned work", Set.of()), cases.sample());
    }

    private List<Step> everyCase() {
        List<Step> steps = new ArrayList<>(cases.plannedOnes());
        // An update that is rolled back shall be told.
        steps.add(monitoring.noAlertHasFired("in all planned work", Set.of("GranaryUpdateRolledBack")));
        steps.addAll(cases.faultyOnes());
        if (isAskedFor(RedisSteps.NAME)) {
            steps.add(redis.survives());
        }
        if (isAskedFor(SleepSteps.NAME)) {
            steps.add(sleep.sleepsAndWakes());
        }
        steps.add(data.readsBack("after all this", "verify-at-the-end"));
        return steps;
    }
}
