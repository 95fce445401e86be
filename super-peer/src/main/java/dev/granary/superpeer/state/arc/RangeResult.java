package dev.granary.superpeer.state.arc;

import dev.granary.overlay.Placement;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.Plan;

/** The results of committed commands about ranges, beside the common ones. */
public sealed interface RangeResult extends ArcResult {

    /** A migration as it is now. */
    record Migration(MigrationRecord record) implements RangeResult {}

    /** A plan as it is now. */
    record Planned(Plan plan) implements RangeResult {}

    /** A zone as it is now, whether the command has changed it or not. */
    record Zone(Placement placement) implements RangeResult {}

    /**
     * A slot group as it is now, whether the command has changed it or not.
     *
     * @param lidLimit LIDs below it belong to the group
     */
    record Group(Placement placement, long lidLimit) implements RangeResult {}

    /**
     * The command changed nothing.
     *
     * @param message for people
     */
    record NotNow(String message) implements RangeResult {}
}
