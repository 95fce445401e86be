package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import dev.granary.keyed.hash.HashForm;
import dev.granary.keyed.hash.HashPairs;
import dev.granary.keyed.hash.HashTooLargeException;
import dev.granary.resp.command.CommandErrors;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The commands that change fields of hashes. The time at which a key expires stays as it is. */
final class HashWriteCommands {

    private static final String TOO_LARGE =
            "ERR hash exceeds maximum allowed size (" + Strings.MOST_BYTES + " bytes with its key)";

    private HashWriteCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("hset", HashWriteCommands::hset);
        commands.put("hmset", HashWriteCommands::hmset);
        commands.put("hsetnx", HashWriteCommands::hsetnx);
        commands.put("hdel", HashWriteCommands::hdel);
        commands.put("hincrby", HashWriteCommands::hincrby);
        commands.put("hincrbyfloat", HashWriteCommands::hincrbyfloat);
    }

    private static void hset(CommandCall call) {
        call.reply().integer(setAll(call));
    }

    private static void hmset(CommandCall call) {
        setAll(call);
        call.reply().simple("OK");
    }

    /** Sets all fields, and returns how many of them are new. */
    private static int setAll(CommandCall call) {
        if (call.count() % 2 != 0) {
            throw new CommandException(CommandErrors.wrongArity(call.command()));
        }
        byte[] key = call.argument(1);
        KeyEntry entry = call.find(key, ValueType.HASH);
        byte[] before = entry == null ? null : entry.content();
        byte[] after = sized(() -> call.count() == 4
                ? HashForm.with(before, call.argument(2), call.argument(3))
                : HashForm.withAll(before, changes(call)));
        put(call, key, entry, after);
        return HashForm.count(after) - (before == null ? 0 : HashForm.count(before));
    }

    private static Map<ByteBuffer, byte[]> changes(CommandCall call) {
        Map<ByteBuffer, byte[]> changes = new LinkedHashMap<>();
        for (int i = 2; i < call.count(); i += 2) {
            changes.put(ByteBuffer.wrap(call.argument(i)), call.argument(i + 1));
        }
        return changes;
    }

    private static byte[] sized(Supplier<byte[]> change) {
        try {
            return change.get();
        } catch (HashTooLargeException e) {
            throw new CommandException(TOO_LARGE);
        }
    }

    private static void put(CommandCall call, byte[] key, @Nullable KeyEntry before, byte[] content) {
        if (content.length > Strings.MOST_BYTES - key.length) {
            throw new CommandException(TOO_LARGE);
        }
        call.keys().put(key, ValueType.HASH, content, Strings.expiry(before));
    }

    private static void hsetnx(CommandCall call) {
        byte[] key = call.argument(1);
        byte[] field = call.argument(2);
        KeyEntry entry = call.find(key, ValueType.HASH);
        if (entry != null && new HashPairs(entry.content()).find(field)) {
            call.reply().integer(0);
        } else {
            setOne(call, key, entry, field, call.argument(3));
            call.reply().integer(1);
        }
    }

    private static void setOne(CommandCall call, byte[] key, @Nullable KeyEntry entry, byte[] field, byte[] value) {
        byte[] before = entry == null ? null : entry.content();
        put(call, key, entry, sized(() -> HashForm.with(before, field, value)));
    }

    private static void hdel(CommandCall call) {
        byte[] key = call.argument(1);
        KeyEntry entry = call.find(key, ValueType.HASH);
        if (entry == null) {
            call.reply().integer(0);
            return;
        }
        Set<ByteBuffer> fields = new HashSet<>();
        for (int i = 2; i < call.count(); i++) {
            fields.add(ByteBuffer.wrap(call.argument(i)));
        }
        int left = 0;
        byte[] content = HashForm.without(entry.content(), fields);
        if (content == null) {
            call.keys().remove(key);
        } else {
            left = HashForm.count(content);
            if (content != entry.content()) {
                put(call, key, entry, content);
            }
        }
        call.reply().integer(HashForm.count(entry.content()) - left);
    }

    private static void hincrby(CommandCall call) {
        long increment = call.integer(3);
        byte[] key = call.argument(1);
        byte[] field = call.argument(2);
        KeyEntry entry = call.find(key, ValueType.HASH);
        long before = entry == null ? 0 : integer(entry.content(), field);
        long after = before + increment;
        if (((before ^ after) & (increment ^ after)) < 0) {
            throw new CommandException("ERR increment or decrement would overflow");
        }
        setOne(call, key, entry, field, Long.toString(after).getBytes(StandardCharsets.US_ASCII));
        call.reply().integer(after);
    }

    private static long integer(byte[] content, byte[] field) {
        HashPairs pairs = new HashPairs(content);
        if (!pairs.find(field)) {
            return 0;
        }
        try {
            return Strings.integer(pairs.value());
        } catch (CommandException noInteger) {
            throw new CommandException("ERR hash value is not an integer");
        }
    }

    private static void hincrbyfloat(CommandCall call) {
        LongDouble increment = LongDouble.parse(call.argument(3));
        if (!increment.isFinite()) {
            throw new CommandException("ERR value is NaN or Infinity");
        }
        byte[] key = call.argument(1);
        byte[] field = call.argument(2);
        KeyEntry entry = call.find(key, ValueType.HASH);
        LongDouble before = LongDouble.ZERO;
        if (entry != null) {
            HashPairs pairs = new HashPairs(entry.content());
            before = pairs.find(field) ? LongDouble.read(pairs.value()) : before;
        }
        if (before == null) {
            throw new CommandException("ERR hash value is not a float");
        }
        LongDouble after = before.plus(increment);
        if (!after.isFinite()) {
            throw new CommandException("ERR increment would produce NaN or Infinity");
        }
        byte[] text = after.toString().getBytes(StandardCharsets.US_ASCII);
        setOne(call, key, entry, field, text);
        call.reply().bulk(text);
    }
}
