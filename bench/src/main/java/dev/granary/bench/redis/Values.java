package dev.granary.bench.redis;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The values of numbered keys. A value follows from its key and a version, begins with bytes that tell its key, and
 * looks random otherwise. Immutable.
 */
public final class Values {

    /** The smallest value: it tells its key. */
    public static final int LEAST_BYTES = Long.BYTES;

    /** The largest value. */
    public static final int MOST_BYTES = 16_384;

    private static final int BLOCK_BYTES = 1 << 16;
    private static final long SEED = 42;

    private final int least;
    private final int most;
    private final byte[] block = new byte[BLOCK_BYTES];

    /** Values of sizes between two bounds, both included. */
    public Values(int least, int most) {
        if (least < LEAST_BYTES || most < least || most > MOST_BYTES) {
            throw new IllegalArgumentException("sizes of values: " + least + " to " + most);
        }
        this.least = least;
        this.most = most;
        new SplittableRandom(SEED).nextBytes(block);
    }

    /** The size of a version of a key's value. */
    public int size(long key, int version) {
        return least + (int) Long.remainderUnsigned(Mix.of(key * 257 + version), most - least + 1);
    }

    /** The largest size. */
    public int most() {
        return most;
    }

    void write(long key, int version, ByteBuffer out) {
        int size = size(key, version);
        out.putLong(tag(key));
        int from = (int) ((Mix.of(key ^ version) >>> 1) % (BLOCK_BYTES - MOST_BYTES));
        out.put(block, from, size - Long.BYTES);
    }

    /** Whether bytes are a value of a key, of whatever version. */
    boolean isOf(long key, ByteBuffer in, int from, int length) {
        return length >= least && length <= most && in.getLong(from) == tag(key);
    }

    /** No value has the end of a line in it here, so that a wrong length is noticed soon. */
    private static long tag(long key) {
        return Mix.of(~key) | 0x8080_8080_8080_8080L;
    }
}
