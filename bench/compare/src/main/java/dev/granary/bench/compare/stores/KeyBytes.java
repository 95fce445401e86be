package dev.granary.bench.compare.stores;

import java.nio.ByteBuffer;

/** Numbers as keys of stores whose keys are bytes: 8 bytes each, as a CID has. */
final class KeyBytes {

    private KeyBytes() {}

    static byte[] of(long key) {
        return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
    }

    static byte[][] of(long[] keys) {
        byte[][] all = new byte[keys.length][];
        for (int i = 0; i < keys.length; i++) {
            all[i] = of(keys[i]);
        }
        return all;
    }
}
