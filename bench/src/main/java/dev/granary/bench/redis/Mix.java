package dev.granary.bench.redis;

/** Numbers that look random and follow from other numbers. */
final class Mix {

    private Mix() {}

    /** Another number for each number: the finalizer of SplitMix64, which maps no two numbers to the same one. */
    static long of(long number) {
        long mixed = number + 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Another number of so many bits for each number of so many bits. */
    static long of(long number, int bits) {
        if (bits >= Long.SIZE) {
            return of(number);
        }
        long mask = (1L << bits) - 1;
        int half = Math.max(1, bits / 2);
        long mixed = number & mask;
        mixed = (mixed * 0x9E37_79B9_7F4A_7C15L) & mask;
        mixed ^= mixed >>> half;
        mixed = (mixed * 0xBF58_476D_1CE4_E5B9L) & mask;
        return mixed ^ (mixed >>> half);
    }
}
