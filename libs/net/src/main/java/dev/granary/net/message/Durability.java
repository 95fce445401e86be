package dev.granary.net.message;

/**
 * When a change of chunks is answered, and so what it survives (docs/guides/durability.md). Codes are part of the
 * protocol: they stand in bits 8 and 9 of the flags of a {@link MutationHeader};
 * 0 there asks for what the storage peer is configured to do.
 */
public enum Durability {
    /** At once: backups get it soon, and it may be lost when its owner dies before that. */
    ASYNC(1),
    /**
     * When all backups of the chunk's zone have it in memory: it survives the loss of all but one of these machines.
     */
    REPLICATED(2),
    /** When all backups have it on their disks: it survives that all machines lose their power. */
    SYNCED(3);

    private static final int SHIFT = 8;

    /** The bits of a header's flags in which the level stands. */
    public static final int FLAGS = 3 << SHIFT;

    private final int code;

    Durability(int code) {
        this.code = code;
    }

    /** The level as flags of a header. */
    public int flags() {
        return code << SHIFT;
    }

    /**
     * The level that the flags of a header ask for.
     *
     * @param configured for flags that ask for none
     */
    public static Durability of(int flags, Durability configured) {
        return switch ((flags & FLAGS) >>> SHIFT) {
            case 0 -> configured;
            case 1 -> ASYNC;
            case 2 -> REPLICATED;
            default -> SYNCED;
        };
    }
}
