package dev.granary.memory.map;

/**
 * The times in a group, exact to the millisecond (ADR 0261). A group with entries that expire has a base, which is no
 * later than any of its times, and a column of 0 to 6 or 8 bytes an entry:
 *
 * <pre>
 * code in the header    0                     1 to 6           7
 *                      +---------------------+----------------+----------------+
 * bytes an entry       | 0: all expire at    | 1 to 6         | 8              |
 *                      |    the base         |                |                |
 *                      +---------------------+----------------+----------------+
 * 0 in the column is never, any other d is base + d - 1. Times are 1 to 2^63 - 1, so no d needs more than 8 bytes.
 * </pre>
 */
final class MapExpiries {

    static final int BASE_BYTES = 8;

    private static final int WIDEST_CODE = 7;

    private MapExpiries() {}

    /** The bytes an entry of a column with this code. */
    static int width(int code) {
        return code == WIDEST_CODE ? Long.BYTES : code;
    }

    /** The code of the narrowest column for times from a base on to the latest, and for never. */
    static int code(long base, long latest) {
        int bytes = (64 - Long.numberOfLeadingZeros(delta(base, latest)) + 7) >>> 3;
        return Math.min(bytes, WIDEST_CODE);
    }

    /** No entry of this group expires earlier. Only for groups with expiry. */
    static long base(MapMemory memory, long block) {
        return memory.word(block + MapGroup.HEADER_BYTES);
    }

    static void setBase(MapMemory memory, long block, long base) {
        memory.setWord(block + MapGroup.HEADER_BYTES, base);
    }

    /** What the column holds for a time. */
    static long delta(long base, long expiry) {
        return expiry == OffHeapMap.NEVER ? 0 : expiry - base + 1;
    }

    /** When an entry expires. */
    static long get(MapMemory memory, long block, long header, int index) {
        if (!MapGroup.hasExpiry(header)) {
            return OffHeapMap.NEVER;
        }
        long base = base(memory, block);
        int width = MapGroup.expiryWidth(header);
        if (width == 0) {
            return base;
        }
        long delta = memory.number(block + MapGroup.expiries(header) + (long) index * width, width);
        return delta == 0 ? OffHeapMap.NEVER : base + delta - 1;
    }

    /** Whether a group takes a time without other columns. */
    static boolean fits(MapMemory memory, long block, long header, long expiry) {
        if (!MapGroup.hasExpiry(header)) {
            return expiry == OffHeapMap.NEVER;
        }
        long base = base(memory, block);
        int width = MapGroup.expiryWidth(header);
        if (width == 0) {
            return expiry == base;
        }
        return expiry == OffHeapMap.NEVER
                || (expiry >= base && (width == Long.BYTES || delta(base, expiry) >>> (8 * width) == 0));
    }

    /** Writes when an entry expires, which {@link #fits}. */
    static void set(MapMemory memory, long block, long header, int index, long expiry) {
        if (MapGroup.hasExpiry(header)) {
            int width = MapGroup.expiryWidth(header);
            long place = block + MapGroup.expiries(header) + (long) index * width;
            memory.setNumber(place, width, delta(base(memory, block), expiry));
        }
    }
}
