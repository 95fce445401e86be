package dev.granary.superpeer.state.name;

import dev.granary.superpeer.state.ArcResult;

/** The result of a committed command of client locks. */
public sealed interface LockResult extends ArcResult {

    /** The lock is held as the record says, by the client that asked or by another one. */
    record Held(LockRecord lock) implements LockResult {}

    /** The lock request was granted, and its lock has ended since; nothing was changed. */
    record Ended() implements LockResult {}

    /** The arc has as many locks as it can hold; nothing was changed. */
    record Full() implements LockResult {}

    /**
     * The lock was given back.
     *
     * @param was whether the lock was held with this token until now
     */
    record Released(boolean was) implements LockResult {}
}
