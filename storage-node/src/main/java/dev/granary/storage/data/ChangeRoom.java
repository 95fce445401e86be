package dev.granary.storage.data;

import dev.granary.net.message.ErrorReply;
import dev.granary.storage.replicate.OwnedZones;
import org.jspecify.annotations.Nullable;

/**
 * What a change adds to what waits for backups, itself and its answer: taken before anything is changed, and given back
 * once the change and its answer are counted where they wait (SAFETY rule "budgets"). Reused by one thread.
 */
final class ChangeRoom {

    private @Nullable OwnedZones zones;
    private long changeBytes;
    private int replyBytes;

    /**
     * Takes room.
     *
     * @param addedBytes about what the change adds to the batches that wait
     * @param answerBytes what its answer takes
     * @return why there is none, null when there is
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
