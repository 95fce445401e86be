package dev.granary.memory.map;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Empties slabs: moves their blocks to other slabs of the class, a few with each insert or removal that finds a class
 * with too much room, or as many as it takes when memory runs out.
 *
 * <p>A block does not say whose it is. Its first key does: the hash leads to a group, and if that group, once latched,
 * has this block, it is moved. So what was read before the latch may have been nonsense.
 */
final class MapCleaner {

    /** How many blocks are moved at a time. */
    private static final int STEP_BLOCKS = 4;

    /** How often a slab is walked before it is given up. A block that a thread is writing is met in the next pass. */
    private static final int PASSES = 3;

    private final MapMemory memory;
    private final MapDirectory directory;
    private final MapSlabs slabs;
    private final long seed;
    private final AtomicBoolean busy = new AtomicBoolean();
    private final AtomicLong movedBytes = new AtomicLong();

    // The slab that is being emptied. These fields belong to the thread that is busy.
    private int sizeClass = MapSlabTable.NONE;
    private int slab;
    private int position;
    private int pass;

    MapCleaner(MapParts parts) {
        this.memory = parts.memory();
        this.directory = parts.directory();
        this.slabs = parts.slabs();
        this.seed = parts.seed();
    }

    /** Moves a few blocks if there is a reason to. The caller holds no latch. */
    void step() {
        int roomy = slabs.takeRoomyClass();
        if (roomy != MapSlabTable.NONE && busy.compareAndSet(false, true)) {
            try {
                if (sizeClass != MapSlabTable.NONE || begin(roomy, false)) {
                    move(STEP_BLOCKS);
                }
            } finally {
                busy.set(false);
            }
        }
    }

    /**
     * Empties a slab if any class can spare one, for an insert that found no room. The caller holds no latch.
     *
     * @return whether a slab is free now
     */
    boolean makeRoom() {
        for (int tries = 0; !busy.compareAndSet(false, true); tries++) {
            MapDirectory.pause(tries);
        }
        try {
            for (int i = 0; i < MapBlockSizes.COUNT && slabs.freeSlabs() == 0; i++) {
                if (sizeClass != MapSlabTable.NONE) {
                    move(Integer.MAX_VALUE);
                }
                if (slabs.freeSlabs() == 0 && begin(i, true)) {
                    move(Integer.MAX_VALUE);
                }
            }
        } finally {
            busy.set(false);
        }
        return slabs.freeSlabs() > 0;
    }

    /** How much has been moved so far. */
    long movedBytes() {
        return movedBytes.get();
    }

    private boolean begin(int roomy, boolean urgent) {
        int drained = slabs.sizeClass(roomy).drain(urgent);
        if (drained == MapSlabTable.NONE) {
            return false;
        }
        sizeClass = roomy;
        slab = drained;
        position = 0;
        pass = 0;
        return true;
    }

    private void move(int blocks) {
        MapSlabClass each = slabs.sizeClass(sizeClass);
        for (int left = blocks; left > 0; ) {
            if (!each.isDraining(slab)) {
                sizeClass = MapSlabTable.NONE;
                return;
            }
            if (position == each.cut(slab)) {
                position = 0;
                pass++;
                if (pass == PASSES) {
                    each.stopDraining(slab);
                    sizeClass = MapSlabTable.NONE;
                    return;
                }
            }
            long block = slabs.address(slab) + (long) position * each.blockBytes();
            position++;
            long header = memory.getAcquire(block);
            if (MapGroup.kind(header) != MapGroup.KIND_FREE) {
                relocate(MapBlockSizes.word(block, sizeClass), header);
                left--;
            }
        }
    }

    private void relocate(long word, long header) {
        boolean piece = MapGroup.kind(header) == MapGroup.KIND_PIECE;
        long hash = piece ? MapChains.hash(memory, word) : hashOfFirst(word, header);
        long group = directory.groupOf(hash);
        if (!directory.tryLatch(group)) {
            return;
        }
        boolean moved = false;
        try {
            if (directory.groupOf(hash) == group) {
                moved = piece ? movePiece(group, word) : moveGroup(group, word);
            }
        } finally {
            if (moved) {
                directory.unlatch(group);
            } else {
                directory.unlatchUnchanged(group);
            }
        }
    }

    /** The hash of a group's first key, or any number if this is no group. */
    private long hashOfFirst(long word, long header) {
        long block = MapBlockSizes.address(word);
        long end = block + MapBlockSizes.sizeOf(word);
        int keyCode = MapGroup.keyCode(memory, block, header, 0);
        int size = keyCode - 1 + MapGroup.valueBytes(memory, block, header, 0);
        if (size < 0 || size > MapBlockSizes.sizeOf(word)) {
            return 0;
        }
        if (keyCode != MapGroup.FORWARD_KEY_CODE) {
            return keyCode - 1 > size ? 0 : memory.hash(end - size, keyCode - 1, seed);
        }
        long first = size < MapGroup.FORWARD_BYTES ? 0 : MapChains.first(memory, end - size);
        return MapChains.payloadBytes(memory, first) == 0 ? 0 : MapChains.hash(memory, first);
    }

    private boolean moveGroup(long group, long word) {
        if (directory.block(group) != word) {
            return false;
        }
        long copy = copy(word);
        if (copy == 0) {
            return false;
        }
        directory.setBlock(group, copy);
        slabs.free(word);
        return true;
    }

    private boolean movePiece(long group, long word) {
        long groupWord = directory.block(group);
        if (groupWord == 0) {
            return false;
        }
        long block = MapBlockSizes.address(groupWord);
        MapImage image = MapImage.of(memory, block, memory.word(block), 0);
        long data = block + MapBlockSizes.sizeOf(groupWord);
        for (int i = 0; i < image.count(); i++) {
            data -= image.dataBytes(i);
            if (image.isForward(i) && moveInChain(data, word)) {
                return true;
            }
        }
        return false;
    }

    /** Moves a piece if it is in this forward's chain and there is room elsewhere. */
    private boolean moveInChain(long forward, long word) {
        long before = 0;
        long piece = MapChains.first(memory, forward);
        while (piece != 0 && piece != word) {
            before = piece;
            piece = MapChains.next(memory, piece);
        }
        long copy = piece == 0 ? 0 : copy(word);
        if (copy == 0) {
            return false;
        }
        if (before == 0) {
            MapChains.setFirst(memory, forward, copy);
        } else {
            MapChains.setNext(memory, before, copy);
        }
        slabs.free(word);
        return true;
    }

    /** A copy of a block elsewhere, or 0 if there is no room in the class' other slabs. */
    private long copy(long word) {
        long address = slabs.sizeClass(MapBlockSizes.sizeClass(word)).allocate(false);
        if (address == 0) {
            return 0;
        }
        memory.move(MapBlockSizes.address(word), address, MapBlockSizes.sizeOf(word));
        movedBytes.addAndGet(MapBlockSizes.sizeOf(word));
        return MapBlockSizes.word(address, MapBlockSizes.sizeClass(word));
    }
}
