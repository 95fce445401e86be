package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** OBJECT and MEMORY USAGE: what Redis would say about how a value is kept. */
final class ObjectCommands {

    private static final String NO_FREQUENCY = "ERR An LFU maxmemory policy is not selected, access frequency not"
            + " tracked. Please note that when switching between policies at runtime LRU and LFU data will take some"
            + " time to adjust.";

    private static final String NO_IDLE_TIME = "ERR An LFU maxmemory policy is selected, idle time not tracked. Please"
            + " note that when switching between policies at runtime LRU and LFU data will take some time to adjust.";

    /** Redis would answer a number; here the policies of this name need none. */
    private static final String NEVER_FREQUENCY = "ERR access frequency not tracked by Granary";

    private static final List<String> HELP = List.of(
            "OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
            "ENCODING <key>",
            "    Return the kind of internal representation used in order to store the value",
            "    associated with a <key>.",
            "FREQ <key>",
            "    Return the access frequency index of the <key>. The returned integer is",
            "    proportional to the logarithm of the recent access frequency of the key.",
            "IDLETIME <key>",
            "    Return the idle time of the <key>, that is the approximated number of",
            "    seconds elapsed since the last access to the key.",
            "REFCOUNT <key>",
            "    Return the number of references of the value associated with the specified",
            "    <key>.",
            "HELP",
            "    Prints this help.");

    private ObjectCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("object|encoding", ObjectCommands::encoding);
        commands.put("object|refcount", ObjectCommands::refcount);
        commands.put("object|idletime", ObjectCommands::idletime);
        commands.put("object|freq", ObjectCommands::freq);
        commands.put("object|help", ObjectCommands::help);
        commands.put("memory|usage", ObjectCommands::usage);
    }

    private static void withEntry(CommandCall call, Consumer<KeyEntry> answer) {
        KeyEntry entry = call.keys().find(call.argument(2));
        if (entry == null) {
            call.reply().nothing();
        } else {
            answer.accept(entry);
        }
    }

    private static void encoding(CommandCall call) {
        withEntry(call, entry -> call.reply().bulk(ValueEncoding.word(entry)));
    }

    private static void refcount(CommandCall call) {
        withEntry(call, entry -> call.reply().integer(ValueEncoding.references(entry)));
    }

    /** Nobody notes when a key was read. */
    private static void idletime(CommandCall call) {
        withEntry(call, entry -> {
            if (call.keys().isEvictedByFrequency()) {
                throw new CommandException(NO_IDLE_TIME);
            }
            call.reply().integer(0);
        });
    }

    private static void freq(CommandCall call) {
        withEntry(call, entry -> {
            throw new CommandException(call.keys().isEvictedByFrequency() ? NEVER_FREQUENCY : NO_FREQUENCY);
        });
    }

    private static void help(CommandCall call) {
        call.reply().array(HELP.size());
        HELP.forEach(call.reply()::simple);
    }

    /** Answers the bytes of the key, of its value and of the time at which it expires. */
    private static void usage(CommandCall call) {
        for (int i = 3; i < call.count(); i += 2) {
            if (!call.option(i).equals("SAMPLES") || i + 1 == call.count() || call.integer(i + 1) < 0) {
                throw new CommandException(CommandException.SYNTAX);
            }
        }
        withEntry(call, entry -> {
            int expiry = entry.expires() ? Long.BYTES : 0;
            call.reply().integer(call.request().length(2) + entry.content().length + expiry);
        });
    }
}
