package dev.granary.bench.eviction;

import java.util.Arrays;

/**
 * The policy of keyed data (ADR 0281): S3-FIFO in the order of the slots of the index. Pages of 256 slots; a slot
 * whose entry was evicted keeps 26 bits of its hash until another entry needs the slot. Nothing more an entry.
 */
final class IndexCache extends SimulatedCache {

    private static final int PAGE = 256;
    private static final int FULL = 230;
    private static final int MEAN_TAKEN = 140;
    private static final int YOUNG_DIVISOR = 20;
    private static final int GHOSTS = 1 << 26;
    private static final int EMPTY = -1;

    /** Slots have an object, or EMPTY, or a part of the hash of an evicted one below that. */
    private int[] slots;

    private boolean[] young;
    private boolean[] used;
    private int[] notEmpty;
    private final boolean remembers;
    private int[] places = {};
    private int youngCount;
    private int youngHand;
    private int oldHand;

    /** @param remembers whether evicted entries leave a part of their hash */
    IndexCache(boolean remembers, int expectedEntries, long capacityBytes) {
        super(capacityBytes, 0);
        this.remembers = remembers;
        int pages = Math.max(1, expectedEntries / MEAN_TAKEN);
        slots = new int[pages * PAGE];
        Arrays.fill(slots, EMPTY);
        young = new boolean[slots.length];
        used = new boolean[slots.length];
        notEmpty = new int[pages];
    }

    @Override
    void grow(int objects) {
        places = Arrays.copyOf(places, objects);
    }

    private static long hash(int object) {
        long mixed = object * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        return mixed ^ mixed >>> 27;
    }

    private int pageOf(long hash) {
        return (int) ((hash >>> Integer.SIZE) % notEmpty.length);
    }

    private static int ghost(long hash) {
        return EMPTY - 1 - (int) (hash >>> Byte.SIZE & GHOSTS - 1);
    }

    private static int next(int slot) {
        return slot / PAGE * PAGE + (slot + 1) % PAGE;
    }

    private int firstSlot(long hash) {
        return pageOf(hash) * PAGE + (int) (hash & PAGE - 1);
    }

    @Override
    void hit(int object) {
        used[places[object]] = true;
    }

    @Override
    void put(int object) {
        long hash = hash(object);
        int free = -1;
        boolean isBack = false;
        int slot = firstSlot(hash);
        for (int i = 0; i < PAGE && slots[slot] != EMPTY && !isBack; i++, slot = next(slot)) {
            isBack = slots[slot] == ghost(hash);
            free = slots[slot] < EMPTY && (free < 0 || isBack) ? slot : free;
        }
        free = free < 0 ? slot : free;
        if (slots[free] == EMPTY && ++notEmpty[pageOf(hash)] > FULL) {
            rewrite(pageOf(hash));
            while (notEmpty[pageOf(hash)] >= FULL) {
                divide();
            }
            notEmpty[pageOf(hash)]++;
            free = emptySlot(hash);
        }
        young[free] = !isBack;
        youngCount += isBack ? 0 : 1;
        used[free] = false;
        slots[free] = object;
        places[object] = free;
    }

    /** Forgets what a page remembers. */
    private void rewrite(int page) {
        int[] before = Arrays.copyOfRange(slots, page * PAGE, (page + 1) * PAGE);
        boolean[] wasYoung = Arrays.copyOfRange(young, page * PAGE, (page + 1) * PAGE);
        boolean[] wasUsed = Arrays.copyOfRange(used, page * PAGE, (page + 1) * PAGE);
        Arrays.fill(slots, page * PAGE, (page + 1) * PAGE, EMPTY);
        notEmpty[page] = 0;
        putBack(before, wasYoung, wasUsed);
    }

    /** Takes twice as many pages, because there are more objects than were expected; forgets what all remember. */
    private void divide() {
        int[] before = slots;
        boolean[] wasYoung = young;
        boolean[] wasUsed = used;
        slots = new int[2 * before.length];
        Arrays.fill(slots, EMPTY);
        young = new boolean[slots.length];
        used = new boolean[slots.length];
        notEmpty = new int[2 * notEmpty.length];
        putBack(before, wasYoung, wasUsed);
    }

    private void putBack(int[] before, boolean[] wasYoung, boolean[] wasUsed) {
        for (int i = 0; i < before.length; i++) {
            if (before[i] >= 0) {
                long hash = hash(before[i]);
                int slot = emptySlot(hash);
                slots[slot] = before[i];
                young[slot] = wasYoung[i];
                used[slot] = wasUsed[i];
                places[before[i]] = slot;
                notEmpty[pageOf(hash)]++;
            }
        }
    }

    /** Returns the first empty slot for a hash; there is one. */
    private int emptySlot(long hash) {
        int slot = firstSlot(hash);
        while (slots[slot] != EMPTY) {
            slot = next(slot);
        }
        return slot;
    }

    @Override
    int victim() {
        while (true) {
            boolean ofYoung = youngCount > entries() / YOUNG_DIVISOR;
            int slot = ofYoung ? youngHand : oldHand;
            youngHand = ofYoung ? (slot + 1) % slots.length : youngHand;
            oldHand = ofYoung ? oldHand : (slot + 1) % slots.length;
            if (slots[slot] >= 0 && young[slot] == ofYoung) {
                if (!used[slot]) {
                    return leave(slot);
                }
                used[slot] = false;
                young[slot] = false;
                youngCount -= ofYoung ? 1 : 0;
            }
        }
    }

    private int leave(int slot) {
        int object = slots[slot];
        youngCount -= young[slot] ? 1 : 0;
        boolean last = slots[next(slot)] == EMPTY;
        // What no key has is as good as a slot that is only removed.
        slots[slot] = remembers ? ghost(hash(object)) : last ? EMPTY : EMPTY - 1 - GHOSTS;
        notEmpty[slot / PAGE] -= slots[slot] == EMPTY ? 1 : 0;
        return object;
    }
}
