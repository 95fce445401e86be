package dev.granary.keyed.command;

/** Bits of strings; the first one is the highest one of the first byte. */
final class Bits {

    private static final int ALL = 0xff;

    private Bits() {}

    /** Returns up to 64 bits as a number. Behind the string there are zeros. */
    static long get(byte[] bytes, long offset, int bits) {
        long value = 0;
        for (long at = offset; at < offset + bits; at++) {
            value = (value << 1) | bit(bytes, at);
        }
        return value;
    }

    private static int bit(byte[] bytes, long offset) {
        long index = offset / Byte.SIZE;
        return index < bytes.length ? (bytes[(int) index] >> (7 - offset % Byte.SIZE)) & 1 : 0;
    }

    /** Sets up to 64 bits, which the string has, to the lowest bits of a number. */
    static void set(byte[] bytes, long offset, int bits, long value) {
        for (int i = 0; i < bits; i++) {
            long at = offset + i;
            int mask = 1 << (7 - at % Byte.SIZE);
            int index = (int) (at / Byte.SIZE);
            boolean isOne = ((value >>> (bits - 1 - i)) & 1) == 1;
            bytes[index] = (byte) (isOne ? bytes[index] | mask : bytes[index] & ~mask);
        }
    }

    /** Returns how many bits are one from {@code from} on, below {@code to}. */
    static int count(byte[] bytes, int from, int to) {
        int count = 0;
        for (int at = from / Byte.SIZE; at * Byte.SIZE < to; at++) {
            count += Integer.bitCount(within(bytes[at], at, from, to, 0));
        }
        return count;
    }

    /** Returns the first bit of this value from {@code from} on, below {@code to}; -1 if there is none. */
    static int find(byte[] bytes, int bit, int from, int to) {
        int flip = bit == 1 ? 0 : ALL;
        for (int at = from / Byte.SIZE; at * Byte.SIZE < to; at++) {
            int ones = within(bytes[at], at, from, to, flip);
            if (ones != 0) {
                return at * Byte.SIZE + Integer.numberOfLeadingZeros(ones) - (Integer.SIZE - Byte.SIZE);
            }
        }
        return -1;
    }

    /** Returns a byte, with some of its bits flipped, and zeros for those outside of a range. */
    private static int within(byte value, int index, int from, int to, int flip) {
        int first = Math.max(0, from - index * Byte.SIZE);
        int behind = Math.max(0, (index + 1) * Byte.SIZE - to);
        return (value ^ flip) & (ALL >> first) & (ALL << behind);
    }
}
