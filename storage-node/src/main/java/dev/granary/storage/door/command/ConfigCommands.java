package dev.granary.storage.door.command;

import dev.granary.resp.Glob;
import dev.granary.storage.door.state.Settings;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** {@code CONFIG}: few settings can be changed, the others are shown as what Granary does. */
final class ConfigCommands {

    private ConfigCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("config|get", ConfigCommands::get);
        commands.put("config|set", ConfigCommands::set);
        commands.put("config|resetstat", ConfigCommands::resetStatistics);
        commands.put("config|rewrite", call -> call.reply().error("ERR The server is running without a config file"));
        commands.put("config|help", ConfigCommands::help);
    }

    private static void get(LocalCall call) {
        Map<String, String> found = new LinkedHashMap<>();
        for (int i = 2; i < call.count(); i++) {
            Glob pattern = new Glob(call.text(i).getBytes(StandardCharsets.ISO_8859_1), true);
            call.door().settings().all().forEach((name, value) -> {
                if (pattern.matches(name)) {
                    found.put(name, value);
                }
            });
        }
        call.reply().map(found.size());
        found.forEach((name, value) -> {
            call.reply().bulk(name);
            call.reply().bulk(value);
        });
    }

    /** Changes all of the settings, or none. */
    private static void set(LocalCall call) {
        if (call.count() % 2 != 0) {
            call.syntaxError();
            return;
        }
        Settings settings = call.door().settings();
        Map<String, String> changes = new LinkedHashMap<>();
        for (int i = 2; i < call.count(); i += 2) {
            String name = call.text(i).toLowerCase(Locale.ROOT);
            if (!settings.has(name)) {
                call.reply().error("ERR Unknown option or number of arguments for CONFIG SET - '" + call.text(i) + "'");
                return;
            }
            if (changes.put(name, call.text(i + 1)) != null) {
                refuse(call, name, "duplicate parameter");
                return;
            }
        }
        for (Map.Entry<String, String> change : changes.entrySet()) {
            String refusal = settings.refusal(change.getKey(), change.getValue());
            if (refusal != null) {
                refuse(call, change.getKey(), refusal);
                return;
            }
        }
        changes.forEach(settings::set);
        call.ok();
    }

    private static void refuse(LocalCall call, String name, String why) {
        call.reply().error("ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + why);
    }

    private static void resetStatistics(LocalCall call) {
        call.door().resetCounts();
        call.ok();
    }

    private static void help(LocalCall call) {
        call.help("""
                GET <pattern>
                    Return parameters matching the glob-like <pattern> and their values.
                SET <directive> <value>
                    Set the configuration <directive> to <value>, until the storage peer restarts.
                RESETSTAT
                    Reset statistics reported by the INFO command.""");
    }
}
