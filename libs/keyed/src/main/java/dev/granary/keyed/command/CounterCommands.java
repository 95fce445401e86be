package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The commands on strings that are numbers. */
final class CounterCommands {

    private static final byte[] ZERO = {'0'};

    private CounterCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("decr", call -> add(call, -1));
        commands.put("decrby", CounterCommands::decrby);
        commands.put("incr", call -> add(call, 1));
        commands.put("incrby", call -> add(call, call.integer(2)));
        commands.put("incrbyfloat", CounterCommands::incrbyfloat);
    }

    private static void decrby(CommandCall call) {
        long decrement = call.integer(2);
        if (decrement == Long.MIN_VALUE) {
            throw new CommandException("ERR decrement would overflow");
        }
        add(call, -decrement);
    }

    private static void add(CommandCall call, long increment) {
        KeyEntry entry = Strings.find(call);
        long old = entry == null ? 0 : Strings.integer(entry.content());
        long sum = old + increment;
        // The sum has overflowed if its sign is neither the one's nor the other's.
        if (((old ^ sum) & (increment ^ sum)) < 0) {
            throw new CommandException("ERR increment or decrement would overflow");
        }
        Strings.put(call, Long.toString(sum).getBytes(StandardCharsets.US_ASCII), Strings.expiry(entry));
        call.reply().integer(sum);
    }

    private static void incrbyfloat(CommandCall call) {
        KeyEntry entry = Strings.find(call);
        LongDouble old = LongDouble.parse(entry == null ? ZERO : entry.content());
        LongDouble sum = old.plus(LongDouble.parse(call.argument(2)));
        if (!sum.isFinite()) {
            throw new CommandException("ERR increment would produce NaN or Infinity");
        }
        byte[] text = sum.toString().getBytes(StandardCharsets.US_ASCII);
        Strings.put(call, text, Strings.expiry(entry));
        call.reply().bulk(text);
    }
}
