package dev.granary.tools.simulate;

import dev.granary.env.Probes;
import dev.granary.simulation.Fault;
import dev.granary.simulation.FaultKind;
import dev.granary.simulation.SeedResult;
import dev.granary.simulation.SimulationProbes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The totals of all seeds of a run. */
final class Totals {

    /** The most missed probes that are named by default. A few seeds miss many. */
    private static final int MISSED_SHOWN = 40;

    private final Map<FaultKind, Integer> injected = new EnumMap<>(FaultKind.class);
    private final Map<FaultKind, Integer> tookEffect = new EnumMap<>(FaultKind.class);
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private final List<Map<String, Object>> violations = new ArrayList<>();
    private int seeds;
    private long operations;
    private double virtualSeconds;
    private final Set<FaultKind> wanted;

    /** @param wanted the fault kinds that some seed should have */
    Totals(Set<FaultKind> wanted) {
        this.wanted = wanted;
    }

    void add(SeedResult result) {
        seeds++;
        operations += result.operations();
        virtualSeconds += result.virtualNanos() / 1e9;
        result.faults().forEach(fault -> injected.merge(fault.kind(), 1, Integer::sum));
        result.tookEffect().forEach((kind, count) -> tookEffect.merge(kind, count, Integer::sum));
        result.outcomes().forEach((outcome, count) -> outcomes.merge(outcome, count, Integer::sum));
    }

    void addViolation(SeedResult result, List<Fault> faults, String replay) {
        Map<String, Object> violation = new LinkedHashMap<>();
        violation.put("seed", result.seed());
        violation.put("problem", result.violation().orElse(""));
        violation.put("faults", faults.stream().map(Fault::toString).toList());
        violation.put("replay", replay);
        violations.add(violation);
    }

    /** Whether each fault kind took effect in some seed, and each probe was hit. */
    boolean isCovered() {
        return missedFaults().isEmpty() && SimulationProbes.missed().isEmpty();
    }

    private List<String> missedFaults() {
        return wanted.stream()
                .filter(kind -> tookEffect.getOrDefault(kind, 0) == 0)
                .sorted()
                .map(FaultKind::optionName)
                .toList();
    }

    int violations() {
        return violations.size();
    }

    void print(double seconds) {
        System.out.printf(
                "%d seeds in %.1f s, %.2f seeds and %.4f virtual hours a second; %.2f virtual hours%n",
                seeds, seconds, perSecond(seeds, seconds), perSecond(virtualHours(), seconds), virtualHours());
        System.out.printf("%d operations of clients checked%n", operations);
        if (!injected.isEmpty()) {
            System.out.printf("%-22s %9s %12s%n", "fault", "injected", "took effect");
            injected.forEach((kind, count) ->
                    System.out.printf("%-22s %9d %12d%n", kind.optionName(), count, tookEffect.getOrDefault(kind, 0)));
        }
        if (!missedFaults().isEmpty()) {
            System.out.println("no fault took effect of the kinds " + String.join(", ", missedFaults()));
        }
        List<String> missed = SimulationProbes.missed();
        System.out.printf(
                "%d of %d probes hit%n",
                SimulationProbes.all().size() - missed.size(),
                SimulationProbes.all().size());
        if (!missed.isEmpty() && missed.size() <= MISSED_SHOWN) {
            System.out.println("not hit: " + String.join(", ", missed));
        }
        System.out.printf("%d violations%n", violations.size());
    }

    /** Prints how often each probe was hit, the missed ones first. */
    void printProbes() {
        System.out.printf("%12s  %-48s %s%n", "hits", "probe", "situation");
        SimulationProbes.all().stream()
                .sorted(Comparator.comparingLong(Probes::hits))
                .forEach(probe -> System.out.printf(
                        "%12d  %-48s %s%n", Probes.hits(probe), SimulationProbes.nameOf(probe), probe.description()));
    }

    Map<String, Object> toJson(long firstSeed, int step, double seconds) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("firstSeed", firstSeed);
        json.put("step", step);
        json.put("seeds", seeds);
        json.put("seconds", seconds);
        json.put("seedsPerSecond", perSecond(seeds, seconds));
        json.put("virtualHours", virtualHours());
        json.put("virtualHoursPerSecond", perSecond(virtualHours(), seconds));
        json.put("operationsChecked", operations);
        json.put("outcomes", outcomes);
        Map<String, Object> faults = new LinkedHashMap<>();
        injected.forEach((kind, count) -> faults.put(
                kind.optionName(), Map.of("injected", count, "tookEffect", tookEffect.getOrDefault(kind, 0))));
        json.put("faults", faults);
        json.put("faultsWithoutEffect", missedFaults());
        Map<String, Object> probes = new LinkedHashMap<>();
        probes.put("hit", SimulationProbes.hit());
        probes.put("missed", SimulationProbes.missed());
        json.put("probes", probes);
        json.put("violations", violations.size());
        json.put("violated", violations);
        return json;
    }

    private double virtualHours() {
        return virtualSeconds / 3_600;
    }

    private static double perSecond(double count, double seconds) {
        return seconds > 0 ? count / seconds : 0;
    }
}
