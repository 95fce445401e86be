package dev.granary.bench.recovery;

import dev.granary.bench.memory.Zipf;

/** Draws objects without repetition in a batch, because a batch names a chunk only once. */
final class DistinctObjects {

    private final int[] drawnIn;
    private int batch = 1;

    DistinctObjects(long objects) {
        drawnIn = new int[Math.toIntExact(objects)];
    }

    long next(Zipf zipf) {
        int object = (int) zipf.nextObject();
        while (drawnIn[object] == batch) {
            object = (int) zipf.nextObject();
        }
        drawnIn[object] = batch;
        return object;
    }

    void endBatch() {
        batch++;
    }
}
