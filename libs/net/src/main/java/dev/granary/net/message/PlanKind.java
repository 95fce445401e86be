package dev.granary.net.message;

/** What a plan of moves is for. Codes are part of the protocol. */
public enum PlanKind {
    /** Chunks go to a storage peer. */
    MOVE(0),
    /** Everything leaves a storage peer, which takes no new chunks meanwhile and afterwards. */
    DRAIN(1),
    /** A storage peer takes its share from the others. */
    SPREAD(2);

    private final int code;

    PlanKind(int code) {
        this.code = code;
    }

    /** The number of the kind on the wire and on disk. */
    public int code() {
        return code;
    }

    /**
     * The kind with this number.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static PlanKind ofCode(int code) {
        for (PlanKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new IllegalArgumentException("there is no kind of plan with the code " + code);
    }
}
