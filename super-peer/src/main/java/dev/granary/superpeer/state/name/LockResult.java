package dev.granary.superpeer.state.name;

import dev.granary.superpeer.state.ArcResult;

/** What a committed command of the locks leads to. */
public sealed interface LockResult extends ArcResult {

    /** The lock is held so, by whoever acquired it or another one. */
    record Held(LockRecord lock) implements LockResult {}

    /** The lock request was granted, and its lock has ended since; nothing was changed. */
    record Ended() implements LockResult {}

    /** The arc has as many locks as it can hold; nothing was changed. */
    record Full() implements LockResult {}

    /**
     * The lock was given back.
     *
     * @param was whether it was held with this token until now
     */
    record Released(boolean was) implements LockResult {}
}
