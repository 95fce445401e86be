package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What happens to a cluster on a usual day, each case under a load of recorded reads and writes: no client may see an
 * error, and nothing acknowledged may be lost. A case leaves the cluster as it found it.
 */
final class LoadCases {

    private static final String PREFIX = "under load: ";

    /** The target for the wait after a fault; a longer wait is diagnosed. */
    private static final long UNSERVED_LIMIT_MILLIS = 2_000;

    /** The case that leaves a history in each run (ADR 0212). */
    private static final String SAMPLE = "peer-lost";

    private static final int BEFORE_SAMPLE_SECONDS = 10;

    private static final String CHAOS = "chaos";

    /** With which the Cluster Autoscaler begins to remove a node. */
    private static final String AUTOSCALER_TAINT = "ToBeDeletedByClusterAutoscaler";

    /** The label of pods that the disruption budget keeps. */
    private static final String GUARDED = "granary.dev/guarded";

    private static final Duration LIMIT = SocialCluster.LIMIT;
    private static final String CPU = "{\"resources\":{\"requests\":{\"cpu\":\"110m\"}}}";
    private static final String BAD_IMAGE = "localhost/granary-that-is-not-there:1";

    private final Target target;
    private final Report report;
    private final InClusterLoad load;
    private final SocialCluster social;
    private final FaultCases faults;
    private final Diagnosis diagnosis;

    LoadCases(Target target, Report report, DataSteps data) {
        this.target = target;
        this.report = report;
        this.load = new InClusterLoad(target);
        this.social = new SocialCluster(target);
        this.faults = new FaultCases(target, data);
        this.diagnosis = new Diagnosis(target);
    }

    /** Fails when a name is that of no case: otherwise it would run nothing, and pass. */
    void requireKnown(Set<String> names) {
        Set<String> unknown = new TreeSet<>(names);
        unknown.removeAll(Set.of(
                SleepSteps.NAME, RdmaSteps.NAME, BackupSteps.NAME, RedisSteps.NAME, AlertCase.NAME, ExampleSteps.NAME));
        SecureSteps.NAMES.forEach(unknown::remove);
        every().forEach(step -> unknown.remove(name(step)));
        Check.that(unknown.isEmpty(), "there is no case %s", unknown);
    }

    /** Returns all cases that are asked for, in order; chaos only by its name. */
    List<Step> all() {
        return every().filter(step -> isAskedFor(name(step))).toList();
    }

    /** Returns those of them that are planned work. */
    List<Step> plannedOnes() {
        return planned().filter(step -> isAskedFor(name(step))).toList();
    }

    /** Returns those of them that are faults. */
    List<Step> faultyOnes() {
        return faulty().filter(step -> isAskedFor(name(step))).toList();
    }

    /** Returns the shortest fault, for runs without the others. */
    Step sample() {
        return faulty().filter(step -> name(step).equals(SAMPLE)).findFirst().orElseThrow();
    }

    private static String name(Step step) {
        return step.name().substring(PREFIX.length());
    }

    private Stream<Step> every() {
        return Stream.concat(planned(), faulty());
    }

    private Stream<Step> planned() {
        return Stream.of(
                of("scale-out", () -> {
                    social.scale(5);
                    social.settled(5);
                    return "five storage peers";
                }),
                of("scale-in", () -> {
                    social.scale(3);
                    social.settled(3);
                    return "three storage peers";
                }),
                of("scale-in-reverted", this::scaleInReverted),
                of("autoscale", this::autoscales),
                of("super-peers-grow", () -> {
                    growRing();
                    return "three super-peers";
                }),
                of("roll", () -> {
                    social.patch("{\"spec\":{\"storagePeers\":" + CPU + ",\"superPeers\":" + CPU + "}}");
                    social.rolled("110m");
                    return "every pod runs the new template";
                }),
                of("memory-grow", this::growsMemory),
                of("canary-rollback", this::canaryRollsBack),
                of("super-peers-shrink", this::growRing, () -> {
                    social.patch("{\"spec\":{\"superPeers\":{\"min\":1}}}");
                    social.ring(1);
                    return "one super-peer";
                }),
                of("node-drain", this::drainsNode),
                of("node-taint", this::leavesTaintedNode),
                of("operator-restart-while-scaling", this::restartsOperatorWhileScaling),
                of("operator-upgrade", this::upgradesOperator),
                of("two-operators", this::runsTwoOperators));
    }

    private Stream<Step> faulty() {
        return Stream.of(
                // Its processes have worked for a while.
                step(SAMPLE, faults::awaitStable, faults::peerLost, faults::steadyNode, false, BEFORE_SAMPLE_SECONDS),
                ofFault("pod-kill", faults::podKill),
                ofFault("node-loss", faults::nodeLoss),
                ofFault("operator-away", faults::operatorAway),
                ofFault("api-server-away", faults::apiServerAway),
                ofFault("hand-edit", faults::handEdit),
                ofFault("objects-deleted", this::deletesObjects),
                ofFault(CHAOS, faults::chaos));
    }

    private boolean isAskedFor(String name) {
        Set<String> only = target.options().only();
        return only.isEmpty() ? !name.equals(CHAOS) : only.contains(name);
    }

    private void growRing() throws Exception {
        social.patch("{\"spec\":{\"superPeers\":{\"min\":3}}}");
        social.ring(3);
    }

    private Step of(String name, InClusterLoad.Deed deed) {
        return of(name, () -> {}, deed);
    }

    /** Returns a planned case: no client sees an error. */
    private Step of(String name, Preparation before, InClusterLoad.Deed deed) {
        return step(name, before, deed, this::operatorNode, true, InClusterLoad.BEFORE_SECONDS);
    }

    /** Returns a case with a fault: clients may wait, but nothing is lost. */
    private Step ofFault(String name, InClusterLoad.Deed deed) {
        return step(name, faults::prepare, deed, faults::steadyNode, false, InClusterLoad.BEFORE_FAULT_SECONDS);
    }

    private Step step(
            String name,
            Preparation before,
            InClusterLoad.Deed deed,
            Choice loadNode,
            boolean planned,
            int beforeSeconds) {
        return Step.of(PREFIX + name, () -> {
            before.run();
            InClusterLoad.Outcome outcome = load.during(name, loadNode.node(), beforeSeconds, deed);
            report.add(outcome.result());
            CaseResult result = outcome.result();
            if (result.clientErrors() > 0 || result.unservedP99Millis() > UNSERVED_LIMIT_MILLIS) {
                diagnosis.collect(name, outcome.log());
            }
            Check.that(
                    (!planned || result.clientErrors() == 0) && result.lostWrites() == 0,
                    "%s%n%d client errors, %d lost writes:%n%s",
                    outcome.seen(),
                    result.clientErrors(),
                    result.lostWrites(),
                    outcome.log());
            return outcome.seen() + "; " + result;
        });
    }

    /** What a case needs before the load begins. */
    @FunctionalInterface
    private interface Preparation {
        void run() throws Exception;
    }

    /** Chooses where the load of a case runs: a node that stays as it is. */
    @FunctionalInterface
    private interface Choice {
        String node() throws Exception;
    }

    /** Returns the node of the operator, which no planned case drains. */
    private String operatorNode() throws Exception {
        return SocialCluster.node(social.operatorPod());
    }

    private String scaleInReverted() throws Exception {
        List<String> before = social.uids();
        social.scale(2);
        Target.await(
                "a storage peer is being drained",
                LIMIT,
                () -> social.resource().at("/status/stops/0/reason").asText().equals("ScaleIn"));
        social.scale(3);
        social.settled(3);
        List<String> after = social.uids();
        // If the reversal comes too late, a pod is replaced, but no chunk is lost.
        return before.equals(after) ? "no pod went" : "a pod went before it was reverted, and came back";
    }

    /** The operator adds storage peers under the load, and removes them when each may take more of it. */
    private String autoscales() throws Exception {
        social.patch("{\"spec\":{\"storagePeers\":{\"autoscaling\":{\"min\":3,\"max\":5,\"targetUsesPerSecond\":50,"
                + "\"scaleOutSeconds\":5,\"scaleInSeconds\":5}}}}");
        social.settled(5);
        String seen = social.resource().at("/status/storagePeers/autoscaler").toString();
        social.patch("{\"spec\":{\"storagePeers\":{\"autoscaling\":{\"targetUsesPerSecond\":1000000}}}}");
        social.settled(3);
        social.patch("{\"spec\":{\"storagePeers\":{\"autoscaling\":null}}}");
        social.settled(3);
        return "five storage peers at " + seen + ", and three again";
    }

    /** Adds memory while everything runs, then takes it away again, for which pods are replaced. */
    private String growsMemory() throws Exception {
        String memory = social.resource().at("/spec/storagePeers/memory").asText();
        List<String> before = social.uids();
        long restarts = social.restarts();
        long capacityBytes = social.view().at("/totals/capacityBytes").asLong();
        social.patch("{\"spec\":{\"storagePeers\":{\"memory\":\"3Gi\"}}}");
        Target.await(
                "all storage peers have more memory, and nothing is left to do",
                LIMIT,
                () -> SocialCluster.isStable(social.resource())
                        && social.view().at("/totals/capacityBytes").asLong() > capacityBytes * 4 / 3);
        List<String> after = social.uids();
        boolean canResize = target.kubectl().run("get", "--raw", "/api/v1").contains("\"pods/resize\"");
        Check.that(!canResize || before.equals(after), "pods before %s, after %s", before, after);
        Check.that(social.restarts() == restarts, "a container was restarted");
        social.patch("{\"spec\":{\"storagePeers\":{\"memory\":\"" + memory + "\"}}}");
        Target.await(
                "all storage peers have what they had",
                LIMIT,
                () -> SocialCluster.isStable(social.resource())
                        && social.view().at("/totals/capacityBytes").asLong() == capacityBytes);
        social.settled(3);
        return canResize
                ? "no pod was touched when it grew"
                : "pods were replaced: this Kubernetes does not resize them";
    }

    private String canaryRollsBack() throws Exception {
        List<String> before = social.uids();
        String image = target.options().image();
        social.patch("{\"spec\":{\"image\":\"" + BAD_IMAGE + "\"}}");
        Target.await("the update is rolled back", LIMIT, () -> {
            JsonNode granary = social.resource();
            return SocialCluster.condition(granary, "Degraded", "reason").equals("UpdateRolledBack")
                    && granary.at("/status/storagePeers/live").asInt() == 3
                    && granary.path("status").path("stops").isMissingNode();
        });
        List<String> same = new ArrayList<>(social.uids());
        same.retainAll(before);
        String message = SocialCluster.condition(social.resource(), "Degraded", "message");
        social.patch("{\"spec\":{\"image\":\"" + image + "\"}}");
        social.settled(3);
        Check.that(same.size() >= before.size() - 1, "only %s of %s stayed", same, before);
        return same.size() + " of " + before.size() + " pods were never touched; " + message;
    }

    /** Volumes here are folders of a node, so the pod comes back to its node when that takes pods again. */
    private String drainsNode() throws Exception {
        String node = storageNode();
        String output;
        try {
            output = drain(node);
        } finally {
            target.kubectl().run("uncordon", node);
        }
        social.settled(3);
        return output.lines()
                .filter(line -> line.contains("evicted") || line.contains("drained"))
                .toList()
                .toString();
    }

    /** Returns a node with a storage peer, which is not that of the load. */
    private String storageNode() throws Exception {
        String node = "";
        String loadNode = operatorNode();
        for (JsonNode pod : social.pods()) {
            String candidate = SocialCluster.node(pod);
            boolean storage = SocialCluster.name(pod).startsWith("social-storage");
            if (storage && !candidate.equals(loadNode)) {
                node = candidate;
            }
        }
        Check.that(!node.isEmpty(), "all storage pods are on the node of the load");
        return node;
    }

    private String drain(String node) throws Exception {
        return target.kubectl()
                .run(
                        "drain",
                        node,
                        "--ignore-daemonsets",
                        "--delete-emptydir-data",
                        "--pod-selector=granary.dev/cluster=social",
                        "--timeout=240s");
    }

    /** An autoscaler does not cordon a node that it removes: it taints it, and evicts pods that nothing guards. */
    private String leavesTaintedNode() throws Exception {
        String node = storageNode();
        long startNanos = System.nanoTime();
        double seconds;
        try {
            target.kubectl().run("taint", "nodes", node, AUTOSCALER_TAINT + "=1:NoSchedule");
            Target.await("nothing guards the pods of " + node, LIMIT, () -> social.pods().stream()
                    .filter(pod -> SocialCluster.node(pod).equals(node))
                    .noneMatch(pod -> pod.at("/metadata/labels").has(GUARDED)));
            seconds = (System.nanoTime() - startNanos) / 1e9;
            drain(node);
        } finally {
            target.kubectl().run("uncordon", node);
            target.kubectl().call(null, "taint", "nodes", node, AUTOSCALER_TAINT + "-");
        }
        social.settled(3);
        return "the pods of %s could be evicted %.1f s after the taint".formatted(node, seconds);
    }

    private String restartsOperatorWhileScaling() throws Exception {
        social.scale(4);
        social.settled(4);
        social.scale(3);
        Target.await(
                "a storage peer is being drained",
                LIMIT,
                () -> social.resource().at("/status/stops/0/reason").asText().equals("ScaleIn")
                        || social.resource().at("/status/storagePeers/target").asInt() == 3);
        String killed = social.killOperator();
        social.settled(3);
        return killed + " was killed, and its successor went on";
    }

    /** One operator works, the other waits; when the first is gone, the second goes on. */
    private String runsTwoOperators() throws Exception {
        social.operators(2);
        social.scale(4);
        social.settled(4);
        String killed = social.leadingOperator();
        target.kubectl().run("delete", "pod", killed, "-n", Target.OPERATOR_NAMESPACE, "--grace-period=0", "--force");
        social.scale(3);
        social.settled(3);
        Check.that(!social.leadingOperator().equals(killed), "%s still leads", killed);
        social.operators(1);
        return "with two operators, of which " + killed + " was killed: four storage peers, and three again";
    }

    /** Deletes everything that a cluster has beside its pods and volumes. Services come back with other addresses. */
    private String deletesObjects() throws Exception {
        String kinds = "services,configmaps,poddisruptionbudgets,serviceaccounts";
        String selector = "granary.dev/cluster=social";
        List<String> before = names(kinds, selector);
        List<String> pods = social.uids();
        target.kubectl().run("delete", kinds, "-n", Target.NAMESPACE, "-l", selector, "--wait=false");
        Target.await("the operator has made them again", LIMIT, () -> names(kinds, selector)
                .equals(before));
        social.settled(3);
        Check.that(pods.equals(social.uids()), "pods before %s, after %s", pods, social.uids());
        return before + " were deleted and are there again; no pod was touched";
    }

    private List<String> names(String kinds, String selector) throws Exception {
        return target.kubectl()
                .run("get", kinds, "-n", Target.NAMESPACE, "-l", selector, "-o", "name")
                .lines()
                .sorted()
                .toList();
    }

    /** Returns how often an operator has reconciled the cluster. */
    private double reconciles(String pod) throws Exception {
        return target.kubectl()
                .run(
                        "get",
                        "--raw",
                        "/api/v1/namespaces/" + Target.OPERATOR_NAMESPACE + "/pods/" + pod + ":8080/proxy/metrics")
                .lines()
                .filter(line -> line.startsWith("granary_operator_reconciles_total") && line.contains("outcome=\"ok\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Changes the operator's own settings, as a new version does: another default image, another template. */
    private String upgradesOperator() throws Exception {
        List<String> before = social.uids();
        target.upgradeRelease("granaryImage.tag=of-another-version");
        String successor = social.operatorPod().at("/metadata/name").asText();
        Target.await(successor + " has looked at the cluster three times", LIMIT, () -> reconciles(successor) >= 3);
        List<String> after = social.uids();
        Check.that(before.equals(after), "pods before %s, after %s", before, after);
        social.settled(3);
        target.helm().run("rollback", Target.RELEASE, "--namespace", Target.OPERATOR_NAMESPACE, "--wait");
        return "no pod was restarted";
    }
}
