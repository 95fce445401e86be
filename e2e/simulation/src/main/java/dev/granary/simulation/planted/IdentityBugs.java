package dev.granary.simulation.planted;

import static dev.granary.simulation.FaultKind.CRASH_PEER;
import static dev.granary.simulation.FaultKind.CRASH_SUPER_PEER;
import static dev.granary.simulation.FaultKind.IMPOSTOR;
import static dev.granary.simulation.FaultKind.LOST_DISK;
import static dev.granary.simulation.FaultKind.MIGRATE_CHUNK;
import static dev.granary.simulation.FaultKind.MIGRATE_RANGE;
import static dev.granary.simulation.FaultKind.POWER_OFF_SUPER_PEER;
import static dev.granary.simulation.FaultKind.RESTART_IN_LEASE;

import dev.granary.env.Environment;
import dev.granary.simulation.planted.world.LyingDisk;
import dev.granary.simulation.planted.world.RememberedRandom;
import java.util.List;

/** Bugs about incarnations, NIDs, LIDs and placement records. */
final class IdentityBugs {

    private IdentityBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                PlantedBug.of(
                                5,
                                "restart-unnoticed",
                                "A storage peer that starts anew within its lease is taken for the one that it was.")
                        .under(CRASH_PEER, RESTART_IN_LEASE)
                        .by(shape -> shape.withStorageWorld(world -> new Environment(
                                world.clock(),
                                world.scheduler(),
                                RememberedRandom.of(world.random(), world.disk()),
                                world.disk()))),
                PlantedBug.of(
                                13,
                                "epoch-forgotten",
                                "A super-peer forgets incarnations, their epochs and first LIDs when it restarts.")
                        .under(CRASH_PEER, RESTART_IN_LEASE, POWER_OFF_SUPER_PEER)
                        .by(shape -> shape.withSuperPeerWorld(IdentityBugs::withLyingDisk)),
                PlantedBug.of(9, "lid-reused", "An incarnation gives LIDs that the former one had given.")
                        .under(CRASH_PEER, RESTART_IN_LEASE)
                        .by(shape -> shape.withMemories(memories -> config -> memories.open(config.withFirstLid(1)))),
                PlantedBug.of(9, "nid-reused", "The ring gives a NID to a new disk that another disk has.")
                        .under(LOST_DISK, POWER_OFF_SUPER_PEER, CRASH_SUPER_PEER)
                        .by(shape -> shape.withSuperPeerWorld(IdentityBugs::withLyingDisk)),
                PlantedBug.of(
                                13,
                                "record-of-the-paper",
                                "Placement records have room for NIDs alone: neither for epochs nor for \"nobody\".")
                        .under(MIGRATE_RANGE, MIGRATE_CHUNK, CRASH_PEER)
                        .shownAs(Sign.NO_ANSWER)
                        .by(shape -> shape.withSuperPeerNetwork(RecordsOfThePaper::of)),
                PlantedBug.of(
                                21,
                                "proof-not-checked",
                                "A storage peer believes whoever says that it is a super-peer of the cluster.")
                        .under(IMPOSTOR, CRASH_PEER)
                        .withCopiesAndLastCrash()
                        .shownAs(Sign.COPIES)
                        .by(shape -> shape.withImpostorsBelieved(true)));
    }

    private static Environment withLyingDisk(Environment world) {
        LyingDisk disk = new LyingDisk(world.disk());
        disk.beginToLie();
        return new Environment(world.clock(), world.scheduler(), world.random(), disk);
    }
}
