package dev.granary.simulation.planted;

import static dev.granary.simulation.FaultKind.CRASH_MIGRATION_SOURCE;
import static dev.granary.simulation.FaultKind.CRASH_PEER;
import static dev.granary.simulation.FaultKind.DELAY;
import static dev.granary.simulation.FaultKind.LOSS;
import static dev.granary.simulation.FaultKind.MIGRATE_CHUNK;
import static dev.granary.simulation.FaultKind.MIGRATE_RANGE;
import static dev.granary.simulation.FaultKind.MUTE_MIGRATION;

import java.util.List;

/** Bugs about chunks that migrate, and about what migrates with them. */
final class MigrationBugs {

    private MigrationBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                PlantedBug.of(
                                12,
                                "migration-with-two-owners",
                                "The source of a migration stays the owner beside the target.")
                        .under(MIGRATE_RANGE, MIGRATE_CHUNK)
                        .by(shape -> shape.withStorageNetwork(Tamperers::stayingAfterCommit)),
                PlantedBug.of(
                                12,
                                "migration-without-owner",
                                "The source of a migration gives its chunks up before they have another owner.")
                        .under(MIGRATE_RANGE, MIGRATE_CHUNK)
                        .shownAs(Sign.NO_ANSWER)
                        .by(shape -> shape.withStorageNetwork(Tamperers::leavingBeforeCommit)),
                PlantedBug.of(
                                12,
                                "migrated-chunks-recovered",
                                "A recovery takes the chunks back that had migrated out of the zone.")
                        .under(MIGRATE_RANGE, CRASH_MIGRATION_SOURCE, CRASH_PEER)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(DishonestBackups::takingWholeLogs)),
                PlantedBug.of(
                                10,
                                "completions-left-behind",
                                "Chunks move, and who owns them next does not know the requests that changed them.")
                        .under(MUTE_MIGRATION)
                        .by(shape -> shape.withStorageNetwork(ForgetfulLogs::leavingCompletionsBehind)),
                PlantedBug.of(
                                10,
                                "completions-not-logged",
                                "The completion of a request is not logged with what it changed.")
                        .under(CRASH_PEER, MUTE_MIGRATION, LOSS, DELAY)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(ForgetfulLogs::withoutCompletions)));
    }
}
