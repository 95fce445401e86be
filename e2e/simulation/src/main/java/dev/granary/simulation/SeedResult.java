package dev.granary.simulation;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The result of a seed.
 *
 * @param traceHash equal for equal plans
 * @param events the number of events that were carried out
 * @param virtualNanos the time that passed in the simulated world
 * @param operations the number of operations that clients began and that were checked
 * @param outcomes how many operations ended in which way
 * @param faults the faults that were injected, in order
 * @param tookEffect how many faults of each kind took effect
 * @param violation what must not happen and did; empty when all is well
 */
public record SeedResult(
        long seed,
        long traceHash,
        long events,
        long virtualNanos,
        int operations,
        Map<String, Integer> outcomes,
        List<Fault> faults,
        Map<FaultKind, Integer> tookEffect,
        Optional<String> violation) {

    @Override
    public String toString() {
        return "seed %d: trace 0x%016x, %d events in %.1f s, %d operations %s, %d faults %s%s"
                .formatted(
                        seed,
                        traceHash,
                        events,
                        virtualNanos / 1e9,
                        operations,
                        outcomes,
                        faults.size(),
                        tookEffect,
                        violation.map(problem -> ", VIOLATION: " + problem).orElse(""));
    }
}
