package dev.granary.operator.steer;

/** An action of the operator on a cluster. Actions are idempotent: a second time changes nothing. */
public sealed interface Action {
    /** Starts to drain a storage peer. */
    record StartDrain(String pod, int nid) implements Action {}

    /** Aborts the drain of a storage peer, which stays and takes chunks again. */
    record AbortDrain(String pod, int nid) implements Action {}

    /** Tells the ring to have {@code size} super-peers. */
    record ResizeRing(int size) implements Action {}

    /**
     * Replaces a pod that owns nothing by one with the present template. Does not touch another pod of the same name.
     */
    record ReplacePod(String pod, String uid) implements Action {}

    /** Gives a pod more memory while it runs. Does not touch another pod of the same name. */
    record GrowMemory(String pod, String uid, String memory) implements Action {}

    /** Guards a pod from eviction, or lets it be evicted. Does not touch another pod of the same name. */
    record Guard(String pod, String uid, boolean guarded) implements Action {}
}
