package dev.granary.bench.map;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Keys and values, made from a number. */
final class Contents {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long FACTOR = 0x9e37_79b9_7f4a_7c15L;

    private Contents() {}

    /** Writes a key. It looks random and differs for different numbers. */
    static void key(int number, byte[] to, int offset, int sizeBytes) {
        long word = mix(number + 1L);
        for (int i = 0; i + 8 <= sizeBytes; i += 8) {
            LONG.set(to, offset + i, word);
            word = word * FACTOR + 1;
        }
    }

    /** Writes a value, which begins with {@link #mark}. */
    static void value(int number, byte[] to) {
        LONG.set(to, 0, mark(number));
    }

    /** The first word of an entry's value. */
    static long mark(int number) {
        return number * FACTOR;
    }

    static long word(byte[] bytes, int offset) {
        return (long) LONG.get(bytes, offset);
    }

    static IllegalStateException wrong(int number) {
        return new IllegalStateException("entry " + number + " is missing or has another's value");
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return mixed ^ (mixed >>> 31);
    }
}
