package dev.granary.log.backup;

import java.util.List;

/**
 * What a replay told.
 *
 * @param zone that was replayed
 * @param lastSequence the highest sequence that it could have told: that of the log, or the one that was asked for
 * @param filled whether the copy is whole, and whole at that sequence: what it was filled with has one sequence, its
 *     base, and is not told when a lower one was asked for
 * @param chunks told
 * @param chunkBytes of their content
 * @param damage what could not be read, so that the newest version of some chunk may be missing: another backup is to
 *     be asked, if there is one. Empty when all is well
 */
public record ReplayReport(
        int zone, long lastSequence, boolean filled, long chunks, long chunkBytes, List<Damage> damage) {

    /** Whether everything that the zone had at its last sequence was told. */
    public boolean isComplete() {
        return filled && damage.isEmpty();
    }
}
