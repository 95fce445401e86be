package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.command.BitfieldOperation.Kind;
import java.util.List;
import java.util.Map;

/** BITFIELD and BITFIELD_RO: numbers of some bits within a string. */
final class BitfieldCommands {

    private BitfieldCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("bitfield", BitfieldCommands::bitfield);
        commands.put("bitfield_ro", BitfieldCommands::bitfieldRo);
    }

    private static void bitfieldRo(CommandCall call) {
        List<BitfieldOperation> operations = BitfieldOperation.allOf(call);
        if (operations.stream().anyMatch(operation -> operation.kind() != Kind.GET)) {
            throw new CommandException("ERR BITFIELD_RO only supports the GET subcommand");
        }
        run(call, operations, Strings.content(Strings.find(call)));
    }

    private static void bitfield(CommandCall call) {
        List<BitfieldOperation> operations = BitfieldOperation.allOf(call);
        KeyEntry entry = Strings.find(call);
        byte[] content = Strings.content(entry);
        int lastWritten = operations.stream()
                .filter(operation -> operation.kind() != Kind.GET)
                .mapToInt(BitfieldOperation::lastBit)
                .max()
                .orElse(-1);
        if (lastWritten < 0) {
            run(call, operations, content);
            return;
        }
        // The string grows first, even if all operations then fail: as in Redis.
        byte[] changed = BitCommands.grown(call, content, lastWritten);
        int mark = call.reply().out().writerIndex();
        boolean wrote = run(call, operations, changed);
        if (wrote || changed.length > content.length) {
            int end = call.reply().out().writerIndex();
            // Until the string is kept, there is no reply.
            call.reply().out().writerIndex(mark);
            Strings.put(call, changed, Strings.expiry(entry));
            call.reply().out().writerIndex(end);
        }
    }

    /** Carries out all operations on bytes, and writes their results. Returns whether some bytes may have changed. */
    private static boolean run(CommandCall call, List<BitfieldOperation> operations, byte[] bytes) {
        call.reply().array(operations.size());
        boolean wrote = false;
        for (BitfieldOperation operation : operations) {
            wrote |= operation.run(bytes, call.reply());
        }
        return wrote;
    }
}
