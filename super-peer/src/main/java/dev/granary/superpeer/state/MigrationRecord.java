package dev.granary.superpeer.state;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.schema.U16;

/**
 * A migration of chunks from one storage peer to another.
 *
 * @param creatorNid the creator of the chunks
 * @param number counted by the arc
 * @param startCid the first chunk
 * @param endCidInclusive the last chunk
 * @param sourceNid the owner when the migration began
 * @param sourceEpoch of the source's incarnation
 * @param targetNid the owner when the migration is committed
 * @param targetEpoch of the target's incarnation
 * @param state how far the migration is
 * @param epoch of the range once the migration is committed, otherwise 0
 * @param note for people: why the migration was aborted, otherwise empty
 */
public record MigrationRecord(
        @U16 int creatorNid,
        long number,
        long startCid,
        long endCidInclusive,
        @U16 int sourceNid,
        long sourceEpoch,
        @U16 int targetNid,
        long targetEpoch,
        MigrationState state,
        long epoch,
        String note) {

    public MigrationRecord committed(long newEpoch) {
        return ended(MigrationState.COMMITTED, newEpoch, "");
    }

    public MigrationRecord aborted(String why) {
        return ended(MigrationState.ABORTED, 0, why);
    }

    private MigrationRecord ended(MigrationState how, long newEpoch, String why) {
        return new MigrationRecord(
                creatorNid,
                number,
                startCid,
                endCidInclusive,
                sourceNid,
                sourceEpoch,
                targetNid,
                targetEpoch,
                how,
                newEpoch,
                why);
    }
}
