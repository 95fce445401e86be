package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import java.util.Arrays;
import java.util.Map;

/** The commands that read or write parts of strings. */
final class RangeCommands {

    private RangeCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("append", RangeCommands::append);
        commands.put("getrange", RangeCommands::getrange);
        commands.put("setrange", RangeCommands::setrange);
        commands.put("substr", RangeCommands::getrange);
    }

    private static void append(CommandCall call) {
        KeyEntry entry = Strings.find(call);
        byte[] old = Strings.content(entry);
        int more = call.request().length(2);
        Strings.checkSize(call.request().length(1), (long) old.length + more);
        byte[] content = Arrays.copyOf(old, old.length + more);
        call.request().buffer().getBytes(call.request().start(2), content, old.length, more);
        Strings.put(call, content, Strings.expiry(entry));
        call.reply().integer(content.length);
    }

    private static void getrange(CommandCall call) {
        long start = call.integer(2);
        long end = call.integer(3);
        byte[] content = Strings.content(Strings.find(call));
        IndexRange range = IndexRange.of(start, end, content.length);
        call.reply()
                .bulk(
                        range.isEmpty()
                                ? Strings.EMPTY
                                : Arrays.copyOfRange(content, (int) range.first(), (int) range.last() + 1));
    }

    private static void setrange(CommandCall call) {
        long offset = call.integer(2);
        if (offset < 0) {
            throw new CommandException("ERR offset is out of range");
        }
        KeyEntry entry = Strings.find(call);
        byte[] old = Strings.content(entry);
        int length = call.request().length(3);
        if (length == 0) {
            // Nothing is written: not even zeros up to the offset.
            call.reply().integer(old.length);
            return;
        }
        int most = Strings.MOST_BYTES - length;
        Strings.checkSize(call.request().length(1), offset > most ? Long.MAX_VALUE : offset + length);
        byte[] content = Arrays.copyOf(old, Math.max(old.length, (int) offset + length));
        call.request().buffer().getBytes(call.request().start(3), content, (int) offset, length);
        Strings.put(call, content, Strings.expiry(entry));
        call.reply().integer(content.length);
    }
}
