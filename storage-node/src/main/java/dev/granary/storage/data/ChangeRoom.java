package dev.granary.storage.data;

import dev.granary.net.message.ErrorReply;
import dev.granary.storage.replicate.OwnedZones;
import org.jspecify.annotations.Nullable;

/**
 * The room that a change and its answer take among what waits for backups. It is taken before anything is changed, and
 * given back once the change is counted as pending batches and its answer as a pending reply (SAFETY rule "budgets").
 * Reused by one thread.
 */
final class ChangeRoom {

    private @Nullable OwnedZones zones;
    private long changeBytes;
    private int replyBytes;

    /**
     * Takes room.
     *
     * @param addedBytes about how many bytes the change adds to the pending batches
     * @param answerBytes how many bytes its answer has
     * @return why there is no room, null when there is
     */
    @Nullable
    ErrorReply take(OwnedZones of, long addedBytes, int answerBytes) {
        ErrorReply refusal = of.admit(addedBytes, answerBytes);
        if (refusal == null) {
            zones = of;
            changeBytes = addedBytes;
            replyBytes = answerBytes;
        }
        return refusal;
    }

    /** Gives back what was taken, if anything was. */
    void giveBack() {
        OwnedZones of = zones;
        zones = null;
        if (of != null) {
            of.carriedOut(changeBytes, replyBytes);
        }
    }
}
