package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import java.util.Arrays;
import java.util.Map;

/** The commands on strings as rows of bits; the first bit is the highest one of the first byte. */
final class BitCommands {

    private static final String NO_OFFSET = "ERR bit offset is not an integer or out of range";

    private static final String NO_BIT = "ERR bit is not an integer or out of range";

    private BitCommands() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("bitcount", BitCommands::bitcount);
        commands.put("bitop", BitCommands::bitop);
        commands.put("bitpos", BitCommands::bitpos);
        commands.put("getbit", BitCommands::getbit);
        commands.put("setbit", BitCommands::setbit);
    }

    private static void getbit(CommandCall call) {
        int offset = offset(call.request().number(2, -1));
        byte[] content = Strings.content(Strings.find(call));
        call.reply().integer(Bits.get(content, offset, 1));
    }

    private static void setbit(CommandCall call) {
        int offset = offset(call.request().number(2, -1));
        long bit = call.request().number(3, -1);
        if (bit != 0 && bit != 1) {
            throw new CommandException(NO_BIT);
        }
        KeyEntry entry = Strings.find(call);
        byte[] old = Strings.content(entry);
        long before = Bits.get(old, offset, 1);
        byte[] content = grown(call, old, offset);
        if (content.length > old.length || before != bit) {
            Bits.set(content, offset, 1, bit);
            Strings.put(call, content, Strings.expiry(entry));
        }
        call.reply().integer(before);
    }

    /** Returns the offset of a bit if a value can have so many. */
    static int offset(long offset) {
        if (offset < 0 || offset / Byte.SIZE >= Strings.MOST_BYTES) {
            throw new CommandException(NO_OFFSET);
        }
        return (int) offset;
    }

    /** Returns a copy of a string that has a bit, with zeros behind what there was. */
    static byte[] grown(CommandCall call, byte[] content, int bit) {
        int length = Math.max(content.length, bit / Byte.SIZE + 1);
        Strings.checkSize(call.request().length(1), length);
        return Arrays.copyOf(content, length);
    }

    private static void bitcount(CommandCall call) {
        KeyEntry entry = Strings.find(call);
        if (entry == null) {
            call.reply().integer(0);
            return;
        }
        byte[] content = entry.content();
        if (call.count() == 3 || call.count() > 5) {
            throw new CommandException(CommandException.SYNTAX);
        }
        IndexRange range = new IndexRange(0, content.length - 1L);
        boolean inBits = false;
        if (call.count() > 2) {
            long start = call.integer(2);
            long end = call.integer(3);
            if (start < 0 && end < 0 && start > end) {
                // Redis answers before it looks at the unit.
                call.reply().integer(0);
                return;
            }
            inBits = call.count() == 5 && unitIsBit(call, 4);
            range = IndexRange.of(start, end, inBits ? bits(content) : content.length);
        }
        range = inBits ? range : toBits(range);
        call.reply().integer(range.isEmpty() ? 0 : Bits.count(content, (int) range.first(), (int) range.last() + 1));
    }

    private static void bitpos(CommandCall call) {
        long bit = call.integer(2);
        if (bit != 0 && bit != 1) {
            throw new CommandException("ERR The bit argument must be 1 or 0.");
        }
        KeyEntry entry = Strings.find(call);
        if (entry == null) {
            // As if there were zeros without an end.
            call.reply().integer(bit == 1 ? -1 : 0);
            return;
        }
        byte[] content = entry.content();
        IndexRange range = bitposRange(call, content);
        if (range.isEmpty()) {
            call.reply().integer(-1);
            return;
        }
        int found = Bits.find(content, (int) bit, (int) range.first(), (int) range.last() + 1);
        boolean endIsGiven = call.count() > 4;
        // Behind the string there are zeros, unless the range has an end.
        call.reply().integer(found < 0 && bit == 0 && !endIsGiven ? bits(content) : found);
    }

    private static IndexRange bitposRange(CommandCall call, byte[] content) {
        if (call.count() > 6) {
            throw new CommandException(CommandException.SYNTAX);
        }
        long start = call.count() > 3 ? call.integer(3) : 0;
        boolean inBits = call.count() == 6 && unitIsBit(call, 5);
        long length = inBits ? bits(content) : content.length;
        long end = call.count() > 4 ? call.integer(4) : length - 1;
        // Unlike BITCOUNT's, two negative indexes in the wrong order are not looked at before they are cut.
        IndexRange range = new IndexRange(
                start < 0 ? Math.max(0, length + start) : start,
                Math.min(end < 0 ? Math.max(0, length + end) : end, length - 1));
        return inBits ? range : toBits(range);
    }

    private static boolean unitIsBit(CommandCall call, int argument) {
        return switch (call.option(argument)) {
            case "BIT" -> true;
            case "BYTE" -> false;
            default -> throw new CommandException(CommandException.SYNTAX);
        };
    }

    private static long bits(byte[] content) {
        return (long) content.length * Byte.SIZE;
    }

    private static IndexRange toBits(IndexRange bytes) {
        return bytes.isEmpty() ? bytes : new IndexRange(bytes.first() * Byte.SIZE, bytes.last() * Byte.SIZE + 7);
    }

    private static void bitop(CommandCall call) {
        String operation = call.option(1);
        BitOperation bits =
                switch (operation) {
                    case "AND", "NOT" -> (one, other) -> one & other;
                    case "OR" -> (one, other) -> one | other;
                    case "XOR" -> (one, other) -> one ^ other;
                    default -> throw new CommandException(CommandException.SYNTAX);
                };
        boolean isNot = operation.equals("NOT");
        if (isNot && call.count() != 4) {
            throw new CommandException("ERR BITOP NOT must be called with a single source key.");
        }
        byte[][] sources = new byte[call.count() - 3][];
        int length = 0;
        for (int i = 0; i < sources.length; i++) {
            sources[i] = Strings.content(call.find(call.argument(i + 3), ValueType.STRING));
            length = Math.max(length, sources[i].length);
        }
        byte[] target = call.argument(2);
        if (length == 0) {
            call.keys().remove(target);
        } else {
            byte[] result = combined(sources, length, bits);
            if (isNot) {
                for (int i = 0; i < length; i++) {
                    result[i] = (byte) ~result[i];
                }
            }
            Strings.put(call, target, result, KeyEntry.NEVER);
        }
        call.reply().integer(length);
    }

    /** Does something to the same bits of two strings. */
    @FunctionalInterface
    private interface BitOperation {
        int of(int one, int other);
    }

    /** Returns what comes out of all strings; shorter ones end with zeros. */
    private static byte[] combined(byte[][] sources, int length, BitOperation bits) {
        byte[] result = Arrays.copyOf(sources[0], length);
        for (int i = 1; i < sources.length; i++) {
            byte[] source = sources[i];
            for (int at = 0; at < length; at++) {
                result[at] = (byte) bits.of(result[at], at < source.length ? source[at] : 0);
            }
        }
        return result;
    }
}
