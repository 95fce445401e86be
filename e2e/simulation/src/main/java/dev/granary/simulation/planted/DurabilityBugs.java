package dev.granary.simulation.planted;

import static dev.granary.simulation.FaultKind.CRASH_ALL_PEERS;
import static dev.granary.simulation.FaultKind.CRASH_PEER;
import static dev.granary.simulation.FaultKind.CRASH_TWO_PEERS;
import static dev.granary.simulation.FaultKind.DUPLICATE;
import static dev.granary.simulation.FaultKind.DURABILITIES;
import static dev.granary.simulation.FaultKind.FAILED_SYNC_PEER;
import static dev.granary.simulation.FaultKind.PEER_PARTITION;
import static dev.granary.simulation.FaultKind.POWER_LOSS;
import static dev.granary.simulation.FaultKind.RESET;

import dev.granary.env.Environment;
import dev.granary.simulation.planted.world.UnsyncedDisk;
import java.util.List;

/** Bugs about copies that count although they do not exist, or are not on a disk. */
final class DurabilityBugs {

    private DurabilityBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                PlantedBug.of(
                                1,
                                "acknowledged-below-the-floor",
                                "Changes are acknowledged in zones of which nobody has a copy, though there must be"
                                        + " some.")
                        .under(CRASH_PEER)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withSuperPeerNetwork(DishonestSuperPeers::grantingZonesWithoutCopies)),
                PlantedBug.of(
                                1,
                                "sync-taken-for-granted",
                                "An owner whose request to sync was lost takes it for answered, and acknowledges what"
                                        + " no disk has.")
                        .under(POWER_LOSS, DURABILITIES)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(ForgetfulBackups::takingSyncsForGranted)),
                PlantedBug.of(5, "empty-disk-counted", "A disk on which nothing is counts as a copy.")
                        .under(FAILED_SYNC_PEER)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(ForgetfulBackups::countingEmptyDisks)),
                PlantedBug.of(
                                11,
                                "zone-given-up-too-early",
                                "A zone is given up for lost while the peers with its copies have just started.")
                        .under(CRASH_ALL_PEERS, POWER_LOSS)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageNetwork(ForgetfulBackups::forgettingAtTheStart)),
                PlantedBug.of(
                                18,
                                "failed-sync-of-copies-ignored",
                                "Syncs of storage peers' logs fail, and the logs go on.")
                        .under(POWER_LOSS, DURABILITIES)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageWorld(world -> new Environment(
                                world.clock(), world.scheduler(), world.random(), new UnsyncedDisk(world.disk())))),
                PlantedBug.of(
                                20,
                                "stream-that-stops",
                                "A request to a backup that failed keeps its place, and nothing is sent to that backup"
                                        + " any more.")
                        .under(CRASH_PEER, PEER_PARTITION, CRASH_TWO_PEERS, RESET, DUPLICATE)
                        .shownAs(Sign.COPIES)
                        .withCopies()
                        .by(shape -> shape.withStorageWorld(world -> new Environment(
                                world.clock(),
                                new StreamsThatStop(world.scheduler(), world.clock()),
                                world.random(),
                                world.disk()))));
    }
}
