package dev.granary.simulation;

import dev.granary.env.Environment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

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
    ACKNOWLEDGED_BEFORE_REPLICATION(
            Set.of(
                    FaultKind.CRASH_PEER,
                    FaultKind.LOST_DISK,
                    FaultKind.CRASH_SUPER_PEER,
                    FaultKind.POWER_OFF_SUPER_PEER),
            Sign.PROMISE_BROKEN) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerNetwork(HastyLeader::of);
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
    },
    /** An arc does not hear that the owner of its chunks, which belongs to another arc, has ended (rule 6). */
    LEASE_END_NOT_FETCHED(
            Set.of(FaultKind.MIGRATE_RANGE, FaultKind.CRASH_PEER, FaultKind.RESTART_IN_LEASE), Sign.NO_ANSWER) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerNetwork(Rumours::deafToEnds);
        }
    },
    /** An arc gives up chunks because their owner is silent, which may come back to them (rule 6). */
    SILENCE_TAKEN_FOR_THE_END(Set.of(FaultKind.MIGRATE_RANGE, FaultKind.SPREAD, FaultKind.PAUSE, FaultKind.PARTITION)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerNetwork(Rumours::believingSilence);
        }
    },
    /** Placement records have room for NIDs alone, as in the paper: neither for epochs nor for "nobody" (rule 13). */
    RECORD_OF_THE_PAPER(
            Set.of(FaultKind.MIGRATE_RANGE, FaultKind.MIGRATE_CHUNK, FaultKind.CRASH_PEER), Sign.NO_ANSWER) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerNetwork(RecordsOfThePaper::of);
        }
    },
    /** From one leader of a Raft group to the next it takes longer than leases are (rule 7). */
    RAFT_SLOWER_THAN_A_LEASE(Set.of(FaultKind.CRASH_SUPER_PEER), Sign.WAITING) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerNetwork(Tamperers::slowElections);
        }
    },
    /** The source of a migration stays the owner beside the target (rule 12). */
    MIGRATION_WITH_TWO_OWNERS(Set.of(FaultKind.MIGRATE_RANGE, FaultKind.MIGRATE_CHUNK)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageNetwork(Tamperers::stayingAfterCommit);
        }
    },
    /** The source of a migration gives its chunks up before they have another owner (rule 12). */
    MIGRATION_WITHOUT_OWNER(Set.of(FaultKind.MIGRATE_RANGE, FaultKind.MIGRATE_CHUNK), Sign.NO_ANSWER) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageNetwork(Tamperers::leavingBeforeCommit);
        }
    },
    /** A super-peer with an empty disk founds a second cluster beside the first (rule 14). */
    SECOND_CLUSTER(Set.of(FaultKind.LOST_SUPER_PEER), Sign.SEVERAL_CLUSTERS) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerNetwork(Tamperers::foundingAnyway).withNewcomersFound(true);
        }
    },
    /** Members of Raft groups vote for two, and for those whose log lacks what was committed (rule 15). */
    QUORUMS_THAT_DO_NOT_MEET(
            Set.of(FaultKind.CRASH_PEER, FaultKind.PAUSE, FaultKind.LOSS, FaultKind.POWER_OFF_SUPER_PEER),
            Sign.PROMISE_BROKEN) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerNetwork(Tamperers::votingForAll);
        }
    },
    /** The new leader of an arc does not wait for the leases that its predecessor has granted (rule 15). */
    OLD_LEASES_FORGOTTEN(Set.of(FaultKind.TWIN, FaultKind.CRASH_SUPER_PEER, FaultKind.POWER_OFF_SUPER_PEER)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerWorld(world -> new Environment(
                            new HurryingClock(world.clock()), world.scheduler(), world.random(), world.disk()))
                    .withSuperPeerNetwork(Tamperers::hurryingOnceElected);
        }
    },
    /** A sync of a super-peer's log has failed, and the log goes on (rule 18). */
    FAILED_SYNC_IGNORED(
            Set.of(
                    FaultKind.FAILED_SYNC,
                    FaultKind.POWER_LOSS,
                    FaultKind.POWER_OFF_SUPER_PEER,
                    FaultKind.CRASH_SUPER_PEER,
                    FaultKind.CRASH_PEER),
            Sign.PROMISE_BROKEN) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerWorld(world ->
                    new Environment(world.clock(), world.scheduler(), world.random(), new ForgivingDisk(world.disk())));
        }
    },
    /** A change is acknowledged that backups do not have (rule 1). */
    ACKNOWLEDGED_WITHOUT_BACKUPS(Set.of(FaultKind.CRASH_PEER), Sign.LOST, true) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageNetwork(DishonestBackups::holdingNothing);
        }
    },
    /** An owner counts a backup as holding what it has told it to cut, until it has answered (rule 1, ADR 0136). */
    CUT_NOT_COUNTED(Set.of(FaultKind.LATE_ANSWERS), Sign.LOST, true) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageNetwork(TrustedOpenings::of);
        }
    },
    /** A zone is served again without the newest versions of its chunks (rules 2 and 11). */
    RECOVERED_WITHOUT_THE_NEWEST(Set.of(FaultKind.CRASH_PEER), Sign.LOST, true) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageNetwork(DishonestBackups::tellingLess);
        }
    },
    /** A recovery takes the chunks back that had migrated out of the zone (rule 12). */
    MIGRATED_CHUNKS_RECOVERED(
            Set.of(FaultKind.MIGRATE_RANGE, FaultKind.CRASH_MIGRATION_SOURCE, FaultKind.CRASH_PEER), Sign.LOST, true) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageNetwork(DishonestBackups::takingWholeLogs);
        }
    },
    /** Backups let a tombstone go while they still have older entries of its chunk (rule 8). */
    TOMBSTONES_DROPPED(Set.of(FaultKind.CRASH_PEER), Sign.HISTORY, true) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageNetwork(ForgetfulLogs::withoutTombstones);
        }
    },
    /** Backups number changes themselves, those too that come again (rule 8). */
    VERSIONS_GIVEN_BY_BACKUPS(Set.of(FaultKind.CRASH_PEER, FaultKind.LOSS, FaultKind.DELAY), Sign.LOST, true) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageNetwork(NumberingBackups::of);
        }
    },
    /** Chunks move, and who owns them next does not know the requests that changed them (rule 10). */
    COMPLETIONS_LEFT_BEHIND(Set.of(FaultKind.MUTE_MIGRATION)) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageNetwork(ForgetfulLogs::leavingCompletionsBehind);
        }
    },
    /** The completion of a request is not logged with what it changed (rule 10). */
    COMPLETIONS_NOT_LOGGED(
            Set.of(FaultKind.CRASH_PEER, FaultKind.MUTE_MIGRATION, FaultKind.LOSS, FaultKind.DELAY),
            Sign.HISTORY,
            true) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withStorageNetwork(ForgetfulLogs::withoutCompletions);
        }
    },
    /** Somebody else writes the size of the ring beside the one who was asked to (rule 16). */
    TWO_WRITERS_OF_THE_SIZE(Set.of(FaultKind.RESIZE_RING), Sign.ANOTHER_SIZE) {
        @Override
        ClusterShape plant(ClusterShape shape) {
            return shape.withSuperPeerNetwork(Tamperers::twoWriters);
        }
    };

    /** How a bug shows. */
    private enum Sign {
        /** A client has seen what no order of the operations explains. */
        HISTORY("chunk .*"),
        /** The same, or storage peers find less at their super-peer than it had promised, and stop. */
        PROMISE_BROKEN("(chunk|name) .*|.*does not become ready again.*"),
        /** A client is told that chunks are lost, or sees what no order explains. */
        LOST("chunk .*|.*lost.*"),
        /** Nobody serves what is there. */
        NO_ANSWER("chunk .*|gets have no answer although nothing is broken.*"),
        /** Clients wait in vain while there is a majority of super-peers. */
        WAITING("operations without an answer.*"),
        SEVERAL_CLUSTERS("there are several clusters.*"),
        ANOTHER_SIZE("the ring (has not|does not come to) .*");

        private final Pattern message;

        Sign(String message) {
            this.message = Pattern.compile(message, Pattern.DOTALL);
        }
    }

    private final Set<FaultKind> kinds;
    private final Sign sign;

    /** Whether chunks have copies in the cluster in which it is planted. */
    private final boolean withCopies;

    PlantedBug(Set<FaultKind> kinds) {
        this(kinds, Sign.HISTORY);
    }

    PlantedBug(Set<FaultKind> kinds, Sign sign) {
        this(kinds, sign, false);
    }

    PlantedBug(Set<FaultKind> kinds, Sign sign, boolean withCopies) {
        this.kinds = kinds;
        this.sign = sign;
        this.withCopies = withCopies;
    }

    /** Whether a run shows it. A cluster that only stands still does not count where clients see what cannot be. */
    boolean isShownBy(SeedResult result) {
        Optional<String> problem =
                result.violation().isEmpty() && sign == Sign.WAITING ? waitingIn(result) : result.violation();
        return problem.filter(message -> sign.message.matcher(message).matches())
                .isPresent();
    }

    private static Optional<String> waitingIn(SeedResult result) {
        List<String> unanswered = result.outcomes().keySet().stream()
                .filter(outcome -> outcome.endsWith(" UNKNOWN"))
                .toList();
        return unanswered.isEmpty() ? Optional.empty() : Optional.of("operations without an answer: " + unanswered);
    }

    Set<FaultKind> kinds() {
        return kinds;
    }

    abstract ClusterShape plant(ClusterShape shape);

    /** The cluster in which it is planted. */
    ClusterShape base(ClusterShape shape) {
        return withCopies ? shape.withReplicated(true) : shape;
    }

    private static Environment withLyingDisk(Environment world) {
        LyingDisk disk = new LyingDisk(world.disk());
        disk.beginToLie();
        return new Environment(world.clock(), world.scheduler(), world.random(), disk);
    }
}
