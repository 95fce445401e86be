package dev.granary.simulation;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/** Contents of chunks: a value, and further bytes that follow from it up to the size, so that a torn content shows. */
final class Payload {

    private Payload() {}

    /**
     * @param limitBytes the content has fewer bytes than this; above {@value Long#BYTES}
     */
    static byte[] of(long value, RandomGenerator random, int limitBytes) {
        byte[] bytes = new byte[Long.BYTES + random.nextInt(limitBytes - Long.BYTES)];
        ByteBuffer.wrap(bytes).putLong(value);
        for (int i = Long.BYTES; i < bytes.length; i++) {
            bytes[i] = tail(value, i);
        }
        return bytes;
    }

    /**
     * Returns the value of a content.
     *
     * @throws AssertionError when no single write wrote the whole content
     */
    static long valueOf(byte[] bytes) {
        if (bytes.length < Long.BYTES) {
            throw new AssertionError("a chunk of " + bytes.length + " bytes, which nobody wrote");
        }
        long value = ByteBuffer.wrap(bytes).getLong();
        for (int i = Long.BYTES; i < bytes.length; i++) {
            if (bytes[i] != tail(value, i)) {
                throw new AssertionError(
                        "byte " + i + " of " + bytes.length + " is not of the write of value " + value);
            }
        }
        return value;
    }

    private static byte tail(long value, int index) {
        return (byte) (value * 31 + index);
    }
}
