package dev.granary.operator.plan;

/** How much a storage peer's volume has to hold. */
public final class VolumeSizes {
    /** Logs have entries that are not cleaned yet, half as much again as those that count. */
    private static final double WITH_OLD_ENTRIES = 1.5;

    private static final long GIBIBYTE = 1L << 30;
    private static final long LEAST_DEFAULT = 10 * GIBIBYTE;

    private VolumeSizes() {}

    /** Returns about what a storage peer's copies of others' chunks take when all memory for chunks is used. */
    public static long ofCopies(long copies, MemoryPlan memory) {
        return (long) (WITH_OLD_ENTRIES * copies * memory.chunkBytes());
    }

    /**
     * Returns the size for resources that do not say: room for all copies that they ask for and for the memory itself,
     * which a hibernation writes to the volume. It does not depend on the number of storage peers, because more of them
     * bring more copies, and not every volume can grow.
     */
    static String byDefault(int copies, MemoryPlan memory) {
        long needed = ofCopies(copies, memory) + memory.chunkBytes();
        return Sizes.quantity(Math.max(LEAST_DEFAULT, Math.ceilDiv(needed, GIBIBYTE) * GIBIBYTE));
    }
}
