package dev.granary.keyed.command;

import dev.granary.keyed.hash.HashPairs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Map;

/**
 * HSCAN. A small hash is answered at once. A large one is answered in parts by the hash codes of its fields, from low
 * to high: a field that stays is answered whatever happens to others, because its code stays.
 *
 * <pre>
 *   codes    0 .............. c1 .............. c2 ........ 2^32
 *   call     | HSCAN key 0    | HSCAN key c1    | HSCAN key c2
 *   answers  | c1, its fields | c2, its fields  | 0, its fields
 * </pre>
 */
final class HashScan {

    private static final long CODES = 1L << 32;

    private HashScan() {}

    static void addTo(Map<String, KeyCommand> commands) {
        commands.put("hscan", HashScan::hscan);
    }

    private static void hscan(CommandCall call) {
        long cursor = ScanOptions.cursor(call, 2);
        byte[] content = HashCommands.content(call);
        if (content == null) {
            // Redis reads no options when there is nothing to scan.
            call.reply().array(2);
            call.reply().bulk(0);
            call.reply().array(0);
            return;
        }
        ScanOptions options = ScanOptions.read(call, cursor, 3, false);
        HashPairs pairs = new HashPairs(content);
        long from = 0;
        long to = CODES;
        if (!ValueEncoding.isSmallHash(content)) {
            from = Long.compareUnsigned(cursor, CODES) < 0 ? cursor : CODES;
            to = from + Math.max(1, CODES / pairs.count() * Math.min(options.count(), pairs.count()));
            if (options.count() >= pairs.count() || to > CODES) {
                to = CODES;
            }
        }
        call.reply().array(2);
        call.reply().bulk(to == CODES ? 0 : to);
        int mark = call.reply().beginArray();
        call.reply().endArray(mark, answer(call, content, options, from, to));
    }

    /** Answers the fields whose codes are in a range, and returns how many bulk strings these are. */
    private static int answer(CommandCall call, byte[] content, ScanOptions options, long from, long to) {
        ByteBuf bytes = Unpooled.wrappedBuffer(content);
        int answered = 0;
        HashPairs pairs = new HashPairs(content);
        while (pairs.next()) {
            if (to - from < CODES) {
                long code = code(content, pairs.fieldStart(), pairs.fieldLength());
                if (code < from || code >= to) {
                    continue;
                }
            }
            if (options.pattern() == null
                    || options.pattern().matches(bytes, pairs.fieldStart(), pairs.fieldLength())) {
                HashCommands.bulk(call, content, pairs.fieldStart(), pairs.fieldLength());
                HashCommands.bulk(call, content, pairs.valueStart(), pairs.valueLength());
                answered += 2;
            }
        }
        return answered;
    }

    /** Returns the code of a field, from 0 to 2^32 - 1: FNV-1a, mixed. Cursors of clients depend on it. */
    private static long code(byte[] content, int from, int length) {
        int hash = 0x811c9dc5;
        for (int i = from; i < from + length; i++) {
            hash = (hash ^ content[i]) * 0x01000193;
        }
        hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
        hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
        return Integer.toUnsignedLong(hash ^ (hash >>> 16));
    }
}
