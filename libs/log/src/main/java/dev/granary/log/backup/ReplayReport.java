package dev.granary.log.backup;

import java.util.List;

/**
 * The result of a replay.
 *
 * @param zone the zone that was replayed
 * @param lastSequence the highest sequence that the replay could visit: that of the log, or the one that was asked for
 * @param filled whether the copy is whole, and whole at that sequence: what it was filled with may have changes up to a
 *     later one
 * @param chunks how many chunks were visited
 * @param chunkBytes how many bytes these chunks have
 * @param damage what could not be read, so that the newest version of some chunk may be missing: another backup must be
 *     asked, if there is one; empty when everything could be read
 */
public record ReplayReport(
        int zone, long lastSequence, boolean filled, long chunks, long chunkBytes, List<Damage> damage) {

    /** Returns whether everything that the zone had at its last sequence was visited. */
    public boolean isComplete() {
        return filled && damage.isEmpty();
    }
}
