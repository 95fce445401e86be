package dev.granary.net.message;

import dev.granary.schema.U16;

/** Restores of backups. */
public final class RestoreMessages {

    private RestoreMessages() {}

    /**
     * Asks the super-peer of the creator's arc to begin a migration out of a backup. The caller sends the chunks to the
     * target and then asks to commit the migration, with 0 for the NID and the epoch of the source.
     *
     * @param startCid the first chunk
     * @param endCidInclusive the last chunk, of the same creator
     * @param targetNid the storage peer that shall own them
     */
    public record BeginRestore(
            long startCid, long endCidInclusive, @U16 int targetNid) implements Message {}

    /**
     * Nothing more of a creator's chunks comes out of the backup: what has not come is lost.
     *
     * @param nid the creator
     */
    public record EndRestore(@U16 int nid) implements Message {}

    /**
     * The chunks that a creator made in another cluster will come out of a backup: its LIDs below a mark are never
     * given again. Sent by the storage peer itself, which has no chunk and no longer serves anything; or, for a NID
     * that no storage peer ever had, by the one that restores.
     *
     * @param nid the creator
     * @param incarnation of the storage peer, which ends by this; 0 when there never was one
     * @param lidMark LIDs below it were given in the cluster that the backup is of
     * @param backup the backup's fingerprint, not 0
     */
    public record RestoreCreator(@U16 int nid, long incarnation, long lidMark, long backup) implements Message {}
}
