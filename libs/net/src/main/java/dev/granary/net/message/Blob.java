package dev.granary.net.message;

import java.util.Arrays;

/**
 * Bytes whose meaning the protocol does not know, compared by value.
 *
 * @param bytes not changed by anybody
 */
@SuppressWarnings("ArrayRecordComponent") // compared by value below
public record Blob(byte[] bytes) {

    @Override
    public boolean equals(Object other) {
        return other instanceof Blob that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
