package dev.granary.simulation.conditions;

import dev.granary.process.MemoryPlan;
import dev.granary.process.MemoryPlan.Need;
import dev.granary.process.MemoryPlan.Share;
import dev.granary.storage.StorageMemory;
import dev.granary.superpeer.node.SuperPeerMemory;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Memory plans that are as small for simulated work as those of small pods are for real work. A process would refuse to
 * start with them, because no chunk of 8 MiB fits.
 */
public final class SmallPlans {

    /**
     * The smallest shares with which all work of storage peers still goes on, if slowly. A connection to a machine that
     * is gone holds its last frames for 15 s, as outbound bytes.
     */
    private static final Map<String, Long> LEAST_BYTES_OF_STORAGE_PEERS = Map.ofEntries(
            Map.entry("outbound-frames", 4L << 10),
            Map.entry("pending-batches", 128L << 10),
            Map.entry("shipments", 4L << 10),
            Map.entry("parked-requests", 512L),
            Map.entry("held-answers", 1L << 10),
            Map.entry("recovery-windows", 6L << 10),
            Map.entry("recovery-tables", 1L << 10),
            Map.entry("copy-log-index", 4L << 10),
            Map.entry("copy-log-buffer", 64L << 10),
            Map.entry("fetched-copies", 8L << 10),
            Map.entry("key-index", 8L << 10),
            Map.entry("bulk-transfers", 1L << 10),
            Map.entry("completed-requests", 4L << 10),
            Map.entry("name-copies", 64L << 10));

    /**
     * The same for super-peers, without the share for state: with a small one they would grant no client lock any more.
     */
    private static final Map<String, Long> LEAST_BYTES_OF_SUPER_PEERS = Map.of(
            "outbound-frames", 4L << 10,
            "owner-waiters", 1L << 10,
            "lock-waiters", 1L << 10,
            "commands", 1L << 10,
            "raft-messages", 16L << 10);

    private static final int[] FACTORS = {1, 4, 16};

    private SmallPlans() {}

    /** Returns a plan of storage peers: small in half of all cases, otherwise with all that is ever needed. */
    public static StorageMemory ofStoragePeers(RandomGenerator random) {
        return new StorageMemory(of(StorageMemory.ample().plan(), LEAST_BYTES_OF_STORAGE_PEERS, random));
    }

    /** Returns a plan of super-peers, small in half of all cases. */
    public static SuperPeerMemory ofSuperPeers(RandomGenerator random) {
        return new SuperPeerMemory(of(SuperPeerMemory.ample().plan(), LEAST_BYTES_OF_SUPER_PEERS, random));
    }

    private static MemoryPlan of(MemoryPlan ample, Map<String, Long> least, RandomGenerator random) {
        if (random.nextBoolean()) {
            return ample;
        }
        List<Need> needs =
                ample.shares().stream().map(share -> need(share, least, random)).toList();
        return MemoryPlan.of(ample.limits(), needs);
    }

    private static Need need(Share share, Map<String, Long> least, RandomGenerator random) {
        boolean small = random.nextBoolean();
        int factor = FACTORS[random.nextInt(FACTORS.length)];
        long leastBytes = least.getOrDefault(share.name(), share.limitBytes());
        long bytes = small ? Math.min(share.limitBytes(), leastBytes * factor) : share.limitBytes();
        return new Need(share.name(), share.area(), 1, bytes, bytes);
    }
}
