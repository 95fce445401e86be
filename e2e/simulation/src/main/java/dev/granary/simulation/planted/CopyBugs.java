package dev.granary.simulation.planted;

import static dev.granary.simulation.FaultKind.CRASH_PEER;
import static dev.granary.simulation.FaultKind.CRASH_RECOVERER;
import static dev.granary.simulation.FaultKind.DELAY;
import static dev.granary.simulation.FaultKind.LATE_ANSWERS;
import static dev.granary.simulation.FaultKind.LOSS;

import java.util.List;

/** Bugs about copies: what an acknowledgement promises, who may write to copies, and what is recovered from them. */
final class CopyBugs {

    private CopyBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                PlantedBug.of(1, "acknowledged-without-backups", "A change is acknowledged that backups do not have.")
                        .under(CRASH_PEER)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(DishonestBackups::holdingNothing)),
                PlantedBug.of(
                                1,
                                "cut-not-counted",
                                "An owner counts a backup as holding what it has told it to cut, until it has"
                                        + " answered.")
                        .under(LATE_ANSWERS)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(TrustedOpenings::of)),
                PlantedBug.of(
                                1,
                                "backup-dropped-without-a-commit",
                                "An owner goes on without a backup that is a member of its zones as before.")
                        .under(CRASH_PEER)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(DishonestBackups::goingOnWithoutOne)),
                PlantedBug.of(
                                11,
                                "copies-dropped-before-the-recovery-ends",
                                "Backups drop their copies as soon as somebody has begun to recover from them.")
                        .under(CRASH_PEER, CRASH_RECOVERER)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(DishonestBackups::droppingEarly)),
                PlantedBug.of(4, "held-value-shown", "A get is answered with a value whose replication is outstanding.")
                        .under(CRASH_PEER)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(HeldValues::of)),
                PlantedBug.of(
                                2,
                                "recovered-without-the-newest",
                                "A zone is served again without the newest versions of its chunks.")
                        .under(CRASH_PEER)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(DishonestBackups::tellingLess)),
                PlantedBug.of(
                                8,
                                "tombstones-dropped",
                                "Backups let a tombstone go while they still have older entries of its chunk.")
                        .under(CRASH_PEER)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(ForgetfulLogs::withoutTombstones)),
                PlantedBug.of(
                                8,
                                "versions-given-by-backups",
                                "Backups number changes themselves, those too that come again.")
                        .under(CRASH_PEER, LOSS, DELAY)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(NumberingBackups::of)));
    }
}
