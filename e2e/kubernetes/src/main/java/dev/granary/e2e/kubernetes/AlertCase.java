package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.AlertScenario.Fault;
import dev.granary.e2e.kubernetes.AlertScenario.Order;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Formats;
import dev.granary.e2e.kubernetes.program.Program;
import dev.granary.e2e.kubernetes.prometheus.AlertHistory;
import dev.granary.e2e.kubernetes.prometheus.AlertHistory.Firing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The case alerts: each alert fires by the fault that it is for, and goes after it, in a cluster of its own. Waiting
 * times are shortened (ADR 0254).
 */
final class AlertCase {

    /** The name of this case on the command line. */
    static final String NAME = "alerts";

    /** Alerts for which no fault from outside is known, and why. */
    static final Map<String, String> NOT_PROVOKED = Map.of(
            "GranaryLoopFailing",
            "a round fails by a bug or by exhaustion. A thread that stands still makes one fail in a minute, and three"
                    + " are too many for the shortened range",
            "GranaryCertificateExpiresSoon",
            "the operator renews in time; somebody else's certificate would have to be days old, or the clock wrong");

    private static final int PEERS = 3;
    private static final int NODES = 3;
    private static final int CHUNKS = 10_000;
    private static final Duration GONE_WITHIN = Duration.ofMinutes(4);

    private final Target target;
    private final Report report;
    private final DataSteps data;
    private final MonitoringSteps monitoring;
    private final SocialCluster social;
    private final Machines machines;
    private final List<AlertScenario> first;
    private final List<AlertScenario> later;
    private final List<AlertScenario> beside;
    private SortedMap<String, String> expressions = new TreeMap<>();
    private JsonNode rules = Formats.JSON.createArrayNode();
    private @Nullable AlertWatch watch;

    /** The first faults of the scenarios that last beside the others, by the names of these. */
    private final Map<String, Begun> begunBeside = new HashMap<>();

    /** A fault that has begun, and when it began and ended. */
    private static final class Begun {
        private final Fault fault;
        private final Instant at = Instant.now();
        private @Nullable Instant endedAt;

        Begun(Fault fault) {
            this.fault = fault;
        }
    }

    AlertCase(Target target, Report report, DataSteps data, MonitoringSteps monitoring) {
        this.target = target;
        this.report = report;
        this.data = data;
        this.monitoring = monitoring;
        this.social = new SocialCluster(target);
        this.machines = new Machines(target.options().nodeScripts());
        ControlFaults control = new ControlFaults(target, data);
        this.first = wanted(control.first());
        this.later = wanted(Stream.concat(new StorageFaults(target).scenarios().stream(), control.others().stream())
                .toList());
        this.beside = wanted(control.beside());
    }

    /** Returns the scenarios for the alerts that were asked for. */
    private List<AlertScenario> wanted(List<AlertScenario> scenarios) {
        Set<String> alerts = target.options().alerts();
        return scenarios.stream()
                .filter(one -> alerts.isEmpty() || one.alerts().stream().anyMatch(alerts::contains))
                .toList();
    }

    /** Returns the scenarios that are run, in their order. */
    List<AlertScenario> scenarios() {
        return Stream.of(first, later, beside).flatMap(List::stream).toList();
    }

    List<Step> all() {
        List<Step> steps = new ArrayList<>(List.of(knowsAllAlerts(), makesClusters()));
        first.forEach(one -> steps.add(step(one)));
        if (!beside.isEmpty()) {
            steps.add(beginsLongOnes());
        }
        later.forEach(one -> steps.add(step(one)));
        beside.forEach(one -> steps.add(step(one)));
        steps.add(leavesNothing());
        return steps;
    }

    /** An alert that nobody has thought of a fault for fails the case. */
    private Step knowsAllAlerts() {
        return Step.essential("alerts: each alert has a fault, and promtool takes the shortened rules", () -> {
            machines.require();
            rules = AlertRules.shortened(AlertRules.rendered(target));
            expressions = AlertRules.expressions(rules);
            checkScenarios(expressions.keySet(), scenarios(), target.options().alerts());
            Path file = Files.createDirectories(folder()).resolve("shortened.yaml");
            Files.writeString(file, AlertRules.file(rules));
            return new Program(target.options().promtool(), List.of()).run("check", "rules", file.toString());
        });
    }

    /** Fails if an alert has no scenario, a scenario has an unknown alert, or an alert that is asked for is unknown. */
    static void checkScenarios(Set<String> alerts, List<AlertScenario> scenarios, Set<String> askedFor) {
        Set<String> provoked =
                scenarios.stream().flatMap(one -> one.alerts().stream()).collect(Collectors.toSet());
        Set<String> forgotten = new TreeSet<>(askedFor.isEmpty() ? alerts : askedFor);
        forgotten.removeAll(provoked);
        forgotten.removeAll(NOT_PROVOKED.keySet());
        Check.that(forgotten.isEmpty(), "no scenario has a fault for %s", forgotten);
        Set<String> invented = new TreeSet<>(provoked);
        invented.addAll(NOT_PROVOKED.keySet());
        invented.removeAll(alerts);
        Check.that(invented.isEmpty(), "the chart has no alerts %s", invented);
    }

    private Path folder() {
        return target.options().reportFolder().resolve("alerts");
    }

    private Step makesClusters() {
        return Step.essential("alerts: two small clusters are Ready, and Prometheus has the shortened rules", () -> {
            machines.require();
            int nodes = target.client().nodes().list().getItems().size();
            Check.that(nodes >= NODES, "the faults want %d nodes, there are %d", NODES, nodes);
            String yaml = Resources.read(Resources.ALERTS)
                    .replace("@SUPER_PEERS@", Integer.toString(isRingSmall() ? 1 : PEERS));
            Program.Result applied = target.kubectl().call(yaml, "apply", "-n", Target.NAMESPACE, "-f", "-");
            Check.that(applied.exitCode() == 0, "%s", applied.output());
            for (String name : List.of(AlertScenario.CLUSTER, ControlFaults.LONELY)) {
                target.kubectl()
                        .run("wait", "--for=condition=Ready", "gran/" + name, "-n", Target.NAMESPACE, "--timeout=240s");
            }
            data.create("few", CHUNKS);
            AlertWatch started = AlertWatch.start(target, folder(), AlertRules.file(rules));
            monitoring.closeAtTheEnd(started);
            watch = started;
            return expressions.size() + " alerts";
        });
    }

    /** Whether a scenario wants a ring of one, and makes it larger at its end. */
    private boolean isRingSmall() {
        return first.stream().anyMatch(one -> one.alerts().contains("GranarySuperPeersBelowThree"));
    }

    private Step beginsLongOnes() {
        return Step.of("alerts: faults begin that last beside the others", () -> {
            machines.require();
            for (AlertScenario scenario : beside) {
                Begun begun = new Begun(scenario.faults().getFirst());
                begunBeside.put(scenario.name(), begun);
                begun.fault.begin().run();
            }
            return String.join("\n", begunBeside.keySet());
        });
    }

    private Step step(AlertScenario scenario) {
        return Step.of("alerts: " + scenario.name(), () -> {
            machines.require();
            List<String> problems = new ArrayList<>();
            List<Begun> all = carryOut(scenario, problems);
            attempt(problems, () -> social.whole(PEERS, PEERS));
            for (Begun begun : all) {
                attempt(problems, () -> awaitGone(begun, problems));
            }
            attempt(problems, () -> awaitQuiet(problems));
            List<AlertResult> results = all.stream().flatMap(this::results).toList();
            results.forEach(report::add);
            Check.that(problems.isEmpty(), "%s%n%s", AlertResult.table(results), String.join("\n", problems));
            return AlertResult.table(results).strip();
        });
    }

    /** Makes the faults and ends them, whatever fails. */
    private List<Begun> carryOut(AlertScenario scenario, List<String> problems) {
        List<Begun> all = new ArrayList<>();
        Deque<Begun> open = new ArrayDeque<>();
        attempt(problems, () -> {
            for (Fault fault : scenario.faults()) {
                Begun early = all.isEmpty() ? begunBeside.remove(scenario.name()) : null;
                Begun begun = early == null ? new Begun(fault) : early;
                all.add(begun);
                open.push(begun);
                System.out.println("begins: " + fault.what());
                if (early == null) {
                    fault.begin().run();
                }
                awaitFired(begun, problems);
                if (scenario.order() != Order.NESTED) {
                    end(open.pop(), problems);
                }
            }
        });
        while (!open.isEmpty()) {
            end(open.pop(), problems);
        }
        return all;
    }

    private static void end(Begun begun, List<String> problems) {
        System.out.println("ends: " + begun.fault.what());
        begun.endedAt = Instant.now();
        attempt(problems, begun.fault.end());
    }

    /** What fails in one place must not keep the rest from being put right. */
    private static void attempt(List<String> problems, AlertScenario.Deed deed) {
        try {
            deed.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            problems.add("interrupted");
        } catch (Exception | AssertionError e) {
            problems.add(e instanceof AssertionError ? String.valueOf(e.getMessage()) : e.toString());
        }
    }

    private void awaitFired(Begun begun, List<String> problems) throws Exception {
        long endNanos = System.nanoTime() + begun.fault.within().toNanos();
        List<String> missing = silent(begun);
        while (!missing.isEmpty() && System.nanoTime() - endNanos < 0) {
            Thread.sleep(500);
            missing = silent(begun);
        }
        if (missing.isEmpty()) {
            return;
        }
        for (String alert : missing) {
            problems.add("%s did not fire within %s of: %s%n%s"
                    .formatted(
                            alert,
                            begun.fault.within(),
                            begun.fault.what(),
                            watch().explain(alert, expressions.getOrDefault(alert, ""))));
        }
        problems.add(watch().surroundings());
        new Diagnosis(target).collect("while silent " + String.join(" ", missing));
    }

    private List<String> silent(Begun begun) {
        return begun.fault.alerts().stream()
                .filter(alert -> fired(begun, alert).isEmpty())
                .toList();
    }

    private Optional<Instant> fired(Begun begun, String alert) {
        return watch().history().firedFrom(alert, begun.fault.about(), begun.at);
    }

    private Optional<Instant> gone(Begun begun, String alert) {
        Instant endedAt = begun.endedAt;
        return endedAt == null ? Optional.empty() : watch().history().goneFrom(alert, begun.fault.about(), endedAt);
    }

    private void awaitGone(Begun begun, List<String> problems) throws Exception {
        for (String alert : begun.fault.alerts()) {
            long endNanos = System.nanoTime() + GONE_WITHIN.toNanos();
            while (gone(begun, alert).isEmpty() && System.nanoTime() - endNanos < 0) {
                Thread.sleep(500);
            }
            if (gone(begun, alert).isEmpty()) {
                problems.add("%s still fires %s after the end of: %s%n%s%s"
                        .formatted(
                                alert,
                                GONE_WITHIN,
                                begun.fault.what(),
                                watch().explain(alert, expressions.getOrDefault(alert, "")),
                                watch().surroundings()));
            }
        }
    }

    /** Waits until nothing fires but what is about faults that last beside the others. */
    private void awaitQuiet(List<String> problems) throws Exception {
        long endNanos = System.nanoTime() + GONE_WITHIN.toNanos();
        while (!firing().isEmpty() && System.nanoTime() - endNanos < 0) {
            Thread.sleep(500);
        }
        Set<Firing> firing = firing();
        if (!firing.isEmpty()) {
            problems.add("after all this there still fires: " + firing);
            for (String alert : firing.stream().map(Firing::alert).collect(Collectors.toCollection(TreeSet::new))) {
                problems.add(alert + ":\n" + watch().explain(alert, expressions.getOrDefault(alert, "")));
            }
        }
    }

    private Set<Firing> firing() {
        Set<String> lasting =
                begunBeside.values().stream().map(begun -> begun.fault.about()).collect(Collectors.toSet());
        return AlertHistory.without(watch().history().now(), lasting);
    }

    private Stream<AlertResult> results(Begun begun) {
        return begun.fault.alerts().stream()
                .map(alert -> new AlertResult(
                        alert,
                        begun.fault.what(),
                        fired(begun, alert).map(at -> seconds(begun.at, at)).orElse(null),
                        gone(begun, alert)
                                .flatMap(
                                        at -> Optional.ofNullable(begun.endedAt).map(end -> seconds(end, at)))
                                .orElse(null),
                        null));
    }

    private static double seconds(Instant from, Instant to) {
        return Math.round(Duration.between(from, to).toMillis() / 100.0) / 10.0;
    }

    private Step leavesNothing() {
        return Step.of("alerts: the clusters go, and no alert fires", () -> {
            machines.require();
            if (target.options().alerts().isEmpty()) {
                new TreeMap<>(NOT_PROVOKED).forEach((alert, why) -> report.add(AlertResult.notProvoked(alert, why)));
            }
            target.kubectl()
                    .run(
                            "delete",
                            "granarybackups,granarybackupschedules,granaries",
                            "--all",
                            "-n",
                            Target.NAMESPACE,
                            "--timeout=180s");
            List<String> problems = new ArrayList<>();
            awaitQuiet(problems);
            Check.that(problems.isEmpty(), "%s", String.join("\n", problems));
            return NOT_PROVOKED.size() + " alerts were not provoked: " + NOT_PROVOKED.keySet();
        });
    }

    private AlertWatch watch() {
        AlertWatch running = watch;
        if (running == null) {
            throw new AssertionError("Prometheus did not start");
        }
        return running;
    }
}
