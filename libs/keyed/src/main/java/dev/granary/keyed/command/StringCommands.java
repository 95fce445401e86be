package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import dev.granary.resp.command.CommandErrors;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The commands on strings that read and replace whole values. */
final class StringCommands {

    private StringCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("get", call -> Strings.reply(call, Strings.find(call)));
        commands.put("getdel", StringCommands::getdel);
        commands.put("getex", StringCommands::getex);
        commands.put("getset", StringCommands::getset);
        commands.put("mget", StringCommands::mget);
        commands.put("mset", StringCommands::mset);
        commands.put("msetnx", StringCommands::msetnx);
        commands.put("psetex", call -> setex(call, TimeForm.PX));
        commands.put("set", StringCommands::set);
        commands.put("setex", call -> setex(call, TimeForm.EX));
        commands.put("setnx", StringCommands::setnx);
        commands.put("strlen", call -> call.reply().integer(Strings.content(Strings.find(call)).length));
    }

    private static void getdel(CommandCall call) {
        KeyEntry entry = Strings.find(call);
        if (entry != null) {
            call.keys().remove(call.argument(1));
        }
        Strings.reply(call, entry);
    }

    private static void getex(CommandCall call) {
        SetOptions options = SetOptions.ofGetex(call);
        KeyEntry entry = Strings.find(call);
        if (entry != null) {
            // Without an option the time stays as it is; PERSIST takes it away.
            long expiresAt = options.hasTime() || options.persist() ? options.expiresAt(call) : entry.expiresAtMillis();
            if (expiresAt != entry.expiresAtMillis()) {
                Strings.put(call, entry.content(), expiresAt);
            }
        }
        Strings.reply(call, entry);
    }

    private static void getset(CommandCall call) {
        KeyEntry old = Strings.find(call);
        Strings.put(call, call.argument(2), KeyEntry.NEVER);
        Strings.reply(call, old);
    }

    private static void mget(CommandCall call) {
        call.reply().array(call.count() - 1);
        for (int i = 1; i < call.count(); i++) {
            KeyEntry entry = call.keys().find(call.argument(i));
            Strings.reply(call, entry != null && entry.type() == ValueType.STRING ? entry : null);
        }
    }

    private static void mset(CommandCall call) {
        checkPairs(call);
        putPairs(call);
        call.reply().simple("OK");
    }

    private static void msetnx(CommandCall call) {
        checkPairs(call);
        for (int i = 1; i < call.count(); i += 2) {
            if (call.keys().find(call.argument(i)) != null) {
                call.reply().integer(0);
                return;
            }
        }
        putPairs(call);
        call.reply().integer(1);
    }

    private static void checkPairs(CommandCall call) {
        if (call.count() % 2 == 0) {
            throw new CommandException(CommandErrors.wrongArity(call.command()));
        }
        // All sizes first: a command that fails has changed nothing.
        for (int i = 1; i < call.count(); i += 2) {
            Strings.checkSize(call.request().length(i), call.request().length(i + 1));
        }
    }

    private static void putPairs(CommandCall call) {
        for (int i = 1; i < call.count(); i += 2) {
            Strings.put(call, call.argument(i), call.argument(i + 1), KeyEntry.NEVER);
        }
    }

    private static void set(CommandCall call) {
        SetOptions options = SetOptions.ofSet(call);
        byte[] key = call.argument(1);
        long expiresAt = options.expiresAt(call);
        KeyEntry old = options.needsOld() ? old(call, key, options.get()) : null;
        boolean sets = old == null ? !options.onlyIfPresent() : !options.onlyIfAbsent();
        if (sets) {
            Strings.put(call, key, call.argument(2), options.keepTime() ? Strings.expiry(old) : expiresAt);
        }
        if (options.get()) {
            Strings.reply(call, old);
        } else if (sets) {
            call.reply().simple("OK");
        } else {
            call.reply().nothing();
        }
    }

    private static @Nullable KeyEntry old(CommandCall call, byte[] key, boolean mustBeString) {
        return mustBeString ? call.find(key, ValueType.STRING) : call.keys().find(key);
    }

    private static void setex(CommandCall call, TimeForm form) {
        long expiresAt = form.expiresAt(call, 2);
        Strings.put(call, call.argument(3), expiresAt);
        call.reply().simple("OK");
    }

    private static void setnx(CommandCall call) {
        boolean sets = call.keys().find(call.argument(1)) == null;
        if (sets) {
            Strings.put(call, call.argument(2), KeyEntry.NEVER);
        }
        call.reply().integer(sets ? 1 : 0);
    }
}
