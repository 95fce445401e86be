package dev.granary.storage.door.command;

import dev.granary.storage.door.state.SlowLog;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** {@code SLOWLOG}: the requests of this door that took long. */
final class SlowLogCommands {

    private static final int USUAL_COUNT = 10;

    private SlowLogCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("slowlog|get", SlowLogCommands::get);
        commands.put("slowlog|len", call -> call.reply()
                .integer(call.door().slowLog().size()));
        commands.put("slowlog|reset", SlowLogCommands::reset);
        commands.put("slowlog|help", SlowLogCommands::help);
    }

    private static void get(LocalCall call) {
        if (call.count() > 3) {
            call.syntaxError();
            return;
        }
        long most = call.count() == 3 ? call.request().number(2, Long.MIN_VALUE) : USUAL_COUNT;
        if (most < -1) {
            call.reply().error("ERR count should be greater than or equal to -1");
            return;
        }
        List<SlowLog.Entry> entries = call.door().slowLog().newest(most < 0 ? Long.MAX_VALUE : most);
        call.reply().array(entries.size());
        for (SlowLog.Entry entry : entries) {
            call.reply().array(6);
            call.reply().integer(entry.id());
            call.reply().integer(entry.wallSeconds());
            call.reply().integer(entry.micros());
            call.reply().array(entry.arguments().size());
            entry.arguments().forEach(text -> call.reply().bulk(text.getBytes(StandardCharsets.ISO_8859_1)));
            call.reply().bulk(entry.address());
            call.reply().bulk(entry.clientName());
        }
    }

    private static void reset(LocalCall call) {
        call.door().slowLog().clear();
        call.ok();
    }

    private static void help(LocalCall call) {
        call.help("""
                GET [<count>]
                    Return top <count> entries from the slowlog (default: 10, -1 mean all).
                    Entries are made of:
                    id, timestamp, time in microseconds, arguments array, client IP and port,
                    client name
                LEN
                    Return the length of the slowlog.
                RESET
                    Reset the slowlog.""");
    }
}
