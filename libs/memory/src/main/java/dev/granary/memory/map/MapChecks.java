package dev.granary.memory.map;

/** Checks of what callers want to have in a map. */
final class MapChecks {

    private MapChecks() {}

    static void sizes(int keyBytes, int valueBytes) {
        if (keyBytes > OffHeapMap.MAX_KEY_BYTES || (long) keyBytes + valueBytes > OffHeapMap.MAX_ENTRY_BYTES) {
            throw new OffHeapMapException.EntryTooLarge(keyBytes, valueBytes);
        }
    }

    static void expiry(long expiryMillis, boolean mayExpire) {
        if (expiryMillis < 0) {
            throw new IllegalArgumentException("an entry cannot expire at millisecond " + expiryMillis
                    + "; for a time that has passed, give any from 1 on, or remove the entry");
        }
        if (expiryMillis != OffHeapMap.NEVER && !mayExpire) {
            throw new IllegalArgumentException("this map was opened without a clock, so its entries cannot expire");
        }
    }
}
