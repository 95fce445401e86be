package dev.granary.storage.door.keys;

import dev.granary.overlay.Nid;
import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.SlotOwners;

/** What a client is told when a call was not carried out, in codes on which clients act sensibly (ADR 0291). */
public final class Refusals {

    public static final String CROSS_SLOT = "CROSSSLOT Keys in request don't hash to the same slot";

    private Refusals() {}

    /**
     * Returns the error for a call that was refused, or whose outcome nobody knows.
     *
     * <pre>
     *   refused, the group has an owner   TRYAGAIN      nothing was done: clients try again, after a moment
     *   refused, it has none              CLUSTERDOWN   clients ask for the slots again, then try again
     *   nobody knows the outcome          ERR           clients must not try again by themselves
     * </pre>
     */
    public static String text(GroupReply reply, int group, SlotOwners owners) {
        return switch (reply.outcome()) {
            case REFUSED ->
                owners.owner(group) == Nid.NONE
                        ? "CLUSTERDOWN Hash slot not served: " + reply.message()
                        : "TRYAGAIN " + reply.message();
            case UNKNOWN -> "ERR outcome unknown: " + reply.message();
            case WATCH_BROKEN, DONE ->
                throw new IllegalArgumentException("a call that ended with " + reply.outcome() + " is no refusal");
        };
    }
}
