package dev.granary.bench.eviction;

import java.util.ArrayDeque;
import java.util.Arrays;

/** S3-FIFO with its three queues (Yang et al., SOSP 2023): eight bytes an entry, four for one that is remembered. */
final class S3FifoCache extends SimulatedCache {

    private static final int LINK_BYTES = 8;
    private static final int REMEMBERED_BYTES = 4;
    private static final int SMALL_DIVISOR = 10;
    private static final int MOST_ASKED = 3;

    private final ArrayDeque<Integer> small = new ArrayDeque<>();
    private final ArrayDeque<Integer> main = new ArrayDeque<>();
    private final ArrayDeque<Integer> ghosts = new ArrayDeque<>();
    private boolean[] isGhost = {};
    private byte[] asked = {};
    private long smallBytes;

    S3FifoCache(long capacityBytes) {
        super(capacityBytes, LINK_BYTES);
    }

    @Override
    long rememberedBytes() {
        return (long) REMEMBERED_BYTES * ghosts.size();
    }

    @Override
    void grow(int objects) {
        isGhost = Arrays.copyOf(isGhost, objects);
        asked = Arrays.copyOf(asked, objects);
    }

    @Override
    void hit(int object) {
        asked[object] = (byte) Math.min(MOST_ASKED, asked[object] + 1);
    }

    @Override
    void put(int object) {
        asked[object] = 0;
        if (isGhost[object]) {
            isGhost[object] = false;
            main.add(object);
        } else {
            small.add(object);
            smallBytes += sizeOf(object);
        }
    }

    @Override
    int victim() {
        while (!small.isEmpty() && (main.isEmpty() || smallBytes >= capacityBytes() / SMALL_DIVISOR)) {
            int object = small.remove();
            smallBytes -= sizeOf(object);
            if (asked[object] <= 1) {
                remember(object);
                return object;
            }
            asked[object] = 0;
            main.add(object);
        }
        int object = main.remove();
        while (asked[object] > 0) {
            asked[object]--;
            main.add(object);
            object = main.remove();
        }
        return object;
    }

    private void remember(int object) {
        isGhost[object] = true;
        ghosts.add(object);
        while (ghosts.size() > entries()) {
            isGhost[ghosts.remove()] = false;
        }
    }
}
