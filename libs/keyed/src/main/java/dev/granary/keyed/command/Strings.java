package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.ValueType;
import dev.granary.resp.Decimal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** What commands on strings have in common. */
final class Strings {

    /**
     * The most bytes that a key and its value have together. Both are in one chunk, which has at most 8 MiB; the rest
     * is for what a chunk says about them. In place of Redis's {@code proto-max-bulk-len}.
     */
    static final int MOST_BYTES = (8 << 20) - 64;

    static final String TOO_LONG = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";

    static final byte[] EMPTY = {};

    private Strings() {}

    /** Returns the string that the first argument stands for; null when it is not there. */
    static @Nullable KeyEntry find(CommandCall call) {
        return call.find(call.argument(1), ValueType.STRING);
    }

    /** Returns the bytes of a string; none when it is not there. */
    static byte[] content(@Nullable KeyEntry entry) {
        return entry == null ? EMPTY : entry.content();
    }

    /** Returns when a key expires that is set again and keeps its time. */
    static long expiry(@Nullable KeyEntry entry) {
        return entry == null ? KeyEntry.NEVER : entry.expiresAtMillis();
    }

    /** Answers with a string, or with nothing when it is not there. */
    static void reply(CommandCall call, @Nullable KeyEntry entry) {
        if (entry == null) {
            call.reply().nothing();
        } else {
            call.reply().bulk(entry.content());
        }
    }

    /** Sets the first argument to a string. */
    static void put(CommandCall call, byte[] content, long expiresAtMillis) {
        put(call, call.argument(1), content, expiresAtMillis);
    }

    /** Sets a key to a string. */
    static void put(CommandCall call, byte[] key, byte[] content, long expiresAtMillis) {
        checkSize(key.length, content.length);
        call.keys().put(key, ValueType.STRING, content, expiresAtMillis);
    }

    /**
     * Checks the length of a value before there is one.
     *
     * @throws CommandException when a key of so many bytes cannot have it
     */
    static void checkSize(int keyBytes, long contentBytes) {
        if (contentBytes > MOST_BYTES - keyBytes) {
            throw new CommandException(TOO_LONG);
        }
    }

    /**
     * Returns the whole number that a string is.
     *
     * @throws CommandException when it is none
     */
    static long integer(byte[] content) {
        ByteBuf bytes = Unpooled.wrappedBuffer(content);
        long value = Decimal.parse(bytes, 0, content.length, Long.MIN_VALUE);
        if (value == Long.MIN_VALUE && Decimal.parse(bytes, 0, content.length, 0) == 0) {
            throw new CommandException(CommandException.NOT_AN_INTEGER);
        }
        return value;
    }
}
