package dev.granary.superpeer.node;

import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.process.EnumCounters;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a super-peer measures of the plans and migrations of its arcs. Thread-safe. */
public final class PlanMetrics extends Collector {

    private final Map<PlanKind, EnumCounters<Outcome>> ended = new EnumMap<>(PlanKind.class);
    private volatile View view = new View(Map.of(), 0, 0, 0);

    /** How a plan has ended. */
    public enum Outcome {
        DONE,
        ABORTED,
        FAILED
    }

    /**
     * The plans and migrations at a moment.
     *
     * @param running how many plans of each kind run
     * @param pendingMoves moves of these that have not ended
     * @param pendingBytes bytes of the chunks of these moves, as planned
     * @param migrations how many migrations run
     */
    public record View(Map<PlanKind, Integer> running, long pendingMoves, long pendingBytes, int migrations) {}

    PlanMetrics(CollectorRegistry registry) {
        for (PlanKind kind : PlanKind.values()) {
            ended.put(kind, new EnumCounters<>(Outcome.class));
        }
        register(registry);
    }

    /** A plan has ended. */
    public void ended(PlanKind kind, Outcome outcome) {
        Objects.requireNonNull(ended.get(kind)).add(outcome, 1);
    }

    /** Shows what there is now. */
    public void show(View now) {
        view = now;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        View now = view;
        GaugeMetricFamily running = new GaugeMetricFamily(
                "granary_superpeer_plans_running",
                "Rebalance plans of this super-peer's arc that run: moves of chunks that were asked for, drains of"
                        + " storage peers, and spreads of chunks to new ones.",
                List.of("kind"));
        CounterMetricFamily outcomes = new CounterMetricFamily(
                "granary_superpeer_plans",
                "Rebalance plans of this super-peer's arc that have ended, by how.",
                List.of("kind", "outcome"));
        ended.forEach((kind, counters) -> {
            running.addMetric(List.of(EnumCounters.labelOf(kind)), now.running.getOrDefault(kind, 0));
            counters.addTo(outcomes, EnumCounters.labelOf(kind));
        });
        return List.of(
                running,
                outcomes,
                new GaugeMetricFamily(
                        "granary_superpeer_plan_moves_pending", "Moves of running plans that have not ended.", (double)
                                now.pendingMoves),
                new GaugeMetricFamily(
                        "granary_superpeer_plan_pending_bytes",
                        "Bytes of the chunks of these moves, as they were when the moves were planned.",
                        (double) now.pendingBytes),
                new GaugeMetricFamily(
                        "granary_superpeer_migrations_running",
                        "Migrations of this super-peer's arc that run: of plans, of restores and others.",
                        now.migrations));
    }
}
