package dev.granary.superpeer.node;

import dev.granary.process.EnumCounters;
import dev.granary.process.Metrics;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.GaugeMetricFamily;
import io.prometheus.client.Histogram;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The metrics of a super-peer. Thread-safe. */
public final class SuperPeerMetrics {

    private final CollectorRegistry registry;
    private final EnumCounters<LookupOutcome> lookups;
    private final Counter.Child leasesGranted;
    private final Counter.Child leasesExpired;
    private final Counter.Child pauses;
    private final Histogram recoveries;
    private final RaftMetrics raft;
    private final PlanMetrics plans;

    /** Registers the counters; the gauges follow with {@link #show}. */
    public SuperPeerMetrics(CollectorRegistry registry) {
        this.registry = registry;
        this.lookups = EnumCounters.register(
                registry,
                "granary_superpeer_lookups",
                "Lookups of a CID's owner by outcome.",
                "outcome",
                LookupOutcome.class);
        this.leasesGranted = counter("granary_superpeer_leases_granted_total", "Leases granted to new incarnations.");
        this.leasesExpired = counter("granary_superpeer_leases_expired_total", "Leases that ended without renewal.");
        this.pauses = counter(
                "granary_superpeer_pauses_total",
                "Pauses of this super-peer after which it waited for every lease in full again.");
        this.recoveries = Histogram.build(
                        "granary_superpeer_recovery_seconds",
                        "Time from when a zone was without an owner until it had the next one.")
                .buckets(RECOVERY_BUCKETS)
                .register(registry);
        this.raft = new RaftMetrics(registry);
        this.plans = new PlanMetrics(registry);
    }

    /** Upper bounds in seconds. */
    private static final double[] RECOVERY_BUCKETS = {0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300};

    private Counter.Child counter(String name, String help) {
        return Counter.build(name, help).register(registry).labels();
    }

    /** The outcome of a lookup. */
    public enum LookupOutcome {
        FOUND,
        NOT_FOUND,
        REDIRECTED
    }

    /**
     * Storage peers by what their leases say.
     *
     * @param live hold a lease
     * @param parked have stopped with a dump of their memory; nobody takes their places
     * @param expired have no lease, and own zones, are backups of some, or have chunks in zones without an owner: they
     *     are missed
     * @param left have no lease and no zone: they were drained, or others have taken their places
     */
    public record PeerCounts(int live, int parked, int expired, int left) {

        public static final PeerCounts NONE = new PeerCounts(0, 0, 0, 0);
    }

    /**
     * What the gauges show.
     *
     * @param nid of this super-peer as people see it, empty while it has none
     * @param ringSize members of the ring, 0 while it is not known
     * @param ringExpectedSize members that the ring was founded for
     * @param ringEpoch of the ring as it is known here
     * @param peers storage peers of the arc
     * @param ranges of the arc
     * @param names of the arc
     * @param unsavedNameChanges changes of names of the arc that no storage peer has yet
     * @param locks of chunks of the arc that are held
     * @param inSyncZones zones of the arc with all their copies
     * @param degradedZones zones of the arc with fewer copies than wanted
     * @param recoveringZones zones of the arc without an owner
     * @param lostZones zones of the arc without a copy
     * @param zoneNumbersLeft the smallest number of zones that a storage peer of the arc can still get
     */
    public record View(
            String nid,
            int ringSize,
            int ringExpectedSize,
            long ringEpoch,
            PeerCounts peers,
            long ranges,
            long names,
            long unsavedNameChanges,
            long locks,
            int inSyncZones,
            int degradedZones,
            int recoveringZones,
            int lostZones,
            int zoneNumbersLeft) {}

    /**
     * Registers the gauges.
     *
     * @param view asked at each scrape, by an HTTP thread
     */
    public void show(String version, Supplier<View> view) {
        gauge("granary_superpeer_ring_size", "Super-peers on the ring.", view, View::ringSize);
        gauge(
                "granary_superpeer_ring_expected_size",
                "Super-peers that the ring was founded for.",
                view,
                View::ringExpectedSize);
        gauge(
                "granary_superpeer_ring_complete",
                "Whether all super-peers are on the ring.",
                view,
                now -> now.ringSize > 0 && now.ringSize == now.ringExpectedSize ? 1 : 0);
        gauge("granary_superpeer_ring_epoch", "Epoch of the ring as this super-peer knows it.", view, View::ringEpoch);
        gauge("granary_superpeer_ranges", "Ranges of chunk identifiers in this super-peer's arc.", view, View::ranges);
        gauge("granary_superpeer_names", "Names of chunks in this super-peer's arc.", view, View::names);
        gauge(
                "granary_superpeer_name_changes_unsaved",
                "Changes of names of this super-peer's arc that no storage peer has a copy of yet.",
                view,
                View::unsavedNameChanges);
        gauge(
                "granary_superpeer_locks",
                "Locks that clients hold on chunks of this super-peer's arc.",
                view,
                View::locks);
        gauge(
                "granary_superpeer_zone_numbers_left",
                "The fewest zones that a storage peer of this super-peer's arc can still have for its chunks.",
                view,
                View::zoneNumbersLeft);
        Metrics.register(registry, () -> {
            View now = view.get();
            return new GaugeMetricFamily(
                            "granary_superpeer_storage_peers",
                            "Storage peers of this super-peer's arc by lease: expired ones are missed, left ones not.",
                            List.of("state"))
                    .addMetric(List.of("live"), now.peers.live)
                    .addMetric(List.of("parked"), now.peers.parked)
                    .addMetric(List.of("expired"), now.peers.expired)
                    .addMetric(List.of("left"), now.peers.left);
        });
        Metrics.register(registry, () -> {
            View now = view.get();
            return new GaugeMetricFamily(
                            "granary_superpeer_zones", "Zones of this super-peer's arc by state.", List.of("state"))
                    .addMetric(List.of("in_sync"), now.inSyncZones)
                    .addMetric(List.of("degraded"), now.degradedZones)
                    .addMetric(List.of("recovering"), now.recoveringZones)
                    .addMetric(List.of("lost"), now.lostZones);
        });
        Metrics.info(
                registry,
                "granary_superpeer_info",
                "Who this super-peer is.",
                () -> Map.of("nid", view.get().nid, "version", version));
    }

    private void gauge(String name, String help, Supplier<View> view, ToDoubleFunction<View> value) {
        Metrics.gauge(registry, name, help, () -> value.applyAsDouble(view.get()));
    }

    public void countLookup(LookupOutcome outcome) {
        lookups.add(outcome, 1);
    }

    public void countLeaseGranted() {
        leasesGranted.inc();
    }

    public void countLeasesExpired(int count) {
        leasesExpired.inc(count);
    }

    public void countRecovery(long nanos) {
        recoveries.observe(nanos / 1e9);
    }

    public void countPause() {
        pauses.inc();
    }

    /** Returns what is measured of Raft groups. */
    public RaftMetrics raft() {
        return raft;
    }

    /** Returns what is measured of plans and migrations. */
    public PlanMetrics plans() {
        return plans;
    }

    /** Returns the metrics that the process shows on its HTTP port. */
    public CollectorRegistry registry() {
        return registry;
    }
}
