package dev.granary.bench.memory;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One thread of a soak and its own chunks. Other threads may read its figures between stretches of work.
 */
final class SoakThread {

    /**
     * Places for chunks per initial chunk. There must be more places, because smaller sizes give more chunks for the
     * same bytes.
     */
    static final int SLOTS_PER_CHUNK = 3;

    /** Bytes of heap for a place. */
    static final int BYTES_PER_SLOT = 16;

    /**
     * Sizes are multiplied by these factors, one after the other, so that freed memory does not fit the wanted sizes.
     */
    private static final double[] FACTORS = {1, 0.5, 1.6, 0.8, 2, 1};

    private static final int CHECK_CLOCK_EVERY = 256;

    private final int number;
    private final ChunkMemory memory;
    private final SizeDistribution distribution;
    private final SplittableRandom random;
    private final AtomicBoolean full;
    private final Scratch scratch;
    /** The CID of the chunk in each place, 0 for none. */
    private final long[] cids;

    private final int[] sizes;
    private final int[] generations;
    private long operations;
    private long failures;

    SoakThread(int number, ChunkMemory memory, SizeDistribution distribution, int slots, AtomicBoolean full) {
        this.number = number;
        this.memory = memory;
        this.distribution = distribution;
        this.full = full;
        random = new SplittableRandom(number + 1L);
        scratch = new Scratch(distribution.maxBytes() * 2 + 1);
        cids = new long[slots];
        sizes = new int[slots];
        generations = new int[slots];
    }

    /** Creates chunks until memory is full. */
    void fill() {
        for (int slot = 0; slot < cids.length && !full.get(); slot++) {
            create(slot, 1);
        }
    }

    /** Works until a moment. */
    void work(long toNanos, int phase) {
        double factor = FACTORS[phase % FACTORS.length];
        while (System.nanoTime() < toNanos) {
            for (int i = 0; i < CHECK_CLOCK_EVERY; i++) {
                step(factor);
                operations++;
            }
        }
    }

    private void step(double factor) {
        int slot = random.nextInt(cids.length);
        if (cids[slot] == 0) {
            if (!full.get()) {
                create(slot, factor);
            }
            return;
        }
        int choice = random.nextInt(10);
        if (choice < 4 || full.get()) {
            delete(slot);
            if (!full.get()) {
                create(slot, factor);
            }
        } else if (choice < 7) {
            resize(slot, factor);
        } else {
            check(slot);
        }
    }

    private int draw(double factor) {
        return Math.max(1, (int) (distribution.draw(random) * factor));
    }

    private long seed(int slot) {
        return ((long) generations[slot] << 32) ^ ((long) number << 56) ^ slot;
    }

    private void create(int slot, double factor) {
        int sizeBytes = draw(factor);
        generations[slot]++;
        scratch.fill(seed(slot), 0, sizeBytes);
        try {
            cids[slot] = memory.create(scratch.segment(), 0, sizeBytes);
            sizes[slot] = sizeBytes;
        } catch (OutOfChunkMemoryException e) {
            failures++;
        }
    }

    private void delete(int slot) {
        if (!memory.delete(cids[slot])) {
            throw wrong(slot, "is missing");
        }
        cids[slot] = 0;
    }

    private void resize(int slot, double factor) {
        int sizeBytes = draw(factor);
        generations[slot]++;
        scratch.fill(seed(slot), 0, sizeBytes);
        try {
            if (!memory.replace(cids[slot], scratch.segment(), 0, sizeBytes)) {
                throw wrong(slot, "is missing");
            }
            sizes[slot] = sizeBytes;
        } catch (OutOfChunkMemoryException e) {
            generations[slot]--;
            failures++;
        }
    }

    private void check(int slot) {
        int found = memory.get(cids[slot], scratch.segment(), 0, scratch.bytes().length);
        if (found != sizes[slot] || !scratch.holds(seed(slot), 0, sizes[slot])) {
            throw wrong(slot, "has " + found + " B, not its own " + sizes[slot]);
        }
    }

    /** Checks all chunks. */
    void check() {
        for (int slot = 0; slot < cids.length; slot++) {
            if (cids[slot] != 0) {
                check(slot);
            }
        }
    }

    /** Deletes all chunks. */
    void deleteAll() {
        for (int slot = 0; slot < cids.length; slot++) {
            if (cids[slot] != 0) {
                delete(slot);
            }
        }
    }

    /** The number of operations so far. */
    long operations() {
        return operations;
    }

    /** The number of operations that failed for lack of memory. */
    long failures() {
        return failures;
    }

    private IllegalStateException wrong(int slot, String what) {
        return new IllegalStateException("chunk " + Long.toHexString(cids[slot]) + " of slot " + slot + " " + what);
    }
}
