package dev.granary.net.message;

/** How far a migration is, as its arc has it. Codes are part of the protocol. */
public enum MigrationState {
    /** The source owns the range and copies it. */
    RUNNING(0),
    /** The target owns the range. */
    COMMITTED(1),
    /** The source owns the range as before. */
    ABORTED(2);

    private final int code;

    MigrationState(int code) {
        this.code = code;
    }

    /** The number of the state on the wire and on disk. */
    public int code() {
        return code;
    }

    /**
     * The state with this number.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static MigrationState ofCode(int code) {
        for (MigrationState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        throw new IllegalArgumentException("there is no migration state with the code " + code);
    }
}
