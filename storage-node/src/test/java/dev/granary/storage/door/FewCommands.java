package dev.granary.storage.door;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import dev.granary.keyed.command.CommandCall;
import dev.granary.resp.Glob;
import dev.granary.resp.Request;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The commands on keys that tests of the door need, in their simplest form, as far as {@code libs/keyed} lacks them. */
final class FewCommands {

    private final Map<String, Consumer<CommandCall>> byName = new HashMap<>();

    FewCommands() {
        byName.put("set", FewCommands::set);
        byName.put("mset", FewCommands::setMany);
        byName.put("mget", FewCommands::getMany);
        byName.put("incr", FewCommands::increment);
        byName.put("del", FewCommands::delete);
        byName.put("unlink", FewCommands::delete);
        byName.put("exists", FewCommands::exists);
        byName.put("rename", FewCommands::rename);
        byName.put("dbsize", call -> call.reply().integer(call.keys().size()));
        byName.put("flushall", FewCommands::flush);
        byName.put("keys", FewCommands::keys);
        byName.put("randomkey", FewCommands::random);
        byName.put("scan", FewCommands::scan);
    }

    boolean has(String name) {
        return byName.containsKey(name);
    }

    void run(CommandCall call) {
        Objects.requireNonNull(byName.get(call.command().name()), call.command().name())
                .accept(call);
    }

    static byte[] bytes(Request request, int argument) {
        byte[] bytes = new byte[request.length(argument)];
        request.buffer().getBytes(request.start(argument), bytes);
        return bytes;
    }

    private static void set(CommandCall call) {
        call.keys().put(call.argument(1), ValueType.STRING, call.argument(2), KeyEntry.NEVER);
        call.reply().simple("OK");
    }

    private static void setMany(CommandCall call) {
        for (int i = 1; i < call.count(); i += 2) {
            call.keys().put(call.argument(i), ValueType.STRING, call.argument(i + 1), KeyEntry.NEVER);
        }
        call.reply().simple("OK");
    }

    private static void getMany(CommandCall call) {
        call.reply().array(call.count() - 1);
        for (int i = 1; i < call.count(); i++) {
            KeyEntry entry = call.keys().find(call.argument(i));
            if (entry == null) {
                call.reply().nothing();
            } else {
                call.reply().bulk(entry.content());
            }
        }
    }

    private static void increment(CommandCall call) {
        KeyEntry entry = call.keys().find(call.argument(1));
        long value;
        try {
            value = entry == null ? 0 : Long.parseLong(new String(entry.content(), StandardCharsets.US_ASCII));
        } catch (NumberFormatException e) {
            call.reply().error("ERR value is not an integer or out of range");
            return;
        }
        byte[] next = Long.toString(value + 1).getBytes(StandardCharsets.US_ASCII);
        call.keys().put(call.argument(1), ValueType.STRING, next, KeyEntry.NEVER);
        call.reply().integer(value + 1);
    }

    private static void delete(CommandCall call) {
        int gone = 0;
        for (int i = 1; i < call.count(); i++) {
            gone += call.keys().remove(call.argument(i)) ? 1 : 0;
        }
        call.reply().integer(gone);
    }

    private static void exists(CommandCall call) {
        int there = 0;
        for (int i = 1; i < call.count(); i++) {
            there += call.keys().find(call.argument(i)) != null ? 1 : 0;
        }
        call.reply().integer(there);
    }

    private static void rename(CommandCall call) {
        KeyEntry entry = call.keys().find(call.argument(1));
        if (entry == null) {
            call.reply().error("ERR no such key");
            return;
        }
        call.keys().remove(call.argument(1));
        call.keys().put(call.argument(2), entry.type(), entry.content(), entry.expiresAtMillis());
        call.reply().simple("OK");
    }

    private static void flush(CommandCall call) {
        call.keys().clear();
        call.reply().simple("OK");
    }

    private static void keys(CommandCall call) {
        List<byte[]> keys = new ArrayList<>();
        scan(call, 0, Integer.MAX_VALUE, call.argument(1), keys);
        call.reply().array(keys.size());
        keys.forEach(call.reply()::bulk);
    }

    private static void random(CommandCall call) {
        byte[] key = call.keys().anyKey();
        if (key == null) {
            call.reply().nothing();
        } else {
            call.reply().bulk(key);
        }
    }

    private static void scan(CommandCall call) {
        int count = 10;
        byte[] pattern = null;
        for (int i = 2; i < call.count(); i += 2) {
            switch (call.option(i)) {
                case "COUNT" -> count = (int) call.integer(i + 1);
                case "MATCH" -> pattern = call.argument(i + 1);
                default -> {
                    call.reply().error("ERR syntax error");
                    return;
                }
            }
        }
        List<byte[]> keys = new ArrayList<>();
        long next = scan(call, call.integer(1), count, pattern, keys);
        call.reply().array(2);
        call.reply().bulk(next);
        call.reply().array(keys.size());
        keys.forEach(call.reply()::bulk);
    }

    private static long scan(CommandCall call, long cursor, int count, byte @Nullable [] pattern, List<byte[]> found) {
        Glob glob = pattern == null ? null : new Glob(pattern, false);
        return call.keys().scan(cursor, count, (key, entry) -> {
            if (glob == null || glob.matches(new String(key, StandardCharsets.US_ASCII))) {
                found.add(key);
            }
        });
    }
}
