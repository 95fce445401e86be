package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import java.util.Map;

/**
 * DUMP and RESTORE: values in the form of Redis's RDB files, version 10, so that values move from a Redis and back.
 *
 * <pre>
 *   type (1 byte) | value, as its type has it | version (2 bytes) | CRC-64 of all before it (8 bytes)
 * </pre>
 */
final class DumpCommands {

    /** How values are written, by their types. */
    private static final Map<ValueType, DumpForm> FORMS =
            Map.of(ValueType.STRING, new StringDump(), ValueType.HASH, new HashDump());

    private DumpCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("dump", DumpCommands::dump);
        commands.put("restore", DumpCommands::restore);
    }

    private static void dump(CommandCall call) {
        KeyEntry entry = call.keys().find(call.argument(1));
        if (entry == null) {
            call.reply().nothing();
            return;
        }
        DumpForm form = FORMS.get(entry.type());
        if (form == null) {
            throw new CommandException("ERR DUMP has no form for a value of the type "
                    + entry.type().word());
        }
        DumpWriter out = new DumpWriter();
        form.write(entry.content(), out);
        call.reply().bulk(out.payload());
    }

    private static void restore(CommandCall call) {
        RestoreOptions options = RestoreOptions.of(call);
        byte[] key = call.argument(1);
        if (!options.replace() && call.keys().find(key) != null) {
            throw new CommandException("BUSYKEY Target key name already exists.");
        }
        long time = call.integer(2);
        if (time < 0) {
            throw new CommandException("ERR Invalid TTL value, must be >= 0");
        }
        DumpReader in = DumpReader.of(call.argument(3));
        int type = in.unsignedByte();
        Map.Entry<ValueType, DumpForm> form = FORMS.entrySet().stream()
                .filter(candidate -> candidate.getValue().reads(type))
                .findFirst()
                .orElseThrow(DumpReader::badFormat);
        byte[] content = form.getValue().read(type, in);
        Strings.checkSize(key.length, content.length);
        call.keys().put(key, form.getKey(), content, expiresAt(call, options, time));
        call.reply().simple("OK");
    }

    private static long expiresAt(CommandCall call, RestoreOptions options, long time) {
        if (time == 0) {
            return KeyEntry.NEVER;
        }
        // A sum that is too large becomes a time that is over: as in Redis.
        return TimeForm.atMost(options.absolute() ? time : time + call.keys().nowMillis());
    }
}
