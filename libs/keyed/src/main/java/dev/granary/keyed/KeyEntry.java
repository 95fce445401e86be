package dev.granary.keyed;

/**
 * What a key stands for at one moment.
 *
 * @param content the bytes of the value; the form depends on the type. Nobody changes them
 * @param expiresAtMillis the time since 1970 at which the key expires, or {@link #NEVER}
 */
@SuppressWarnings("ArrayRecordComponent") // Entries are read and dropped, never compared.
public record KeyEntry(ValueType type, byte[] content, long expiresAtMillis) {

    /** Instead of a time: the key does not expire. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Whether the key expires at some time. */
    public boolean expires() {
        return expiresAtMillis != NEVER;
    }
}
