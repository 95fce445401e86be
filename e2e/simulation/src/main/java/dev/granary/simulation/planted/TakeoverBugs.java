package dev.granary.simulation.planted;

import static dev.granary.simulation.FaultKind.CRASH_PEER;
import static dev.granary.simulation.FaultKind.CRASH_TWO_PEERS;
import static dev.granary.simulation.FaultKind.FAILED_ALLOCATION;
import static dev.granary.simulation.FaultKind.LOST_RING;
import static dev.granary.simulation.FaultKind.PARK;
import static dev.granary.simulation.FaultKind.RESIZE_RING;

import java.util.List;

/** Bugs about processes that take the place of another one, and about those whose place was taken. */
final class TakeoverBugs {

    private TakeoverBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                PlantedBug.of(
                                2,
                                "former-owner-not-fenced",
                                "A backup takes what an owner sends after another one has opened the copy.")
                        .under(CRASH_PEER)
                        .shownAs(Sign.COPIES)
                        .withCopiesAndLastCrash()
                        .by(shape -> shape.withStorageNetwork(LateOwners::of)),
                PlantedBug.of(
                                11,
                                "no-room-not-told",
                                "A storage peer that has no room for a zone does not say so, and no other one is"
                                        + " asked to recover it.")
                        .under(CRASH_PEER, CRASH_TWO_PEERS, FAILED_ALLOCATION)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(SilentRecoverers::of)),
                PlantedBug.of(
                                14,
                                "rebuilt-without-a-witness",
                                "What super-peers knew is rebuilt from storage peers that do not know all of it.")
                        .under(LOST_RING, CRASH_PEER)
                        .shownAs(Sign.PROMISE_BROKEN)
                        .withCopies()
                        .by(shape -> shape.withSuperPeerNetwork(DishonestSuperPeers::askingFewWitnesses)),
                PlantedBug.of(
                                15,
                                "arc-part-given-to-none",
                                "A super-peer throws a part of an arc away that the ring gives to it.")
                        .under(RESIZE_RING)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withSuperPeerNetwork(CancelledMoves::atTheTarget)),
                PlantedBug.of(
                                15,
                                "arc-part-kept",
                                "A super-peer goes on to answer for a part of its arc that another one has been given.")
                        .under(RESIZE_RING)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withSuperPeerNetwork(CancelledMoves::atTheSource)),
                PlantedBug.of(
                                16,
                                "given-up-and-resumed",
                                "A storage peer goes on from its dump although it was given up while it was parked, so"
                                        + " that its chunks were recovered.")
                        .under(PARK)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(KeptDumps::resumingFromAny)),
                PlantedBug.of(
                                16,
                                "stale-dump-loaded",
                                "The dump of a parked storage peer is loaded again after the peer went on and has"
                                        + " died.")
                        .under(PARK, CRASH_PEER)
                        .shownAs(Sign.COPIES)
                        .withCopiesAndLastCrash()
                        .by(shape -> shape.withStorageWorld(KeptDumps::keeping)
                                .withStorageNetwork(KeptDumps::resumingFromAny)));
    }
}
