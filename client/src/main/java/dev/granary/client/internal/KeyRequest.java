package dev.granary.client.internal;

import dev.granary.client.AsyncKeys;
import dev.granary.client.InvalidRequestException;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Reply;
import dev.granary.resp.RequestWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Commands on one key that are carried out together, with what a client must know of them.
 *
 * @param key of all commands
 * @param commands names and arguments, at least one command
 * @param change whether to repeat them could do harm, so that they are sent once only
 * @param ifNobody the reply when nobody has the slot group of the key; null when the group must be opened
 * @param mark what {@code WATCH} has answered for the key: nothing is carried out if the key has changed since; null to
 *     carry the commands out in any case
 */
@SuppressWarnings("ArrayRecordComponent") // It is written, never compared.
public record KeyRequest(
        byte[] key,
        List<byte[][]> commands,
        boolean change,
        @Nullable Reply ifNobody,
        @Nullable Long mark) {

    private static final Reply ZERO = new Reply.WholeNumber(0);
    private static final Duration MAX_LIFETIME = Duration.ofDays(365_000);
    private static final int MAX_NAMED_BYTES = 64;

    private static final byte[] GET = ascii("GET");
    private static final byte[] SET = ascii("SET");
    private static final byte[] DEL = ascii("DEL");
    private static final byte[] WATCH = ascii("WATCH");
    private static final byte[] PEXPIRE = ascii("PEXPIRE");
    private static final byte[] PX = ascii("PX");

    /** When a value is set. */
    enum Condition {
        ALWAYS(null),
        IF_ABSENT("NX"),
        IF_PRESENT("XX");

        private final @Nullable String word;

        Condition(@Nullable String word) {
            this.word = word;
        }
    }

    static KeyRequest get(byte[] key) {
        return new KeyRequest(key, command(GET, key), false, Reply.NOTHING, null);
    }

    /** Reads a value, and the mark with which a change is carried out only if the value is still this one. */
    static KeyRequest watchAndGet(byte[] key) {
        List<byte[][]> both = List.of(new byte[][] {WATCH, key}, new byte[][] {GET, key});
        return new KeyRequest(key, both, false, new Reply.Elements(List.of(Reply.NOTHING, Reply.NOTHING)), null);
    }

    /**
     * Sets a value.
     *
     * @param lifetime null for one that does not expire
     * @throws InvalidRequestException when key and value are too large, or the lifetime is out of range
     */
    static KeyRequest set(byte[] key, byte[] value, @Nullable Duration lifetime, Condition condition) {
        long bytes = (long) key.length + value.length;
        if (bytes > AsyncKeys.MAX_BYTES) {
            throw new InvalidRequestException("key " + nameOf(key) + " and its value have " + bytes
                    + " bytes together; they may have " + AsyncKeys.MAX_BYTES + ": set smaller values");
        }
        String word = condition.word;
        byte[][] command = new byte[3 + (lifetime == null ? 0 : 2) + (word == null ? 0 : 1)][];
        int count = 0;
        command[count++] = SET;
        command[count++] = key;
        command[count++] = value;
        if (lifetime != null) {
            command[count++] = PX;
            command[count++] = millis(key, lifetime);
        }
        if (word != null) {
            command[count] = ascii(word);
        }
        Reply ifNobody = condition == Condition.IF_PRESENT ? Reply.NOTHING : null;
        return new KeyRequest(key, List.<byte[][]>of(command), true, ifNobody, null);
    }

    static KeyRequest delete(byte[] key) {
        return new KeyRequest(key, command(DEL, key), true, ZERO, null);
    }

    /** @throws InvalidRequestException when the lifetime is out of range */
    static KeyRequest expire(byte[] key, Duration lifetime) {
        return new KeyRequest(key, command(PEXPIRE, key, millis(key, lifetime)), true, ZERO, null);
    }

    private static List<byte[][]> command(byte[]... words) {
        return List.<byte[][]>of(words);
    }

    /** Returns this request, to be carried out only if the key has not changed since the mark was given. */
    KeyRequest ifUnchangedSince(long given) {
        return new KeyRequest(key, commands, change, ifNobody, given);
    }

    private static byte[] millis(byte[] key, Duration lifetime) {
        if (lifetime.isNegative() || lifetime.isZero() || lifetime.compareTo(MAX_LIFETIME) > 0) {
            throw new InvalidRequestException("a lifetime of " + lifetime + " for key " + nameOf(key)
                    + "; it must be above zero, and at most " + MAX_LIFETIME.toDays() + " days");
        }
        // What is less than a millisecond is one.
        return ascii(Long.toString(lifetime.plusNanos(999_999).toMillis()));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the slot group of the key. */
    int group() {
        return SlotGroup.ofKey(key);
    }

    /** Returns how many bytes the request takes in a message at most. */
    int maxBytes() {
        int bytes = 0;
        for (byte[][] command : commands) {
            bytes += RequestWriter.maxBytes(command);
        }
        return bytes;
    }

    void writeTo(ByteBuf out) {
        for (byte[][] command : commands) {
            RequestWriter.write(out, command);
        }
    }

    /** Returns the key for messages to people. */
    String name() {
        return nameOf(key);
    }

    private static String nameOf(byte[] key) {
        int shown = Math.min(key.length, MAX_NAMED_BYTES);
        String text = new String(key, 0, shown, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
        return "'" + text + (shown < key.length ? "…'" : "'");
    }
}
