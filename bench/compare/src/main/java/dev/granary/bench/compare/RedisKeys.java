package dev.granary.bench.compare;

import java.nio.ByteBuffer;

/** The keys of a redis-server that stand for numbered objects: 8 bytes each, as a CID has. */
final class RedisKeys {

    /** Objects that are written in one request while they are loaded. */
    static final int LOAD_BATCH = 1_000;

    private final byte[][] keys;

    RedisKeys(int objects) {
        keys = new byte[objects][];
        for (int number = 0; number < objects; number++) {
            keys[number] = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        }
    }

    int count() {
        return keys.length;
    }

    byte[] key(int number) {
        return keys[number];
    }

    byte[][] keys(int[] numbers) {
        byte[][] wanted = new byte[numbers.length][];
        for (int i = 0; i < numbers.length; i++) {
            wanted[i] = keys[numbers[i]];
        }
        return wanted;
    }
}
