package dev.granary.bench.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The bytes of numbered keys, all of one size. Immutable. */
public final class KeyNames {

    /** The shortest keys. */
    public static final int LEAST_BYTES = 4;

    /** The longest keys: memcached takes no longer ones. */
    public static final int MOST_BYTES = 250;

    private static final int HEX_DIGITS = Long.SIZE / 4;
    private static final int COUNTED_DIGITS = 12;
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final byte[] prefix;
    private final int digits;
    private final boolean counted;

    private KeyNames(String prefix, int digits, boolean counted) {
        this.prefix = prefix.getBytes(StandardCharsets.US_ASCII);
        this.digits = digits;
        this.counted = counted;
    }

    /**
     * Keys of hexadecimal digits that look random, up to 16 of them, behind a prefix when keys are longer: as the keys
     * of applications, they cannot be guessed from one another.
     */
    public static KeyNames mixed(int bytes) {
        if (bytes < LEAST_BYTES || bytes > MOST_BYTES) {
            throw new IllegalArgumentException("bytes of a key: " + bytes);
        }
        int digits = Math.min(bytes, HEX_DIGITS);
        return new KeyNames("user:profile:".repeat(MOST_BYTES).substring(0, bytes - digits), digits, false);
    }

    /** The keys that redis-benchmark uses with its option {@code -r}. */
    public static KeyNames counted() {
        return new KeyNames("key:", COUNTED_DIGITS, true);
    }

    /** How many different keys there can be. */
    public long most() {
        return counted ? (long) Math.pow(10, digits) : digits >= HEX_DIGITS - 1 ? Long.MAX_VALUE : 1L << (4 * digits);
    }

    /** The size of each key. */
    public int bytes() {
        return prefix.length + digits;
    }

    /** An array for {@link #write}. */
    byte[] template() {
        return Arrays.copyOf(prefix, bytes());
    }

    /** Writes the digits of a key into a template. */
    void write(long number, byte[] key) {
        long rest = counted ? number : Mix.of(number, 4 * digits);
        for (int at = key.length - 1; at >= prefix.length; at--) {
            if (counted) {
                key[at] = (byte) ('0' + rest % 10);
                rest /= 10;
            } else {
                key[at] = DIGITS[(int) (rest & 0xF)];
                rest >>>= 4;
            }
        }
    }
}
