package dev.granary.memory.map;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Decides what becomes of an entry by what it is. For {@link OffHeapMap#update}. */
@FunctionalInterface
public interface OffHeapMapUpdate {

    /**
     * Called under the latch of the entry's group, so nothing changes meanwhile, and others who want this group wait:
     * it must be short, must not block, and must not call the map. If room has to be made it is called again, and what
     * it decided before counts no more. What it throws reaches the caller of the update, and the map is as it was.
     *
     * @param present the entry, or null if there is none or it has expired; for the call only
     * @param decision takes what shall be done; without a word everything stays as it is
     */
    void decide(@Nullable OffHeapMapView present, Decision decision);

    /** What an update shall do with its entry. The last word counts. Belongs to the thread of the update. */
    final class Decision {

        /** What was decided. */
        enum Kind {
            KEEP,
            REMOVE,
            EXPIRE,
            PUT
        }

        private static final MemorySegment NO_VALUE = MemorySegment.ofArray(new byte[0]);

        private final int keyBytes;
        private final boolean mayExpire;
        private Kind kind = Kind.KEEP;
        private MemorySegment value = NO_VALUE;
        private long valueOffset;
        private int valueBytes;
        private long expiryMillis;

        Decision(int keyBytes, boolean mayExpire) {
            this.keyBytes = keyBytes;
            this.mayExpire = mayExpire;
        }

        /** Leaves the entry, or its absence, as it is. */
        public void keep() {
            kind = Kind.KEEP;
            value = NO_VALUE;
            valueBytes = 0;
        }

        /** Removes the entry if it is there. */
        public void remove() {
            keep();
            kind = Kind.REMOVE;
        }

        /**
         * Changes when the entry expires, if it is there.
         *
         * @param newExpiryMillis when, or {@link OffHeapMap#NEVER}
         */
        public void expireAt(long newExpiryMillis) {
            MapChecks.expiry(newExpiryMillis, mayExpire);
            keep();
            kind = Kind.EXPIRE;
            expiryMillis = newExpiryMillis;
        }

        /**
         * Inserts the entry or replaces its value.
         *
         * @param newValue has the value; it is copied when the function has returned
         * @param newExpiryMillis when it expires, or {@link OffHeapMap#NEVER}; the present entry's to keep it
         * @throws OffHeapMapException.EntryTooLarge if the value is too large
         */
        public void put(MemorySegment newValue, long newValueOffset, int newValueBytes, long newExpiryMillis) {
            Objects.checkFromIndexSize(newValueOffset, newValueBytes, newValue.byteSize());
            MapChecks.sizes(keyBytes, newValueBytes);
            MapChecks.expiry(newExpiryMillis, mayExpire);
            if (newValueBytes > 0) {
                newValue.get(ValueLayout.JAVA_BYTE, newValueOffset);
            }
            kind = Kind.PUT;
            value = newValue;
            valueOffset = newValueOffset;
            valueBytes = newValueBytes;
            expiryMillis = newExpiryMillis;
        }

        /** The same with all of an array. */
        public void put(byte[] newValue, long newExpiryMillis) {
            put(MemorySegment.ofArray(newValue), 0, newValue.length, newExpiryMillis);
        }

        Kind kind() {
            return kind;
        }

        int valueBytes() {
            return valueBytes;
        }

        long expiryMillis() {
            return expiryMillis;
        }

        MapEntry entry(long hash, MemorySegment key, long keyOffset) {
            return new MapEntry(hash, key, keyOffset, keyBytes, value, valueOffset, valueBytes, expiryMillis, 0);
        }
    }
}
