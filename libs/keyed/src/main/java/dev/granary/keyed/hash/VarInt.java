package dev.granary.keyed.hash;

/** Whole numbers below 2^28 in one to four bytes. */
final class VarInt {

    static final int MOST_BYTES = 4;

    private static final int GROUP_BITS = 7;
    private static final int GROUP = (1 << GROUP_BITS) - 1;
    private static final int MORE = 1 << GROUP_BITS;

    private VarInt() {}

    /** Returns how many bytes a number takes. */
    static int size(int value) {
        int size = 1;
        for (int rest = value >>> GROUP_BITS; rest != 0; rest >>>= GROUP_BITS) {
            size++;
        }
        return size;
    }

    /** Writes a number, and returns where the next byte goes. */
    static int write(byte[] bytes, int at, int value) {
        int next = at;
        int rest = value;
        while (rest > GROUP) {
            bytes[next++] = (byte) ((rest & GROUP) | MORE);
            rest >>>= GROUP_BITS;
        }
        bytes[next++] = (byte) rest;
        return next;
    }

    /** Returns the number that begins at a place. */
    static int read(byte[] bytes, int at) {
        int value = 0;
        for (int i = 0; i < MOST_BYTES; i++) {
            int next = bytes[at + i];
            value |= (next & GROUP) << (i * GROUP_BITS);
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("the number at byte " + at + " has more than " + MOST_BYTES + " bytes");
    }
}
