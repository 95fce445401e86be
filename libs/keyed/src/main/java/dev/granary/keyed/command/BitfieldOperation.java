package dev.granary.keyed.command;

import dev.granary.resp.Decimal;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import java.util.ArrayList;
import java.util.List;

/**
 * One operation of BITFIELD.
 *
 * @param offset of the first bit
 * @param operand the number to set or to add; 0 for GET
 */
record BitfieldOperation(Kind kind, BitfieldType type, int offset, long operand, Overflow overflow) {

    enum Kind {
        GET,
        SET,
        INCRBY
    }

    /** What happens with a number that does not fit. */
    enum Overflow {
        WRAP,
        SAT,
        FAIL
    }

    /**
     * Reads the operations of {@code BITFIELD key ...}, all before the first one is carried out.
     *
     * @throws CommandException when one of them is wrong
     */
    static List<BitfieldOperation> allOf(CommandCall call) {
        List<BitfieldOperation> operations = new ArrayList<>();
        Overflow overflow = Overflow.WRAP;
        for (int i = 2; i < call.count(); ) {
            String word = call.option(i);
            int behind = call.count() - i - 1;
            if (word.equals("OVERFLOW") && behind >= 1) {
                overflow = overflow(call.option(i + 1));
                i += 2;
                continue;
            }
            Kind kind = kind(word, behind);
            BitfieldType type = BitfieldType.of(call.request().text(i + 1, BitfieldType.MOST_CHARACTERS));
            int offset = offset(call.request(), i + 2, type.bits());
            long operand = kind == Kind.GET ? 0 : call.integer(i + 3);
            operations.add(new BitfieldOperation(kind, type, offset, operand, overflow));
            i += kind == Kind.GET ? 3 : 4;
        }
        return operations;
    }

    private static Overflow overflow(String word) {
        return switch (word) {
            case "WRAP" -> Overflow.WRAP;
            case "SAT" -> Overflow.SAT;
            case "FAIL" -> Overflow.FAIL;
            default -> throw new CommandException("ERR Invalid OVERFLOW type specified");
        };
    }

    private static Kind kind(String word, int argumentsBehind) {
        if (word.equals("GET") && argumentsBehind >= 2) {
            return Kind.GET;
        }
        if (word.equals("SET") && argumentsBehind >= 3) {
            return Kind.SET;
        }
        if (word.equals("INCRBY") && argumentsBehind >= 3) {
            return Kind.INCRBY;
        }
        throw new CommandException(CommandException.SYNTAX);
    }

    /** Reads an offset; behind a '#' it counts numbers of the type instead of bits. */
    private static int offset(Request request, int argument, int bits) {
        int start = request.start(argument);
        int end = start + request.length(argument);
        boolean inNumbers = start < end && request.buffer().getByte(start) == '#';
        long offset = Decimal.parse(request.buffer(), inNumbers ? start + 1 : start, end, -1);
        boolean isTooFar = offset > Integer.MAX_VALUE;
        return BitCommands.offset(inNumbers && !isTooFar ? offset * bits : offset);
    }

    /** Returns the last bit of the number. */
    int lastBit() {
        return offset + type.bits() - 1;
    }

    /** Carries it out on bytes that have all its bits if it writes. Returns whether they may have changed. */
    boolean run(byte[] bytes, ReplyWriter reply) {
        long old = type.get(bytes, offset);
        if (kind == Kind.GET) {
            reply.integer(old);
            return false;
        }
        BitfieldType.Sum sum = kind == Kind.SET ? type.sum(operand, 0) : type.sum(old, operand);
        if (sum.overflows() && overflow == Overflow.FAIL) {
            reply.nothing();
            return false;
        }
        long result = sum.overflows() && overflow == Overflow.SAT ? sum.saturated() : sum.wrapped();
        Bits.set(bytes, offset, type.bits(), result);
        reply.integer(kind == Kind.SET ? old : result);
        return true;
    }
}
