package dev.granary.simulation;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Contents of chunks: a value, and as many bytes that follow from it as the size asks for, so that a torn one shows.
 */
final class Payload {

    private Payload() {}

    /**
     * @param limitBytes what it has fewer bytes than, above {@value Long#BYTES}
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
     * The value of a content.
     *
     * @throws AssertionError when the content is of no write as a whole
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
