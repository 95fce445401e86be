package dev.granary.memory.map;

/** Checks of what callers want to have in a map. */
final class MapChecks {

    private MapChecks() {}

    static void sizes(int keyBytes, int valueBytes) {
        if (keyBytes > OffHeapMap.MAX_KEY_BYTES || (long) keyBytes + valueBytes > OffHeapMap.MAX_ENTRY_BYTES) {
            throw new OffHeapMapException.EntryTooLarge(keyBytes, valueBytes);
        }
    }

    static void expiry(long expirySeconds, boolean mayExpire) {
        if (expirySeconds < 0 || expirySeconds > OffHeapMap.MAX_EXPIRY_SECONDS) {
            throw new IllegalArgumentException("an entry cannot expire at second " + expirySeconds);
        }
        if (expirySeconds != OffHeapMap.NEVER && !mayExpire) {
            throw new IllegalArgumentException("this map was opened without a clock, so its entries cannot expire");
        }
    }
}
