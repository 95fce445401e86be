package dev.granary.operator.steer;

/** Something that is done to a cluster now. Each may be done twice: the second time it changes nothing. */
public sealed interface Action {
    /** Everything is to leave a storage peer. */
    record StartDrain(String pod, int nid) implements Action {}

    /** A storage peer stays, and takes chunks again. */
    record AbortDrain(String pod, int nid) implements Action {}

    /** Tells the ring to have {@code size} super-peers. */
    record ResizeRing(int size) implements Action {}

    /**
     * A pod that owns nothing is replaced by one with the present template. Another pod of the same name is not meant.
     */
    record ReplacePod(String pod, String uid) implements Action {}

    /** A pod gets more memory while it runs. Another pod of the same name is not meant. */
    record GrowMemory(String pod, String uid, String memory) implements Action {}

    /** A pod may be evicted from now on, or may not any more. */
    record Guard(String pod, boolean guarded) implements Action {}
}
