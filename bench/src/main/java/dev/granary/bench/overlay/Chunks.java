package dev.granary.bench.overlay;

import dev.granary.overlay.Cid;
import java.util.BitSet;
import java.util.SplittableRandom;

/** CIDs of one creator, and a random choice of them without repetition. */
final class Chunks {

    private static final int NID = 0x8000;

    /** Bits of one bit set. */
    private static final int PART = 1 << 30;

    private final SplittableRandom random;
    private final long count;
    private final BitSet[] taken;

    Chunks(long count, long seed) {
        this.count = count;
        random = new SplittableRandom(seed);
        taken = new BitSet[(int) ((count + PART - 1) / PART)];
        for (int i = 0; i < taken.length; i++) {
            taken[i] = new BitSet((int) Math.min(PART, count - (long) i * PART));
        }
    }

    /** The CID of the chunk with a number from 0. */
    static long cid(long number) {
        return Cid.of(NID, Cid.MIN_LID + number);
    }

    /** The number of chunks to choose from. */
    long count() {
        return count;
    }

    /** A CID that was not chosen before. */
    long next() {
        while (true) {
            long number = random.nextLong(count);
            BitSet part = taken[(int) (number / PART)];
            if (!part.get((int) (number % PART))) {
                part.set((int) (number % PART));
                return cid(number);
            }
        }
    }
}
