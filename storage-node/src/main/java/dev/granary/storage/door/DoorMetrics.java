package dev.granary.storage.door;

import dev.granary.resp.acl.Denial;
import dev.granary.storage.door.notice.Notice;
import dev.granary.storage.door.state.CommandStats;
import dev.granary.storage.door.state.DoorCounters;
import dev.granary.storage.door.state.DoorCounters.Closing;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.door.state.KeyedFigures;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The metrics of a door, made at each scrape from what it counts anyway. */
public final class DoorMetrics extends Collector {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MICROS_PER_SECOND = 1e6;

    private final Door door;
    private final DoorState state;

    /** Registers the metrics of a door. */
    public DoorMetrics(CollectorRegistry registry, Door door) {
        this.door = door;
        state = door.state();
        register(registry);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        DoorCounters counters = state.counters();
        CounterMetricFamily closed = new CounterMetricFamily(
                "granary_redis_connections_closed",
                "Connections of Redis clients that were closed.",
                List.of("reason"));
        for (Closing why : Closing.values()) {
            closed.addMetric(List.of(why.label()), (double) counters.closedSum(why));
        }
        List<MetricFamilySamples> families = new ArrayList<>(keys(state.figures()));
        families.addAll(List.of(
                gauge(
                        "granary_redis_connections",
                        "Redis clients that are connected.",
                        state.clients().count()),
                gauge(
                        "granary_redis_held_bytes",
                        "Bytes of requests and replies that are held for Redis clients.",
                        state.clients().heldBytes()),
                gauge(
                        "granary_redis_chunk_bytes",
                        "Bytes of heap that values of chunks take on their way between Redis clients and owners.",
                        door.chunkBytes()),
                counter(
                        "granary_redis_connections_opened",
                        "Connections of Redis clients that were opened.",
                        counters.openedSum()),
                counter(
                        "granary_redis_connections_refused",
                        "Connections of Redis clients that were refused because there were too many.",
                        counters.refusedSum()),
                closed,
                notices(counters),
                denials(),
                outcomes(),
                byCommand(
                        "granary_redis_commands",
                        "Requests of Redis clients that were carried out, by their commands.",
                        stats -> (double) stats.calls()),
                byCommand(
                        "granary_redis_command_seconds",
                        "Time that requests of Redis clients took, by their commands.",
                        stats -> stats.nanos() / NANOS_PER_SECOND),
                seconds(),
                counter(
                        "granary_redis_unknown_commands",
                        "Requests of Redis clients for commands that there are not.",
                        counters.unknownCommandsSum()),
                counter(
                        "granary_redis_redirects",
                        "Requests of Redis clients that were answered by the address of another storage peer.",
                        counters.redirectsSum()),
                counter(
                        "granary_redis_group_calls",
                        "Calls to slot groups; each carries one request or several of a pipeline.",
                        counters.groupCallsSum()),
                counter(
                        "granary_redis_group_requests",
                        "Requests that were carried by calls to slot groups.",
                        counters.groupRequestsSum()),
                counter(
                        "granary_redis_received_bytes",
                        "Bytes that were received from Redis clients.",
                        counters.receivedBytesSum()),
                counter(
                        "granary_redis_sent_bytes",
                        "Bytes that were sent to Redis clients.",
                        counters.sentBytesSum())));
        return families;
    }

    /** Of the keys that this peer owns, whatever door their clients use. */
    private static List<MetricFamilySamples> keys(KeyedFigures figures) {
        return List.of(
                gauge("granary_redis_keys", "Keys in the slot groups that this peer owns.", figures.keys()),
                gauge(
                        "granary_redis_expiring_keys",
                        "Keys of these that have a time at which they expire.",
                        figures.expiringKeys()),
                counter("granary_redis_expired_keys", "Keys that have expired on this peer.", figures.expired()),
                counter("granary_redis_key_hits", "Reads of keys that were there.", figures.hits()),
                counter("granary_redis_key_misses", "Reads of keys that were not there.", figures.misses()));
    }

    private static MetricFamilySamples notices(DoorCounters counters) {
        CounterMetricFamily family = new CounterMetricFamily(
                "granary_redis_notices",
                "Notices of planned maintenance that were written to Redis clients: moving, smigrating, smigrated.",
                List.of("kind"));
        for (Notice.Kind kind : Notice.Kind.values()) {
            family.addMetric(List.of(kind.label()), (double) counters.notifiedSum(kind));
        }
        return family;
    }

    private MetricFamilySamples denials() {
        CounterMetricFamily family = new CounterMetricFamily(
                "granary_redis_denials",
                "Requests of Redis clients that their users may not make, by what was not allowed: auth, command, key.",
                List.of("reason"));
        for (Denial.Reason reason : Denial.Reason.values()) {
            family.addMetric(List.of(reason.word()), (double) state.access().denials(reason));
        }
        return family;
    }

    private MetricFamilySamples outcomes() {
        long done = 0;
        long failed = 0;
        long refused = 0;
        for (CommandStats stats : state.stats().values()) {
            done += stats.calls() - stats.failed();
            failed += stats.failed();
            refused += stats.rejected();
        }
        return new CounterMetricFamily(
                        "granary_redis_requests",
                        "Requests of Redis clients: done, failed (answered by an error), or refused (before anything was"
                                + " done).",
                        List.of("outcome"))
                .addMetric(List.of("done"), (double) done)
                .addMetric(List.of("failed"), (double) failed)
                .addMetric(List.of("refused"), (double) refused);
    }

    /** Commands that nobody uses have no series. */
    private MetricFamilySamples byCommand(String name, String help, ToDoubleFunction<CommandStats> value) {
        CounterMetricFamily family = new CounterMetricFamily(name, help, List.of("command"));
        state.stats().forEach((command, stats) -> {
            if (stats.calls() > 0) {
                family.addMetric(List.of(command), value.applyAsDouble(stats));
            }
        });
        return family;
    }

    /** Of all commands together: the buckets of each would be many series. */
    private MetricFamilySamples seconds() {
        String name = "granary_redis_request_seconds";
        long[] buckets = new long[CommandStats.BUCKETS];
        long nanos = 0;
        for (Map.Entry<String, CommandStats> entry : state.stats().entrySet()) {
            nanos += entry.getValue().nanos();
            for (int i = 0; i < buckets.length; i++) {
                buckets[i] += entry.getValue().inBucket(i);
            }
        }
        List<MetricFamilySamples.Sample> samples = new ArrayList<>();
        long sum = 0;
        for (int i = 0; i < buckets.length; i++) {
            sum += buckets[i];
            boolean last = i == buckets.length - 1;
            // Every other bound is enough for people: each is four times the one before.
            if (i % 2 == 0 || last) {
                String bound = last ? "+Inf" : doubleToGoString(CommandStats.boundMicros(i) / MICROS_PER_SECOND);
                samples.add(sample(name + "_bucket", List.of("le"), List.of(bound), (double) sum));
            }
        }
        samples.add(sample(name + "_count", List.of(), List.of(), (double) sum));
        samples.add(sample(name + "_sum", List.of(), List.of(), nanos / NANOS_PER_SECOND));
        return new MetricFamilySamples(
                name, Type.HISTOGRAM, "Time from when a request of a Redis client begins until its reply.", samples);
    }

    private static MetricFamilySamples.Sample sample(
            String name, List<String> labels, List<String> values, double value) {
        return new MetricFamilySamples.Sample(name, labels, values, value);
    }

    private static MetricFamilySamples gauge(String name, String help, long value) {
        return new GaugeMetricFamily(name, help, (double) value);
    }

    private static MetricFamilySamples counter(String name, String help, long value) {
        return new CounterMetricFamily(name, help, (double) value);
    }
}
