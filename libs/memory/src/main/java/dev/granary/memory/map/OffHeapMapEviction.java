package dev.granary.memory.map;

/** What an {@link OffHeapMap} does when a put would exceed its limit of bytes (ADR 0262). */
public enum OffHeapMapEviction {
    /** It refuses the put with {@link OffHeapMapException.OutOfMemory}. */
    NONE,
    /** It removes entries that would expire soon. When there are none it refuses the put. */
    VOLATILE_TTL,
    /**
     * It removes entries that nobody has got for long. Those that are got once, by a scan for instance, do not drive
     * out those that are got again and again.
     */
    SIEVE
}
