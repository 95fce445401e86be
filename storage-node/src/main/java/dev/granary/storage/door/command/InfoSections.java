package dev.granary.storage.door.command;

import dev.granary.overlay.Nid;
import dev.granary.process.Version;
import dev.granary.resp.acl.Denial;
import dev.granary.storage.door.state.CommandStats;
import dev.granary.storage.door.state.DoorCounters;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.door.state.KeyedFigures;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The lines of each section of {@code INFO}: what Redis's clients and exporters read, as far as it is known. */
public final class InfoSections {

    /** Clients look at it for what a server can do; Granary's own version has another line. */
    public static final String REDIS_VERSION = "7.4.0";

    private InfoSections() {}

    static String server(LocalCall call) {
        DoorState door = call.door();
        long upNanos = door.clock().nanoTime() - door.startNanos();
        return field("redis_version", REDIS_VERSION)
                + field("granary_version", Version.current())
                + field("redis_mode", "cluster")
                + field("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"))
                + field("arch_bits", Long.SIZE)
                + field("process_id", ProcessHandle.current().pid())
                + field("run_id", Topology.id(door.owners().nid()))
                + field("tcp_port", door.announced().port())
                + field(
                        "server_time_usec",
                        TimeUnit.MILLISECONDS.toMicros(door.clock().wallMillis()))
                + field("uptime_in_seconds", TimeUnit.NANOSECONDS.toSeconds(upNanos))
                + field("uptime_in_days", TimeUnit.NANOSECONDS.toDays(upNanos))
                + field("granary_nid", Nid.toHex(door.owners().nid()));
    }

    static String clients(LocalCall call) {
        return field("connected_clients", call.door().clients().count())
                + field("maxclients", call.door().settings().mostClients())
                + field("blocked_clients", 0)
                + field("tracking_clients", 0);
    }

    static String memory(LocalCall call) {
        KeyedFigures now = call.door().figures();
        return field("used_memory", now.usedBytes())
                + field("used_memory_human", human(now.usedBytes()))
                + field("used_memory_rss", now.usedBytes())
                + field("used_memory_dataset", now.payloadBytes())
                + field("used_memory_overhead", now.usedBytes() - now.payloadBytes())
                + field("maxmemory", now.limitBytes())
                + field("maxmemory_human", human(now.limitBytes()))
                + field(
                        "maxmemory_policy",
                        call.door().settings().memory().policy().word())
                + field("mem_fragmentation_ratio", "1.00")
                + field("mem_clients_normal", call.door().clients().heldBytes());
    }

    /** Nothing is loaded or saved: other storage peers keep the copies. */
    static String persistence(LocalCall call) {
        return field("loading", 0)
                + field("async_loading", 0)
                + field("rdb_changes_since_last_save", 0)
                + field("rdb_bgsave_in_progress", 0)
                + field("rdb_last_bgsave_status", "ok")
                + field("aof_enabled", 0)
                + field("aof_rewrite_in_progress", 0);
    }

    static String statistics(LocalCall call) {
        DoorState door = call.door();
        DoorCounters counters = door.counters();
        KeyedFigures now = door.figures();
        return field("total_connections_received", counters.openedSum() + counters.refusedSum())
                + field("total_commands_processed", door.commands())
                + field("instantaneous_ops_per_sec", door.commandsPerSecond())
                + field("total_net_input_bytes", counters.receivedBytesSum())
                + field("total_net_output_bytes", counters.sentBytesSum())
                + field("rejected_connections", counters.refusedSum())
                + field("expired_keys", now.expired())
                + field("evicted_keys", now.evicted())
                + field("keyspace_hits", now.hits())
                + field("keyspace_misses", now.misses())
                + field("pubsub_channels", 0)
                + field("pubsub_patterns", 0)
                + field("acl_access_denied_auth", door.access().denials(Denial.Reason.AUTH))
                + field("acl_access_denied_cmd", door.access().denials(Denial.Reason.COMMAND))
                + field("acl_access_denied_key", door.access().denials(Denial.Reason.KEY))
                + field("acl_access_denied_channel", 0)
                + field("tracking_total_keys", 0)
                + field("tracking_total_items", 0)
                + field("tracking_total_prefixes", 0)
                + field(
                        "total_error_replies",
                        counters.errorSums().values().stream()
                                .mapToLong(Long::longValue)
                                .sum())
                + field("total_reads_processed", counters.readsSum());
    }

    static String replication(LocalCall call) {
        return field("role", "master")
                + field("connected_slaves", 0)
                + field("master_replid", Topology.id(call.door().owners().nid()))
                + field("master_repl_offset", 0);
    }

    static String processor(LocalCall call) {
        var process = ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
        double seconds = Math.max(0, process.getProcessCpuTime()) / (double) TimeUnit.SECONDS.toNanos(1);
        return field("used_cpu_sys", "0.000000") + field("used_cpu_user", String.format(Locale.ROOT, "%.6f", seconds));
    }

    static String commands(LocalCall call) {
        StringBuilder lines = new StringBuilder();
        call.door().stats().forEach((name, stats) -> {
            long calls = stats.calls();
            if (calls + stats.rejected() + stats.failed() > 0) {
                lines.append(field(
                        "cmdstat_" + name,
                        String.format(
                                Locale.ROOT,
                                "calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
                                calls,
                                stats.micros(),
                                calls == 0 ? 0 : (double) stats.micros() / calls,
                                stats.rejected(),
                                stats.failed())));
            }
        });
        return lines.toString();
    }

    static String latencies(LocalCall call) {
        StringBuilder lines = new StringBuilder();
        call.door().stats().forEach((name, stats) -> {
            if (stats.calls() > 0) {
                lines.append(field(
                        "latency_percentiles_usec_" + name,
                        "p50=" + percentile(stats, 50) + ",p99=" + percentile(stats, 99) + ",p99.9="
                                + percentile(stats, 99.9)));
            }
        });
        return lines.toString();
    }

    private static String percentile(CommandStats stats, double percent) {
        return String.format(Locale.ROOT, "%.3f", (double) stats.percentileMicros(percent));
    }

    static String errors(LocalCall call) {
        StringBuilder lines = new StringBuilder();
        call.door()
                .counters()
                .errorSums()
                .forEach((code, count) -> lines.append(field("errorstat_" + code, "count=" + count)));
        return lines.toString();
    }

    static String cluster(LocalCall call) {
        return field("cluster_enabled", 1);
    }

    static String keyspace(LocalCall call) {
        KeyedFigures now = call.door().figures();
        return now.keys() == 0
                ? ""
                : field("db0", "keys=" + now.keys() + ",expires=" + now.expiringKeys() + ",avg_ttl=0");
    }

    private static String field(String name, long value) {
        return field(name, Long.toString(value));
    }

    private static String field(String name, String value) {
        return name + ':' + value + "\r\n";
    }

    private static String human(long bytes) {
        double value = bytes;
        for (String unit : new String[] {"B", "K", "M", "G"}) {
            if (value < 1024) {
                return String.format(Locale.ROOT, "%.2f%s", value, unit);
            }
            value /= 1024;
        }
        return String.format(Locale.ROOT, "%.2fT", value);
    }
}
