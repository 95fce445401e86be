package dev.granary.simulation.planted;

import static dev.granary.simulation.FaultKind.CRASH_PEER;
import static dev.granary.simulation.FaultKind.CRASH_SUPER_PEER;
import static dev.granary.simulation.FaultKind.DUPLICATE;
import static dev.granary.simulation.FaultKind.LOSS;
import static dev.granary.simulation.FaultKind.PAUSE;
import static dev.granary.simulation.FaultKind.POWER_LOSS;
import static dev.granary.simulation.FaultKind.RESET;

import java.util.List;

/** Bugs about what clients have beside chunks: names, locks, and answers that say what happened. */
final class ClientBugs {

    private ClientBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                PlantedBug.of(
                                10,
                                "name-change-repeated",
                                "A change of a name that comes again is carried out again, whatever was changed since.")
                        .under(DUPLICATE, LOSS, RESET, CRASH_SUPER_PEER)
                        .shownAs(Sign.NAMES)
                        .by(shape -> shape.withSuperPeerNetwork(Tamperers::forgettingRequests)),
                PlantedBug.of(17, "name-before-its-chunk", "A name stands for a chunk that is on no disk yet.")
                        .under(POWER_LOSS)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(DishonestOwners::fencingNothing)),
                PlantedBug.of(17, "token-not-checked", "An owner does not look at the tokens of locks that puts carry.")
                        .under(PAUSE)
                        .shownAs(Sign.LOCKS)
                        .by(shape -> shape.withStorageNetwork(DishonestOwners::ignoringTokens)),
                PlantedBug.of(
                                17,
                                "tokens-not-logged",
                                "Who recovers a zone does not know the tokens that its owner has seen.")
                        .under(CRASH_PEER, PAUSE)
                        .shownAs(Sign.LOCKS)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(ForgetfulLogs::withoutTokens)),
                PlantedBug.of(
                                20,
                                "refused-after-the-change",
                                "A put is refused for want of room after it was carried out.")
                        .under(LOSS)
                        .by(shape -> shape.withStorageNetwork(DishonestOwners::refusingAfterwards)));
    }
}
