package dev.granary.memory.map;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The hash of a key: each word is mixed in by a multiplication to 128 bits whose halves are folded, as in the wyhash
 * family. The seed keeps others from choosing keys that collide.
 *
 * <pre>
 *  63        56 55           34 33                     0
 * +------------+---------------+------------------------+
 * | fingerprint| check of large| group: the lowest bits |
 * |            | entries       |                        |
 * +------------+---------------+------------------------+
 * </pre>
 */
public final class MapHash {

    private static final ValueLayout.OfLong ANY_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long FACTOR_1 = 0x9e37_79b9_7f4a_7c15L;
    private static final long FACTOR_2 = 0xd6e8_feb8_6659_fd93L;
    private static final long FACTOR_3 = 0xa076_1d64_78bd_642fL;

    private MapHash() {}

    /** Returns the hash of {@code sizeBytes} bytes of a segment. */
    public static long of(MemorySegment key, long offset, int sizeBytes, long seed) {
        long hash = seed ^ (sizeBytes * FACTOR_1);
        int last = sizeBytes - 8;
        for (int i = 0; i < last; i += 8) {
            hash = mix(hash ^ key.get(ANY_LONG, offset + i), FACTOR_2);
        }
        long tail = 0;
        if (last >= 0) {
            tail = key.get(ANY_LONG, offset + last);
        } else {
            for (int i = 0; i < sizeBytes; i++) {
                tail |= (key.get(JAVA_BYTE, offset + i) & 0xffL) << (8 * i);
            }
        }
        return mix(mix(hash ^ tail, FACTOR_2) ^ FACTOR_1, FACTOR_3);
    }

    /** Returns the hash of all bytes of an array. */
    public static long of(byte[] key, long seed) {
        long hash = seed ^ (key.length * FACTOR_1);
        int last = key.length - 8;
        for (int i = 0; i < last; i += 8) {
            hash = mix(hash ^ (long) WORDS.get(key, i), FACTOR_2);
        }
        long tail = 0;
        if (last >= 0) {
            tail = (long) WORDS.get(key, last);
        } else {
            for (int i = 0; i < key.length; i++) {
                tail |= (key[i] & 0xffL) << (8 * i);
            }
        }
        return mix(mix(hash ^ tail, FACTOR_2) ^ FACTOR_1, FACTOR_3);
    }

    /** The byte that stands for the key in its group. */
    static int fingerprint(long hash) {
        return (int) (hash >>> 56);
    }

    /** 22 bits besides fingerprint and group. */
    static long check(long hash) {
        return (hash >>> 34) & 0x3f_ffff;
    }

    private static long mix(long a, long b) {
        return Math.unsignedMultiplyHigh(a, b) ^ (a * b);
    }
}
