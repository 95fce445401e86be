package dev.granary.overlay;

/**
 * The unit of logging and recovery: chunks of one owner that have one log on each of the same backups. A zone has an
 * identifier of its own and is no interval of CIDs; many ranges may point to it, and chunks that were migrated alone
 * share one of their new owner. Who serves and logs it, since which epoch and in what state, is the {@link Placement} of
 * all its ranges. Immutable. Sources: SAFETY rules "migration" and "placement records", ADR 0025.
 *
 * @param placement who serves and logs the zone; its zone is this one's identifier, at least 1
 */
public record BackupZone(Placement placement) {

    /** The largest number of chunks of a zone. */
    public static final long MAX_CHUNKS = 2_000_000;

    /** The largest number of payload bytes of a zone. */
    public static final long MAX_BYTES = 256L << 20;

    /** Checks that the placement names a zone. */
    public BackupZone {
        if (placement.zone() == 0) {
            throw new IllegalArgumentException("a placement without a zone is no backup zone: " + placement);
        }
    }

    /** The identifier, at least 1. */
    public int id() {
        return placement.zone();
    }

    /** Since when the zone is as it is. */
    public long epoch() {
        return placement.epoch();
    }

    /** Whether so many chunks of so many bytes in all are within the limits of one zone. */
    public static boolean fits(long chunks, long sizeBytes) {
        return chunks <= MAX_CHUNKS && sizeBytes <= MAX_BYTES;
    }
}
