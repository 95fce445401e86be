package dev.granary.net.message;

/** What a backup says of one copy of a zone that was to be changed. Codes are part of the protocol. */
public enum CopyResult {
    /** Done: everything up to the sequence that is told is held. */
    OK(0),
    /** Batches before these are missing: to be sent from behind the sequence that is told. */
    GAP(1),
    /** A higher epoch is known here, the one that is told: the sender is not the owner any more. */
    FENCED(2),
    /** There is no such copy here, or none that was opened in this epoch. */
    UNKNOWN_ZONE(3),
    /** Not now, the disk is behind: send it again a little later. */
    BUSY(4),
    /** The disk is full. */
    FULL(5),
    /** The disk failed, or what was sent cannot be read: this backup is of no use for the zone. */
    FAILED(6);

    private static final CopyResult[] BY_CODE = values();

    private final int code;

    CopyResult(int code) {
        this.code = code;
    }

    /** The number of the result on the wire. */
    public int code() {
        return code;
    }

    /**
     * The result with this number.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static CopyResult ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("there is no result of a copy with the code " + code);
        }
        return BY_CODE[code];
    }
}
