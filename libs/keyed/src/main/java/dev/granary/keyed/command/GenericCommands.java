package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import java.util.Arrays;
import java.util.Map;

/** The commands on keys of any type. */
final class GenericCommands {

    private GenericCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("copy", GenericCommands::copy);
        commands.put("del", GenericCommands::del);
        commands.put("exists", GenericCommands::exists);
        commands.put("rename", GenericCommands::rename);
        commands.put("renamenx", GenericCommands::renamenx);
        // Nothing notes when a key was used last.
        commands.put("touch", GenericCommands::exists);
        commands.put("type", GenericCommands::type);
        // Removing a key takes as long, whatever it stands for.
        commands.put("unlink", GenericCommands::del);
    }

    private static void del(CommandCall call) {
        int removed = 0;
        for (int i = 1; i < call.count(); i++) {
            removed += call.keys().remove(call.argument(i)) ? 1 : 0;
        }
        call.reply().integer(removed);
    }

    private static void exists(CommandCall call) {
        int found = 0;
        for (int i = 1; i < call.count(); i++) {
            found += call.keys().find(call.argument(i)) != null ? 1 : 0;
        }
        call.reply().integer(found);
    }

    private static void type(CommandCall call) {
        KeyEntry entry = call.keys().find(call.argument(1));
        call.reply().simple(entry == null ? "none" : entry.type().word());
    }

    private static void rename(CommandCall call) {
        KeyEntry entry = source(call);
        if (!isSameKey(call)) {
            move(call, entry);
        }
        call.reply().simple("OK");
    }

    private static void renamenx(CommandCall call) {
        KeyEntry entry = source(call);
        boolean moves = !isSameKey(call) && call.keys().find(call.argument(2)) == null;
        if (moves) {
            move(call, entry);
        }
        call.reply().integer(moves ? 1 : 0);
    }

    private static KeyEntry source(CommandCall call) {
        KeyEntry entry = call.keys().find(call.argument(1));
        if (entry == null) {
            throw new CommandException("ERR no such key");
        }
        return entry;
    }

    private static boolean isSameKey(CommandCall call) {
        return Arrays.equals(call.argument(1), call.argument(2));
    }

    private static void move(CommandCall call, KeyEntry entry) {
        // The new key first: without room for it, the old one stays.
        putSecond(call, entry);
        call.keys().remove(call.argument(1));
    }

    private static void putSecond(CommandCall call, KeyEntry entry) {
        byte[] key = call.argument(2);
        Strings.checkSize(key.length, entry.content().length);
        call.keys().put(key, entry.type(), entry.content(), entry.expiresAtMillis());
    }

    private static void copy(CommandCall call) {
        boolean replace = false;
        for (int i = 3; i < call.count(); i++) {
            if (call.request().is(i, "replace")) {
                replace = true;
            } else if (call.request().is(i, "db") && i + 1 < call.count()) {
                checkDatabase(call.integer(++i));
            } else {
                throw new CommandException(CommandException.SYNTAX);
            }
        }
        if (isSameKey(call)) {
            throw new CommandException("ERR source and destination objects are the same");
        }
        KeyEntry entry = call.keys().find(call.argument(1));
        boolean copies = entry != null && (replace || call.keys().find(call.argument(2)) == null);
        if (entry != null && copies) {
            putSecond(call, entry);
        }
        call.reply().integer(copies ? 1 : 0);
    }

    private static void checkDatabase(long number) {
        if (number != (int) number) {
            throw new CommandException(
                    "ERR value is out of range, value must between " + Integer.MIN_VALUE + " and " + Integer.MAX_VALUE);
        }
        if (number != 0) {
            throw new CommandException("ERR DB index is out of range");
        }
    }
}
