package dev.granary.e2e.load;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * The value that a worker writes: which worker, which of its chunks, and which version.
 *
 * @param worker 0 to 2¹⁴
 * @param chunk counted by the worker, up to 2²⁴
 * @param version up to 2²⁴
 */
record LoadValue(long worker, long chunk, long version) {

    private static final int BYTES = 64;
    private static final int FIELD_BITS = 24;

    /** Returns the bytes of this value, padded with the version so that a torn value shows. */
    byte[] bytes() {
        ByteBuffer value = ByteBuffer.allocate(BYTES);
        value.putLong(worker).putLong(chunk);
        while (value.hasRemaining()) {
            value.putLong(version);
        }
        return value.array();
    }

    /** Returns the value of some bytes; empty if no worker has written them as a whole. */
    static Optional<LoadValue> of(byte[] bytes) {
        if (bytes.length != BYTES) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        LoadValue value = new LoadValue(in.getLong(), in.getLong(), in.getLong());
        return Arrays.equals(bytes, value.bytes()) ? Optional.of(value) : Optional.empty();
    }

    /** Returns a positive number that no other value of a load has. */
    long number() {
        return ((((worker + 1) << FIELD_BITS) | chunk) << FIELD_BITS) | version;
    }
}
