package dev.granary.simulation.planted;

import static dev.granary.simulation.FaultKind.CRASH_PEER;
import static dev.granary.simulation.FaultKind.CRASH_SUPER_PEER;
import static dev.granary.simulation.FaultKind.MIGRATE_RANGE;
import static dev.granary.simulation.FaultKind.PARTITION;
import static dev.granary.simulation.FaultKind.PAUSE;
import static dev.granary.simulation.FaultKind.POWER_OFF_SUPER_PEER;
import static dev.granary.simulation.FaultKind.RESTART_IN_LEASE;
import static dev.granary.simulation.FaultKind.SPREAD;
import static dev.granary.simulation.FaultKind.TWIN;

import dev.granary.env.Environment;
import dev.granary.simulation.planted.world.CrawlingClock;
import dev.granary.simulation.planted.world.HurryingClock;
import dev.granary.simulation.planted.world.RacingClock;
import java.util.List;

/** Bugs about leases: who may serve, until when, and who hears of a lease's end. */
final class LeaseBugs {

    private LeaseBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                PlantedBug.of(
                                4,
                                "lease-check-skipped",
                                "A storage peer's lease never ends for it: the check before a reply is worth nothing.")
                        .under(TWIN)
                        .by(shape -> shape.withStorageWorld(world -> new Environment(
                                new CrawlingClock(world.clock()), world.scheduler(), world.random(), world.disk()))),
                PlantedBug.of(
                                3,
                                "lease-given-away-early",
                                "A super-peer takes a lease for ended long before it has ended for the storage peer.")
                        .under(TWIN)
                        .by(shape -> shape.withSuperPeerWorld(world -> new Environment(
                                new RacingClock(world.clock()), world.scheduler(), world.random(), world.disk()))),
                PlantedBug.of(
                                6,
                                "lease-end-not-fetched",
                                "An arc does not hear that the owner of its chunks, which belongs to another arc, has"
                                        + " ended.")
                        .under(MIGRATE_RANGE, CRASH_PEER, RESTART_IN_LEASE)
                        .shownAs(Sign.NO_ANSWER)
                        .by(shape -> shape.withSuperPeerNetwork(Rumours::deafToEnds)),
                PlantedBug.of(
                                6,
                                "silence-taken-for-the-end",
                                "An arc gives up chunks because their owner is silent, which may come back to them.")
                        .under(MIGRATE_RANGE, SPREAD, PAUSE, PARTITION)
                        .by(shape -> shape.withSuperPeerNetwork(Rumours::believingSilence)),
                PlantedBug.of(
                                20,
                                "loops-that-end",
                                "What a storage peer repeats, the renewal of its lease too, ends after a while.")
                        .under(PAUSE)
                        .shownAs(Sign.STANDSTILL)
                        .by(shape -> shape.withStorageWorld(world -> new Environment(
                                world.clock(),
                                new LoopsThatEnd(world.scheduler(), world.clock()),
                                world.random(),
                                world.disk()))),
                PlantedBug.of(
                                7,
                                "raft-slower-than-a-lease",
                                "From one leader of a Raft group to the next it takes longer than leases are.")
                        .under(CRASH_SUPER_PEER)
                        .shownAs(Sign.WAITING)
                        .by(shape -> shape.withSuperPeerNetwork(Tamperers::slowElections)),
                PlantedBug.of(
                                15,
                                "old-leases-forgotten",
                                "The new leader of an arc does not wait for the leases that its predecessor has"
                                        + " granted.")
                        .under(TWIN, CRASH_SUPER_PEER, POWER_OFF_SUPER_PEER)
                        .by(shape -> shape.withSuperPeerWorld(world -> new Environment(
                                        new HurryingClock(world.clock()),
                                        world.scheduler(),
                                        world.random(),
                                        world.disk()))
                                .withSuperPeerNetwork(Tamperers::hurryingOnceElected)));
    }
}
