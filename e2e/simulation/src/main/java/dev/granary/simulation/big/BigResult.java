package dev.granary.simulation.big;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a big simulation came to.
 *
 * @param plan what it was made of
 * @param samples moments, in order
 * @param counts lookups, ring operations and deaths by name
 * @param messages by kind, of all super-peers together
 * @param bytes by kind, of all super-peers together
 * @param events of the simulation
 * @param traceHash equal for equal runs
 * @param violation what must not be, if anything was
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
