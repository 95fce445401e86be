package dev.granary.simulation;

import dev.granary.log.backup.BackupLogOptions;
import dev.granary.simulation.conditions.SmallPlans;
import dev.granary.simulation.conditions.Tuning;
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
 * What makes a seed differ from its neighbours: whole kinds of faults are left out, others come more often, and
 * buffers, time limits and segments are small (Groce and others, Swarm testing, ISSTA 2012). A fault that always comes
 * hides bugs that need its absence: a buffer is never full in a cluster that is killed every second. The seed alone
 * determines all of this.
 */
final class Swarm {

    /** With fewer kinds than these, a person has chosen them and wants all of them. */
    private static final int FEW_KINDS = 8;

    /** The most kinds of a seed that wait for each other; they take turns, and each turn takes long. */
    private static final int MOST_IN_TURN = 5;

    /**
     * Of the seeds whose faults wait for each other, one in this many has a kind that takes long, if one was asked for.
     */
    private static final int LONG_ONE_EVERY = 3;

    /** One seed in this many has a fault of a kind that comes at most once a seed. */
    private static final int SINGLE_ONE_OF = 4;

    private static final double[] SHARES_OF_KINDS = {0.25, 0.5, 0.75};
    private static final int[] FAULTS_OF_KIND = {1, 1, 2, 2, 4};
    private static final int[] FAULTS_IN_TURN = {1, 1, 1, 2};

    /** A few changes fill its buffer, and a few more fill a segment. */
    private static final BackupLogOptions TINY_LOG =
            new BackupLogOptions(10_000_000, 512, 2 << 10, 256, 4 << 10, 4 << 10, 80, 64 << 10);

    /** The largest change in a swarm: clients send a chunk of 24 KiB alone, and batches in requests of up to 64 KiB. */
    private static final long LARGEST_CHANGE_BYTES = 128 << 10;

    private final long seed;

    Swarm(long seed) {
        this.seed = seed;
    }

    /**
     * Returns how many faults of each kind there are; kinds that are left out are missing.
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
            // Draws for each kind, chosen or not, so that leaving one kind out does not change the others.
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
        // Not java.util.Random: its first numbers are nearly the same for consecutive seeds.
        Collections.shuffle(inTurn, random(9));
        int mostInTurn = kinds.size() < FEW_KINDS ? MOST_IN_TURN : 1 + random.nextInt(MOST_IN_TURN);
        inTurn.subList(Math.min(mostInTurn, inTurn.size()), inTurn.size()).forEach(counts::remove);
        return counts;
    }

    /** Returns how small buffers, time limits and segments are. */
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

    /** Returns the usual value in half of all seeds, otherwise one of two others. */
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
