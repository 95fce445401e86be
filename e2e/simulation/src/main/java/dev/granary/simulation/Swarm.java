package dev.granary.simulation;

import dev.granary.log.backup.BackupLogOptions;
import dev.granary.storage.replicate.ReplicationBounds;
import dev.granary.storage.replicate.ReplicationConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * What makes a seed another one than its neighbours: whole kinds of faults are left out, others come more often, and
 * buffers, time limits and segments are small (Groce and others, Swarm testing, ISSTA 2012). A fault that always comes
 * hides what needs its absence: a buffer is never full in a cluster that is killed every second.
 * Given by the seed alone.
 */
final class Swarm {

    /** Fewer kinds than these are a choice of a person, who wants all of them. */
    private static final int FEW_KINDS = 8;

    /** The most kinds of a seed that wait for each other: they take turns, and each turn takes long. */
    private static final int MOST_IN_TURN = 5;

    /** Every such seed has a kind that takes long, if it was asked for. */
    private static final int LONG_ONE_EVERY = 3;

    /** One seed in this many has a fault of a kind that comes once a seed. */
    private static final int SINGLE_ONE_OF = 4;

    private static final double[] SHARES_OF_KINDS = {0.25, 0.5, 0.75};
    private static final int[] FAULTS_OF_KIND = {1, 1, 2, 2, 4};
    private static final int[] FAULTS_IN_TURN = {1, 1, 1, 2};

    /** A few changes fill its buffer, and few more a segment. */
    private static final BackupLogOptions TINY_LOG =
            new BackupLogOptions(10_000_000, 512, 2 << 10, 256, 4 << 10, 4 << 10, 80, 64 << 10);

    /** Clients send a chunk of 24 KiB alone, and batches in requests of up to 64 KiB. */
    private static final long LARGEST_CHANGE_BYTES = 128 << 10;

    private final long seed;

    Swarm(long seed) {
        this.seed = seed;
    }

    /**
     * How many faults of each kind there are; kinds that are left out are not in it.
     *
     * @param kinds that may come
     */
    Map<FaultKind, Integer> faults(Set<FaultKind> kinds, boolean replicated) {
        RandomGenerator random = random(1);
        Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);
        double share = kinds.size() < FEW_KINDS ? 1 : SHARES_OF_KINDS[random.nextInt(SHARES_OF_KINDS.length)];
        List<FaultKind> inTurn = new ArrayList<>();
        for (FaultKind kind : FaultKind.values()) {
            if (kind.isSingle()) {
                if (kinds.contains(kind)
                        && (kinds.size() < FEW_KINDS || random(4).nextInt(SINGLE_ONE_OF) == 0)) {
                    counts.put(kind, 1);
                }
                continue;
            }
            // Each kind takes the same random numbers, so that the others stay as they are without it.
            boolean chosen = random.nextDouble() < share;
            int count = FAULTS_OF_KIND[random.nextInt(FAULTS_OF_KIND.length)];
            int countInTurn = FAULTS_IN_TURN[random.nextInt(FAULTS_IN_TURN.length)];
            if (!kinds.contains(kind)) {
                continue;
            }
            if (kind.takesLong()) {
                if (seed % LONG_ONE_EVERY == 0) {
                    counts.put(kind, 1);
                }
            } else if (replicated && kind.mayEndStoragePeer()) {
                inTurn.add(kind);
                counts.put(kind, countInTurn);
            } else if (chosen) {
                counts.put(kind, count);
            }
        }
        // Not by java.util.Random: its first numbers are much the same for seeds that follow each other.
        Collections.shuffle(inTurn, random(9));
        int mostInTurn = kinds.size() < FEW_KINDS ? MOST_IN_TURN : 1 + random.nextInt(MOST_IN_TURN);
        inTurn.subList(Math.min(mostInTurn, inTurn.size()), inTurn.size()).forEach(counts::remove);
        return counts;
    }

    /** How small buffers, time limits and segments are. */
    Tuning tuning() {
        RandomGenerator random = random(2);
        Tuning usual = Tuning.usual();
        ReplicationBounds bounds = usual.replication().bounds();
        ReplicationConfig replication = new ReplicationConfig(
                usual.replication().durability(),
                pick(random, usual.replication().timeoutNanos(), 100_000_000L, 1_000_000_000L),
                (int) pick(random, usual.replication().requestBytes(), 1 << 10, 16 << 10),
                (int) pick(random, usual.replication().requestsInFlight(), 1, 2),
                new ReplicationBounds(
                        pick(random, bounds.pendingBytes(), 512, 4 << 10),
                        pick(random(6), bounds.largestChangeBytes(), LARGEST_CHANGE_BYTES, 2 * LARGEST_CHANGE_BYTES),
                        pick(random(7), bounds.heldBytes(), 1 << 10, 8 << 10),
                        pick(random(3), bounds.shippedBytes(), 256, 2 << 10),
                        pick(random(5), bounds.transferBytes(), 9 << 20, 10 << 20)));
        return new Tuning(
                pick(random, usual.lidBlock(), 32, 256),
                replication,
                switch (random.nextInt(4)) {
                    case 0 -> TINY_LOG;
                    case 1 -> BackupLogOptions.small();
                    default -> usual.log();
                },
                SmallPlans.ofStoragePeers(random(8)),
                SmallPlans.ofSuperPeers(random(10)),
                Duration.ofMillis(pick(random, usual.attempt().toMillis(), 200, 1_000)),
                (int) pick(random, usual.requestBytes(), 1 << 10, 4 << 10),
                (int) pick(random, usual.requestChunks(), 1, 4),
                (int) pick(random, usual.requestsInFlight(), 1, 2));
    }

    /** The usual value in half of all seeds. */
    private static long pick(RandomGenerator random, long usual, long one, long other) {
        return switch (random.nextInt(4)) {
            case 0 -> one;
            case 1 -> other;
            default -> usual;
        };
    }

    private RandomGenerator random(int salt) {
        return new SplittableRandom(seed * 0xD1342543DE82EF95L + salt);
    }
}
