package dev.granary.storage.door.command;

import dev.granary.storage.door.state.KeyedFigures;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code MEMORY} of this storage peer. {@code MEMORY USAGE} is a command on a key. */
final class MemoryCommands {

    private static final int PERCENT = 100;

    private MemoryCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("memory|stats", MemoryCommands::statistics);
        commands.put("memory|doctor", MemoryCommands::doctor);
        commands.put("memory|help", MemoryCommands::help);
    }

    private static void statistics(LocalCall call) {
        KeyedFigures now = call.door().figures();
        Map<String, Long> numbers = new LinkedHashMap<>();
        numbers.put("total.allocated", now.usedBytes());
        numbers.put("startup.allocated", 0L);
        numbers.put("replication.backlog", 0L);
        numbers.put("clients.slaves", 0L);
        numbers.put("clients.normal", call.door().clients().heldBytes());
        numbers.put("cluster.links", 0L);
        numbers.put("aof.buffer", 0L);
        numbers.put("overhead.total", now.usedBytes() - now.payloadBytes());
        numbers.put("keys.count", now.keys());
        numbers.put("keys.bytes-per-key", now.keys() == 0 ? 0 : now.usedBytes() / now.keys());
        numbers.put("dataset.bytes", now.payloadBytes());
        call.reply().map(numbers.size() + 1);
        numbers.forEach((name, value) -> {
            call.reply().bulk(name);
            call.reply().integer(value);
        });
        call.reply().bulk("dataset.percentage");
        call.reply().real(now.usedBytes() == 0 ? 0 : (double) now.payloadBytes() * PERCENT / now.usedBytes());
    }

    private static void doctor(LocalCall call) {
        KeyedFigures now = call.door().figures();
        long percent = now.limitBytes() == 0 ? 0 : now.usedBytes() * PERCENT / now.limitBytes();
        call.verbatim("Keys take " + percent + " % of the memory that they may have at this storage peer."
                + " 'granary doctor' looks at the whole cluster.\n");
    }

    private static void help(LocalCall call) {
        call.help("""
                DOCTOR
                    Say how full the memory is.
                STATS
                    Return information about the memory usage of this storage peer.
                USAGE <key> [SAMPLES <count>]
                    Return memory in bytes used by <key> and its value.""");
    }
}
