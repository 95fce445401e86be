package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import dev.granary.keyed.hash.HashForm;
import dev.granary.keyed.hash.HashPairs;
import dev.granary.resp.Decimal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** How Redis 7.0 would keep a value that was set as a whole, with its default settings. Here it is bytes. */
final class ValueEncoding {

    private static final int MOST_EMBEDDED_BYTES = 44;
    private static final int MOST_SMALL_FIELDS = 512;
    private static final int MOST_SMALL_BYTES = 64;

    /** Redis keeps one copy of each of the numbers below. */
    private static final long SHARED_NUMBERS = 10_000;

    /** What Redis answers for values that it shares. */
    private static final int SHARED_COUNT = Integer.MAX_VALUE;

    private ValueEncoding() {}

    /** Returns Redis's word for the encoding. */
    static String word(KeyEntry entry) {
        byte[] content = entry.content();
        if (entry.type() == ValueType.HASH) {
            return isSmallHash(content) ? "listpack" : "hashtable";
        }
        if (isNumber(content)) {
            return "int";
        }
        return content.length <= MOST_EMBEDDED_BYTES ? "embstr" : "raw";
    }

    /** Returns how many references Redis would count. */
    static int references(KeyEntry entry) {
        byte[] content = entry.content();
        if (entry.type() != ValueType.STRING || !isNumber(content)) {
            return 1;
        }
        long number = Decimal.parse(Unpooled.wrappedBuffer(content), 0, content.length, 0);
        return number >= 0 && number < SHARED_NUMBERS ? SHARED_COUNT : 1;
    }

    private static boolean isNumber(byte[] content) {
        ByteBuf bytes = Unpooled.wrappedBuffer(content);
        return Decimal.parse(bytes, 0, content.length, 0) != 0 || Decimal.parse(bytes, 0, content.length, 1) != 1;
    }

    /** Returns whether Redis would keep a hash as a list. */
    static boolean isSmallHash(byte[] content) {
        if (HashForm.count(content) > MOST_SMALL_FIELDS) {
            return false;
        }
        HashPairs pairs = new HashPairs(content);
        while (pairs.next()) {
            if (pairs.fieldLength() > MOST_SMALL_BYTES || pairs.valueLength() > MOST_SMALL_BYTES) {
                return false;
            }
        }
        return true;
    }
}
