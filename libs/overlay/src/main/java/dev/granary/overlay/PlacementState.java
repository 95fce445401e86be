package dev.granary.overlay;

import dev.granary.schema.Coded;

/** The state of a range at the epoch of its placement. Codes are part of formats: never reuse one. */
public enum PlacementState implements Coded {
    /** The owner serves, and every backup of the placement is in sync. */
    IN_SYNC(0),
    /** The owner serves, but a backup is missing or is still being filled. A filled one joins with the next epoch. */
    DEGRADED(1),
    /** The owner is gone and its data is being replayed; nobody serves. */
    RECOVERING(2),
    /** The chunks are gone for good: no copy was left when their owner died. */
    LOST(3);

    private final int code;

    PlacementState(int code) {
        this.code = code;
    }

    /** The number of the state on the wire and on disk. */
    @Override
    public int code() {
        return code;
    }

    /**
     * The state with this number.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static PlacementState ofCode(int code) {
        for (PlacementState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        throw new IllegalArgumentException("there is no placement state with the code " + code);
    }
}
