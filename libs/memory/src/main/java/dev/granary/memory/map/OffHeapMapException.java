package dev.granary.memory.map;

/** An operation of an {@link OffHeapMap} was refused. The map is as it was before. */
public abstract sealed class OffHeapMapException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private OffHeapMapException(String message) {
        super(message);
    }

    /** Key or value are larger than the map takes: store less under one key. */
    public static final class EntryTooLarge extends OffHeapMapException {

        private static final long serialVersionUID = 1L;

        EntryTooLarge(int keyBytes, int valueBytes) {
            super("a key of " + keyBytes + " B with a value of " + valueBytes + " B: a key may have "
                    + OffHeapMap.MAX_KEY_BYTES + " B, both together " + OffHeapMap.MAX_ENTRY_BYTES + " B");
        }
    }

    /**
     * There is no room: remove entries, or open the map with more of it. A map that evicts does so for a bounded time,
     * so the same may succeed when it is tried again.
     */
    public static final class OutOfMemory extends OffHeapMapException {

        private static final long serialVersionUID = 1L;

        OutOfMemory(int keyBytes, int valueBytes, long roomBytes) {
            super("no room for a key of " + keyBytes + " B with a value of " + valueBytes
                    + " B in an off-heap map of " + roomBytes
                    + " B: remove entries, sweep expired ones, open the map with more room, or try again if it evicts");
        }
    }

    /** The value is larger than the target: the caller must get it again with a target of the size that this names. */
    public static final class TargetTooSmall extends OffHeapMapException {

        private static final long serialVersionUID = 1L;

        private final int neededBytes;

        TargetTooSmall(int neededBytes, int capacityBytes) {
            super("a value of " + neededBytes + " B, but there is room for " + capacityBytes + " B only");
            this.neededBytes = neededBytes;
        }

        /** The value's size. */
        public int neededBytes() {
            return neededBytes;
        }
    }
}
