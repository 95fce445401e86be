package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import dev.granary.resp.ReplyWriter;
import java.util.Map;

/** LCS: the longest bytes that two strings have in common, in this order, with gaps. */
final class LcsCommand {

    private boolean index;
    private boolean length;
    private boolean matchLengths;
    private long leastMatch;

    private LcsCommand() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("lcs", call -> new LcsCommand().run(call));
    }

    private void run(CommandCall call) {
        byte[] a = string(call, 1);
        byte[] b = string(call, 2);
        readOptions(call);
        LcsTable table = new LcsTable(a, b);
        if (index) {
            writeMatches(table, call.reply());
        } else if (length) {
            call.reply().integer(table.length());
        } else {
            call.reply().bulk(table.common());
        }
    }

    private static byte[] string(CommandCall call, int argument) {
        KeyEntry entry = call.keys().find(call.argument(argument));
        if (entry != null && entry.type() != ValueType.STRING) {
            throw new CommandException("ERR The specified keys must contain string values");
        }
        return Strings.content(entry);
    }

    private void readOptions(CommandCall call) {
        for (int i = 3; i < call.count(); i++) {
            switch (call.option(i)) {
                case "IDX" -> index = true;
                case "LEN" -> length = true;
                case "WITHMATCHLEN" -> matchLengths = true;
                case "MINMATCHLEN" -> {
                    if (++i == call.count()) {
                        throw new CommandException(CommandException.SYNTAX);
                    }
                    leastMatch = call.integer(i);
                }
                default -> throw new CommandException(CommandException.SYNTAX);
            }
        }
        if (index && length) {
            throw new CommandException("ERR If you want both the length and indexes, please just use IDX.");
        }
    }

    private void writeMatches(LcsTable table, ReplyWriter reply) {
        reply.map(2);
        reply.bulk("matches");
        int mark = reply.beginArray();
        int[] count = {0};
        table.forEachMatch((aFirst, bFirst, matched) -> {
            if (matched >= leastMatch) {
                reply.array(matchLengths ? 3 : 2);
                writeRange(reply, aFirst, matched);
                writeRange(reply, bFirst, matched);
                if (matchLengths) {
                    reply.integer(matched);
                }
                count[0]++;
            }
        });
        reply.endArray(mark, count[0]);
        reply.bulk("len");
        reply.integer(table.length());
    }

    private static void writeRange(ReplyWriter reply, int first, int length) {
        reply.array(2);
        reply.integer(first);
        reply.integer(first + length - 1);
    }
}
