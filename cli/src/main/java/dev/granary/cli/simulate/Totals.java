package dev.granary.cli.simulate;

import dev.granary.simulation.Fault;
import dev.granary.simulation.FaultKind;
import dev.granary.simulation.SeedResult;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What all seeds of a run came to. */
final class Totals {

    private final Map<FaultKind, Integer> injected = new EnumMap<>(FaultKind.class);
    private final Map<FaultKind, Integer> tookEffect = new EnumMap<>(FaultKind.class);
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private final List<Map<String, Object>> violations = new ArrayList<>();
    private int seeds;
    private long operations;
    private double virtualSeconds;

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

    int violations() {
        return violations.size();
    }

    void print(double seconds) {
        System.out.printf(
                "%d seeds in %.1f s, %.0f seeds per minute; %.0f s of virtual time%n",
                seeds, seconds, seedsPerMinute(seconds), virtualSeconds);
        System.out.printf("%d operations of clients checked%n", operations);
        if (!injected.isEmpty()) {
            System.out.printf("%-22s %9s %12s%n", "fault", "injected", "took effect");
            injected.forEach((kind, count) ->
                    System.out.printf("%-22s %9d %12d%n", kind.optionName(), count, tookEffect.getOrDefault(kind, 0)));
        }
        System.out.printf("%d violations%n", violations.size());
    }

    Map<String, Object> toJson(long firstSeed, double seconds) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("firstSeed", firstSeed);
        json.put("seeds", seeds);
        json.put("seconds", seconds);
        json.put("seedsPerMinute", seedsPerMinute(seconds));
        json.put("virtualSeconds", virtualSeconds);
        json.put("operationsChecked", operations);
        json.put("outcomes", outcomes);
        Map<String, Object> faults = new LinkedHashMap<>();
        injected.forEach((kind, count) -> faults.put(
                kind.optionName(), Map.of("injected", count, "tookEffect", tookEffect.getOrDefault(kind, 0))));
        json.put("faults", faults);
        json.put("violations", violations);
        return json;
    }

    private double seedsPerMinute(double seconds) {
        return seconds > 0 ? seeds * 60 / seconds : 0;
    }
}
