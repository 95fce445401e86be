package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.doctor.Check;
import dev.granary.cli.doctor.Check.Needs;
import dev.granary.cli.doctor.ClusterChecks;
import dev.granary.cli.doctor.Evidence;
import dev.granary.cli.doctor.Finding.Level;
import dev.granary.cli.doctor.ProcessLook;
import dev.granary.cli.doctor.Samples;
import dev.granary.cli.doctor.Samples.Sample;
import dev.granary.cli.doctor.Trouble;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What {@code kubectl granary doctor} looks at beside the cluster itself: the resource, its pods and the operator. */
final class ResourceChecks {

    private static final String VOLUMES_GROWN = "VolumesGrown";
    private static final String UPDATE_ROLLED_BACK = "UpdateRolledBack";

    /** The healthy value of each condition that no check of its own is about; absent conditions are skipped. */
    private static final Map<String, String> HEALTHY = Map.of(
            "Ready",
            "True",
            "MemoryPressure",
            "False",
            "DiskPressure",
            "False",
            "Headroom",
            "True",
            "Balanced",
            "True",
            VOLUMES_GROWN,
            "True");

    private static final double NOT_RECONCILED_SECONDS = 300;
    private static final Duration IMAGE_OUTDATED = Duration.ofDays(7);

    /** The operator looks at each resource every ten seconds. */
    private static final double LATE_SECONDS = 30;

    private static final String LOOK_AT_OPERATOR =
            "look at the operator: kubectl get pods -A -l app.kubernetes.io/name=granary-operator";

    static final List<Check> OWN = List.of(
            new Check(
                    "GranaryClusterUnreachable",
                    Level.CRITICAL,
                    "GranaryClusterUnreachable",
                    Needs.RESOURCE,
                    "super-peers answer the operator",
                    ResourceChecks::unreachable),
            new Check(
                    "GranaryDegraded",
                    Level.WARNING,
                    "GranaryDegraded",
                    Needs.RESOURCE,
                    "the resource is not degraded",
                    evidence -> degraded(evidence, reason -> !reason.equals(UPDATE_ROLLED_BACK))),
            new Check(
                    "GranaryUpdateRolledBack",
                    Level.WARNING,
                    "GranaryUpdateRolledBack",
                    Needs.RESOURCE,
                    "no update was rolled back",
                    evidence -> degraded(evidence, UPDATE_ROLLED_BACK::equals)),
            new Check(
                    "GranaryImageOutdated",
                    Level.WARNING,
                    "GranaryImageOutdated",
                    Needs.RESOURCE,
                    "the cluster has the operator's image",
                    ResourceChecks::otherImage),
            new Check(
                    "",
                    Level.WARNING,
                    "GranaryDegraded",
                    Needs.RESOURCE,
                    "the other conditions are as they should be",
                    ResourceChecks::conditions),
            new Check(
                    "",
                    Level.WARNING,
                    "GranaryOperatorNotReconciling",
                    Needs.RESOURCE,
                    "the operator has applied the newest spec",
                    ResourceChecks::specNotApplied),
            new Check(
                    "GranaryStopBlocked",
                    Level.WARNING,
                    "GranaryStopBlocked",
                    Needs.RESOURCE,
                    "no planned stop is blocked",
                    ResourceChecks::blockedStops),
            new Check(
                    "", Level.WARNING, "GranaryDegraded", Needs.RESOURCE, "every container runs", ResourceChecks::pods),
            new Check(
                    "GranaryOperatorWithoutLeader",
                    Level.WARNING,
                    "GranaryOperatorWithoutLeader",
                    Needs.OPERATOR,
                    "an operator leads",
                    ResourceChecks::withoutLeader),
            new Check(
                    "GranaryOperatorNotReconciling",
                    Level.WARNING,
                    "GranaryOperatorNotReconciling",
                    Needs.OPERATOR,
                    "the operator looks after the resource",
                    ResourceChecks::notReconciling),
            new Check(
                    "GranaryOperatorFailing",
                    Level.WARNING,
                    "GranaryOperatorFailing",
                    Needs.OPERATOR,
                    "the operator does not fail on the resource",
                    ResourceChecks::failing));

    /** All checks, those of the cluster among them. */
    static final List<Check> ALL = Stream.of(OWN, BackupChecks.ALL, UserChecks.ALL, ClusterChecks.ALL)
            .flatMap(List::stream)
            .toList();

    private ResourceChecks() {}

    private static Stream<JsonNode> conditionsOf(Evidence evidence) {
        return Evidence.stream(evidence.resource().at("/status/conditions"));
    }

    private static boolean is(Evidence evidence, String type, String status) {
        return conditionsOf(evidence)
                .anyMatch(condition -> condition.path("type").asText().equals(type)
                        && condition.path("status").asText().equals(status));
    }

    private static List<Trouble> unreachable(Evidence evidence) {
        return is(evidence, "Degraded", "True") && is(evidence, "Balanced", "Unknown")
                ? List.of(Trouble.of(
                        "",
                        "no super-peer answers the operator",
                        "look whether the super-peers' pods run, and whether a NetworkPolicy keeps the operator out"))
                : List.of();
    }

    /** Conditions of a type that are there and have another value. */
    private static Stream<JsonNode> ill(Evidence evidence, String type, String healthy) {
        return conditionsOf(evidence)
                .filter(condition -> condition.path("type").asText().equals(type))
                .filter(condition -> !condition.path("status").asText().equals(healthy));
    }

    private static Trouble trouble(JsonNode condition) {
        String type = condition.path("type").asText();
        String reason = condition.path("reason").asText();
        String what = type + " is " + condition.path("status").asText() + " (" + reason + ")";
        String advice = condition.path("message").asText();
        // Volumes that grow need time, and nobody.
        boolean passes = type.equals(VOLUMES_GROWN) && reason.equals("Resizing");
        return (passes ? Trouble.note(type, what, advice) : Trouble.of(type, what, advice))
                .since(condition.path("lastTransitionTime").asText(""));
    }

    private static List<Trouble> degraded(Evidence evidence, Predicate<String> reason) {
        return ill(evidence, "Degraded", "False")
                .filter(condition -> reason.test(condition.path("reason").asText()))
                .map(ResourceChecks::trouble)
                .toList();
    }

    /** Nobody updates on the day on which an update is there. */
    private static List<Trouble> otherImage(Evidence evidence) {
        return ill(evidence, "UpdateAvailable", "False")
                .map(condition -> {
                    String since = condition.path("lastTransitionTime").asText("");
                    String what = "the cluster has not the operator's image";
                    String advice = condition.path("message").asText();
                    boolean isLong = !since.isEmpty()
                            && Instant.parse(since).plus(IMAGE_OUTDATED).isBefore(evidence.at());
                    return (isLong ? Trouble.of("", what, advice) : Trouble.note("", what, advice)).since(since);
                })
                .toList();
    }

    private static List<Trouble> conditions(Evidence evidence) {
        return HEALTHY.entrySet().stream()
                .flatMap(healthy -> ill(evidence, healthy.getKey(), healthy.getValue()))
                .map(ResourceChecks::trouble)
                .toList();
    }

    /** Stalled and Reconciling say why a spec is not applied. When neither does, the operator does not look. */
    private static List<Trouble> specNotApplied(Evidence evidence) {
        JsonNode resource = evidence.resource();
        if (resource.at("/metadata/generation").asLong()
                == resource.at("/status/observedGeneration").asLong()) {
            return List.of();
        }
        String advice = Stream.of("Stalled", "Reconciling")
                .flatMap(type -> ill(evidence, type, "False"))
                .map(condition -> condition.path("message").asText())
                .findFirst()
                .orElse(LOOK_AT_OPERATOR);
        return List.of(Trouble.of("", "the operator has not applied the newest spec", advice));
    }

    private static List<Trouble> blockedStops(Evidence evidence) {
        return Evidence.stream(evidence.resource().at("/status/stops"))
                .filter(stop -> stop.path("phase").asText().equals("Blocked"))
                .map(stop -> Trouble.of(
                        stop.path("pod").asText(),
                        stop.path("pod").asText() + " cannot go",
                        stop.path("message").asText()))
                .toList();
    }

    private static List<Trouble> pods(Evidence evidence) {
        List<Trouble> found = new ArrayList<>();
        for (JsonNode pod : evidence.pods()) {
            String name = pod.at("/metadata/name").asText();
            for (JsonNode container : pod.at("/status/containerStatuses")) {
                restarts(name, container, found);
                String waiting = container.at("/state/waiting/reason").asText("");
                if (!waiting.isEmpty()) {
                    found.add(Trouble.of(
                            name,
                            name + " waits: " + waiting,
                            container.at("/state/waiting/message").asText("kubectl describe pod " + name)));
                }
            }
            Evidence.stream(pod.at("/status/conditions"))
                    .filter(condition -> condition.path("type").asText().equals("PodScheduled")
                            && condition.path("status").asText().equals("False"))
                    .forEach(condition -> found.add(Trouble.of(
                                    name,
                                    name + " has no node: "
                                            + condition.path("message").asText(),
                                    "kubectl describe pod " + name)
                            .since(condition.path("lastTransitionTime").asText(""))));
        }
        return found;
    }

    private static void restarts(String pod, JsonNode container, List<Trouble> found) {
        int restarts = container.path("restartCount").asInt();
        if (restarts > 0) {
            found.add(Trouble.of(
                            pod,
                            pod + " was restarted " + restarts + " times, last because of "
                                    + container
                                            .at("/lastState/terminated/reason")
                                            .asText("unknown"),
                            "kubectl granary logs " + pod + " --previous")
                    .since(container.at("/lastState/terminated/finishedAt").asText("")));
        }
    }

    private static Stream<Samples> operators(Evidence evidence) {
        return evidence.processes().stream()
                .filter(process -> process.role() == ProcessLook.Role.OPERATOR && process.isSeen())
                .map(ProcessLook::now);
    }

    static Stream<Samples> leaders(Evidence evidence) {
        return operators(evidence).filter(samples -> samples.sum("granary_operator_leader") == 1);
    }

    private static List<Trouble> withoutLeader(Evidence evidence) {
        return leaders(evidence).findAny().isPresent()
                ? List.of()
                : List.of(Trouble.of(
                        "",
                        "no operator leads",
                        "nothing is reconciled until one holds the Lease: " + LOOK_AT_OPERATOR));
    }

    /** The samples of the leading operator about the resource. */
    private static Stream<Sample> ofResource(Evidence evidence, String metric) {
        JsonNode metadata = evidence.resource().path("metadata");
        return leaders(evidence)
                .flatMap(samples -> samples.of(metric))
                .filter(sample -> sample.label("namespace")
                                .equals(metadata.path("namespace").asText())
                        && sample.label("name").equals(metadata.path("name").asText()));
    }

    private static double secondsSinceSuccess(Evidence evidence, Sample sample) {
        return evidence.at().getEpochSecond() - sample.value();
    }

    private static List<Trouble> notReconciling(Evidence evidence) {
        return ofResource(evidence, "granary_operator_last_success_timestamp_seconds")
                .filter(sample -> secondsSinceSuccess(evidence, sample) > NOT_RECONCILED_SECONDS)
                .map(sample -> Trouble.of("", "the operator has not looked after the resource", LOOK_AT_OPERATOR)
                        .since(Instant.ofEpochSecond((long) sample.value()).toString()))
                .toList();
    }

    /** Errors were counted, and the last success is older than the pause between two looks of the operator. */
    private static List<Trouble> failing(Evidence evidence) {
        double errors = ofResource(evidence, "granary_operator_reconciles_total")
                .filter(sample -> sample.label("outcome").equals("error"))
                .mapToDouble(Sample::value)
                .sum();
        boolean late = ofResource(evidence, "granary_operator_last_success_timestamp_seconds")
                .anyMatch(sample -> secondsSinceSuccess(evidence, sample) > LATE_SECONDS);
        return errors > 0 && late
                ? List.of(Trouble.of(
                        "",
                        "the operator fails on the resource",
                        "the condition Degraded and the operator's log say why"))
                : List.of();
    }
}
