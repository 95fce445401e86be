package dev.granary.simulation.planted;

import static dev.granary.simulation.FaultKind.CRASH_PEER;
import static dev.granary.simulation.FaultKind.CRASH_SUPER_PEER;
import static dev.granary.simulation.FaultKind.FAILED_SYNC;
import static dev.granary.simulation.FaultKind.LOSS;
import static dev.granary.simulation.FaultKind.LOST_DISK;
import static dev.granary.simulation.FaultKind.LOST_SUPER_PEER;
import static dev.granary.simulation.FaultKind.PAUSE;
import static dev.granary.simulation.FaultKind.POWER_LOSS;
import static dev.granary.simulation.FaultKind.POWER_OFF_SUPER_PEER;
import static dev.granary.simulation.FaultKind.RESIZE_RING;

import dev.granary.env.Environment;
import dev.granary.simulation.planted.world.ForgivingDisk;
import java.util.List;

/** Bugs about the super-peers' Raft groups, disks and ring. */
final class SuperPeerBugs {

    private SuperPeerBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                PlantedBug.of(
                                15,
                                "acknowledged-before-replication",
                                "A super-peer answers when a command is in its own log only, and takes it for"
                                        + " replicated.")
                        .under(CRASH_PEER, LOST_DISK, CRASH_SUPER_PEER, POWER_OFF_SUPER_PEER)
                        .shownAs(Sign.PROMISE_BROKEN)
                        .by(shape -> shape.withSuperPeerNetwork(HastyLeader::of)),
                PlantedBug.of(
                                14,
                                "second-cluster",
                                "A super-peer with an empty disk founds a second cluster beside the first.")
                        .under(LOST_SUPER_PEER)
                        .shownAs(Sign.SEVERAL_CLUSTERS)
                        .by(shape -> shape.withSuperPeerNetwork(Tamperers::foundingAnyway)
                                .withNewcomersFound(true)),
                PlantedBug.of(
                                15,
                                "quorums-that-do-not-meet",
                                "Members of Raft groups vote for two, and for those whose log lacks what was"
                                        + " committed.")
                        .under(CRASH_PEER, PAUSE, LOSS, POWER_OFF_SUPER_PEER)
                        .shownAs(Sign.PROMISE_BROKEN)
                        .by(shape -> shape.withSuperPeerNetwork(Tamperers::votingForAll)),
                PlantedBug.of(
                                15,
                                "arc-part-handed-on-empty",
                                "A super-peer hands on its part of the ring as if nothing were in it.")
                        .under(RESIZE_RING, CRASH_PEER)
                        .shownAs(Sign.PROMISE_BROKEN)
                        .by(shape -> shape.withSuperPeerNetwork(Tamperers::handingOnNothing)),
                PlantedBug.of(
                                18,
                                "failed-sync-ignored",
                                "A sync of a super-peer's log has failed, and the log goes on.")
                        .under(FAILED_SYNC, POWER_LOSS, POWER_OFF_SUPER_PEER, CRASH_SUPER_PEER, CRASH_PEER)
                        .shownAs(Sign.PROMISE_BROKEN)
                        .by(shape -> shape.withSuperPeerWorld(world -> new Environment(
                                world.clock(), world.scheduler(), world.random(), new ForgivingDisk(world.disk())))),
                PlantedBug.of(
                                16,
                                "two-writers-of-the-size",
                                "Somebody else writes the size of the ring beside the one who was asked to.")
                        .under(RESIZE_RING)
                        .shownAs(Sign.ANOTHER_SIZE)
                        .by(shape -> shape.withSuperPeerNetwork(Tamperers::twoWriters)));
    }
}
