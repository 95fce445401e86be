package dev.granary.simulation.big;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The result of a big simulation.
 *
 * @param plan the plan that was run
 * @param samples the samples, in order
 * @param counts the numbers of lookups, ring operations and deaths by name
 * @param messages the messages of all super-peers together, by kind
 * @param bytes the bytes of all super-peers together, by kind
 * @param events the number of events of the simulation
 * @param traceHash equal for equal runs
 * @param violation what must not happen and did; empty when all is well
 */
public record BigResult(
        BigPlan plan,
        List<BigSample> samples,
        Map<String, Long> counts,
        Map<String, Long> messages,
        Map<String, Long> bytes,
        long events,
        long traceHash,
        Optional<String> violation) {}
