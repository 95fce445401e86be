package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import java.util.Map;

/** The commands on strings that read and replace whole values. */
final class StringCommands {

    private StringCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("get", StringCommands::get);
        commands.put("strlen", StringCommands::strlen);
    }

    private static void get(CommandCall call) {
        KeyEntry entry = call.find(call.argument(1), ValueType.STRING);
        if (entry == null) {
            call.reply().nothing();
        } else {
            call.reply().bulk(entry.content());
        }
    }

    private static void strlen(CommandCall call) {
        KeyEntry entry = call.find(call.argument(1), ValueType.STRING);
        call.reply().integer(entry == null ? 0 : entry.content().length);
    }
}
