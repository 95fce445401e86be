package dev.granary.storage.door.command;

import dev.granary.resp.ReplyWriter;
import dev.granary.storage.door.state.CommandStats;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** {@code LATENCY}: times of all commands. Events, which Redis samples of single slow steps, are not recorded. */
final class LatencyCommands {

    private LatencyCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("latency|latest", call -> call.reply().array(0));
        commands.put("latency|history", call -> call.reply().array(0));
        commands.put("latency|reset", call -> call.reply().integer(0));
        commands.put("latency|histogram", LatencyCommands::histogram);
        commands.put("latency|doctor", LatencyCommands::doctor);
        commands.put("latency|help", LatencyCommands::help);
    }

    private static void histogram(LocalCall call) {
        Map<String, CommandStats> wanted = new LinkedHashMap<>();
        Map<String, CommandStats> all = call.door().stats();
        if (call.count() == 2) {
            wanted.putAll(all);
        }
        for (int i = 2; i < call.count(); i++) {
            String name = call.text(i).toLowerCase(Locale.ROOT);
            all.forEach((each, stats) -> {
                if (each.equals(name) || each.startsWith(name + "|")) {
                    wanted.put(each, stats);
                }
            });
        }
        wanted.values().removeIf(stats -> stats.calls() == 0);
        call.reply().map(wanted.size());
        wanted.forEach((name, stats) -> {
            call.reply().bulk(name);
            write(stats, call.reply());
        });
    }

    private static void write(CommandStats stats, ReplyWriter out) {
        Map<Long, Long> sums = new LinkedHashMap<>();
        long sum = 0;
        for (int i = 0; i < CommandStats.BUCKETS; i++) {
            long count = stats.inBucket(i);
            if (count > 0) {
                sum += count;
                sums.put(CommandStats.boundMicros(i), sum);
            }
        }
        out.map(2);
        out.bulk("calls");
        out.integer(sum);
        out.bulk("histogram_usec");
        out.map(sums.size());
        sums.forEach((bound, count) -> {
            out.integer(bound);
            out.integer(count);
        });
    }

    private static void doctor(LocalCall call) {
        call.verbatim("Granary samples no latency events. LATENCY HISTOGRAM has the times of each command, SLOWLOG GET"
                + " the slowest requests, and 'granary doctor' looks at the whole cluster.\n");
    }

    private static void help(LocalCall call) {
        call.help("""
                DOCTOR
                    Say where else to look.
                HISTORY <event>
                    Return an empty list: no events are sampled.
                LATEST
                    Return an empty list: no events are sampled.
                RESET [<event> ...]
                    Return 0: no events are sampled.
                HISTOGRAM [COMMAND ...]
                    Return a cumulative distribution of latencies in the format of a histogram for the specified \
                command names.
                    If no commands are specified then all histograms are replied.""");
    }
}
