package dev.granary.overlay;

/**
 * The unit of logging and recovery: chunks of one owner that have one log on each of the same backups. A zone has its
 * own identifier and is not an interval of CIDs: many ranges may point to it. Chunks that were migrated alone share a
 * zone of their new owner. The {@link Placement} of its ranges says who serves and logs the zone, at which epoch and in
 * what state. Immutable. Sources: SAFETY rules "migration" and "placement records", ADR 0025.
 *
 * @param placement who serves and logs the zone; its zone is this one's identifier, at least 1
 */
public record BackupZone(Placement placement) {

    /** The largest number of chunks of a zone. */
    public static final long MAX_CHUNKS = 2_000_000;

    /** The largest number of payload bytes of a zone. */
    public static final long MAX_BYTES = 256L << 20;

    /** The largest number of a zone of one creator. */
    public static final int MAX_NUMBER = (1 << 15) - 1;

    private static final int NUMBER_BITS = 15;

    /** Checks that the placement names a zone. */
    public BackupZone {
        if (placement.zone() == 0) {
            throw new IllegalArgumentException("a placement without a zone is no backup zone: " + placement);
        }
    }

    /**
     * The identifier of a creator's zone. A zone has chunks of one creator only. The arc of that creator gives each
     * number only once (ADR 0103).
     *
     * @param number from 1 to {@link #MAX_NUMBER}
     */
    public static int id(int creatorNid, int number) {
        if (number < 1 || number > MAX_NUMBER) {
            throw new IllegalArgumentException("the number " + number + " of a zone is outside 1.." + MAX_NUMBER);
        }
        return creatorNid << NUMBER_BITS | number;
    }

    /** The NID of the peer that made the CIDs of a zone. */
    public static int creatorOf(int zone) {
        return zone >>> NUMBER_BITS;
    }

    /** The number of a zone among those of its creator. */
    public static int numberOf(int zone) {
        return zone & MAX_NUMBER;
    }

    /** The name of a zone as people write it: its creator and its number, such as 0x8000/3. */
    public static String nameOf(int zone) {
        return Nid.toHex(creatorOf(zone)) + "/" + numberOf(zone);
    }

    /**
     * Returns the identifier of a zone by the name that {@link #nameOf} gives it.
     *
     * @throws IllegalArgumentException when the text is not the name of a zone
     */
    public static int parse(String name) {
        int slash = name.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("'" + name + "' is no zone; they are called such as 0x8000/3");
        }
        return id(Nid.parse(name.substring(0, slash)), Integer.parseInt(name.substring(slash + 1)));
    }

    /** The identifier, at least 1. */
    public int id() {
        return placement.zone();
    }

    /** The zone epoch, which rises with each change of owner or backups. */
    public long epoch() {
        return placement.epoch();
    }

    /** Returns whether a number of chunks, with {@code sizeBytes} in all, is within the limits of one zone. */
    public static boolean fits(long chunks, long sizeBytes) {
        return chunks <= MAX_CHUNKS && sizeBytes <= MAX_BYTES;
    }
}
