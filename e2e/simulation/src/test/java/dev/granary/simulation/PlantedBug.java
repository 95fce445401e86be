package dev.granary.simulation;

import dev.granary.env.Environment;
import java.util.Set;

/** What is wrong on purpose, and the faults that bring it to light. Processes get another world; their code stays. */
@SuppressWarnings("ImmutableEnumChecker") // the sets are immutable ones
enum PlantedBug {
    /** A storage peer's lease never ends for it: the check before a reply is worth nothing. */
    LEASE_CHECK_SKIPPED(Set.of(FaultKind.TWIN)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageWorld(world ->
                    new Environment(new CrawlingClock(world.clock()), world.scheduler(), world.random(), world.disk()));
        }
    },
    /** A super-peer takes a lease for ended long before it has ended for the storage peer. */
    LEASE_GIVEN_AWAY_EARLY(Set.of(FaultKind.TWIN)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerWorld(world ->
                    new Environment(new RacingClock(world.clock()), world.scheduler(), world.random(), world.disk()));
        }
    },
    /** A storage peer that starts anew within its lease is taken for the one that it was. */
    RESTART_UNNOTICED(Set.of(FaultKind.CRASH_PEER, FaultKind.RESTART_IN_LEASE)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageWorld(world -> new Environment(
                    world.clock(), world.scheduler(), RememberedRandom.of(world.random(), world.disk()), world.disk()));
        }
    },
    /** A super-peer answers when a command is in its own log only, and takes it for replicated. */
    ACKNOWLEDGED_BEFORE_REPLICATION(Set.of(
            FaultKind.CRASH_PEER, FaultKind.LOST_DISK, FaultKind.CRASH_SUPER_PEER, FaultKind.POWER_OFF_SUPER_PEER)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerNetwork(HastyLeader::new);
        }
    },
    /** A super-peer forgets incarnations, their epochs and first LIDs when it restarts. */
    EPOCH_FORGOTTEN(Set.of(FaultKind.CRASH_PEER, FaultKind.RESTART_IN_LEASE, FaultKind.POWER_OFF_SUPER_PEER)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerWorld(PlantedBug::withLyingDisk);
        }
    },
    /** An incarnation gives LIDs that the former one had given. */
    LID_REUSED(Set.of(FaultKind.CRASH_PEER, FaultKind.RESTART_IN_LEASE)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withMemories(memories -> config -> memories.open(config.withFirstLid(1)));
        }
    },
    /** The ring gives a NID to a new disk that another disk has. */
    NID_REUSED(Set.of(FaultKind.LOST_DISK, FaultKind.POWER_OFF_SUPER_PEER, FaultKind.CRASH_SUPER_PEER)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerWorld(PlantedBug::withLyingDisk);
        }
    };

    private final Set<FaultKind> kinds;

    PlantedBug(Set<FaultKind> kinds) {
        this.kinds = kinds;
    }

    Set<FaultKind> kinds() {
        return kinds;
    }

    abstract ClusterShape plant(ClusterShape shape);

    private static Environment withLyingDisk(Environment world) {
        LyingDisk disk = new LyingDisk(world.disk());
        disk.beginToLie();
        return new Environment(world.clock(), world.scheduler(), world.random(), disk);
    }
}
