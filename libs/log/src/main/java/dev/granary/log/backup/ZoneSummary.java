package dev.granary.log.backup;

import java.util.List;
import java.util.UUID;

/**
 * The state of a zone's log.
 *
 * @param clusterId of the zone's cluster
 * @param zone unsigned
 * @param owner NID
 * @param epoch of the zone's last header
 * @param members NIDs of the in-sync backups, in order
 * @param baseSequence of what it was filled with, which may have changes up to here: the copy cannot be cut below it
 * @param lastSequence of the last batch, the base's if there is none
 * @param sealedEpoch lower epochs are refused; 0 if it was never sealed
 * @param continuous whether this process has received the zone without a gap from its base on, or from a recovery on
 *     that has decided to keep what was found on the disk
 * @param filled whether the copy is whole
 * @param usedBytes on the disk and in the write buffer
 * @param liveBytes an estimate of what of them a replay would tell
 * @param damage what was found so far that cannot be read
 */
public record ZoneSummary(
        UUID clusterId,
        int zone,
        int owner,
        long epoch,
        List<Integer> members,
        long baseSequence,
        long lastSequence,
        long sealedEpoch,
        boolean continuous,
        boolean filled,
        long usedBytes,
        long liveBytes,
        List<Damage> damage) {

    /** Returns the lowest epoch that the log still takes. */
    public long fence() {
        return Math.max(epoch, sealedEpoch);
    }
}
