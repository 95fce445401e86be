package dev.granary.client.admin;

/**
 * A key of a cluster backup.
 *
 * @param value what the command {@code DUMP} answers for the key
 * @param expiresAtMillis when it expires, in milliseconds since 1970; 0 for never
 */
// These records are never compared.
@SuppressWarnings("ArrayRecordComponent")
public record BackedUpKey(byte[] key, byte[] value, long expiresAtMillis) {

    /** Returns the bytes of key and value. */
    public long sizeBytes() {
        return (long) key.length + value.length;
    }
}
