package dev.granary.bench.memory;

import java.util.SplittableRandom;

/**
 * The size of each object, from its index alone. Sizes are drawn once for 65,536 objects and repeated, so that no table
 * with an entry for each object is needed. Immutable.
 */
public final class SizePattern {

    private static final int PERIOD = 1 << 16;

    private final int[] sizes;
    private final long[] offsets;
    private final long periodBytes;
    private final int minBytes;
    private final int maxBytes;

    /** Draws the sizes of one period. */
    public SizePattern(SizeDistribution distribution, long seed) {
        sizes = new int[distribution.isFixed() ? 1 : PERIOD];
        offsets = new long[sizes.length];
        SplittableRandom random = new SplittableRandom(seed);
        long sum = 0;
        int min = Integer.MAX_VALUE;
        int max = 0;
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = distribution.draw(random);
            offsets[i] = sum;
            sum += sizes[i];
            min = Math.min(min, sizes[i]);
            max = Math.max(max, sizes[i]);
        }
        periodBytes = sum;
        minBytes = min;
        maxBytes = max;
    }

    /** The size of an object. */
    public int sizeOf(long index) {
        return sizes[(int) (index & (sizes.length - 1))];
    }

    /** The sum of the sizes of all objects before this one. */
    public long bytesBefore(long index) {
        return index / sizes.length * periodBytes + offsets[(int) (index & (sizes.length - 1))];
    }

    /** The smallest size. */
    public int minBytes() {
        return minBytes;
    }

    /** The largest size. */
    public int maxBytes() {
        return maxBytes;
    }
}
