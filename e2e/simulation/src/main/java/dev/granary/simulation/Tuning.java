package dev.granary.simulation;

import dev.granary.log.backup.BackupLogOptions;
import dev.granary.storage.StorageMemory;
import dev.granary.storage.replicate.ReplicationConfig;
import dev.granary.superpeer.node.SuperPeerMemory;
import java.time.Duration;

/**
 * Sizes and times of the processes of a simulated cluster.
 *
 * @param lidBlock how many LIDs are reserved at a time at first
 * @param replication of storage peers
 * @param log of storage peers
 * @param memory the plan of what storage peers may take beside the chunk memory
 * @param superPeerMemory the plan of what the parts of super-peers may take
 * @param attempt how long a client waits for one answer
 * @param requestBytes about how many bytes a request has at most; clients cut batches into requests
 * @param requestChunks how many chunks a request has at most
 * @param requestsInFlight how many requests of one batch to one storage peer are under way at once
 */
record Tuning(
        long lidBlock,
        ReplicationConfig replication,
        BackupLogOptions log,
        StorageMemory memory,
        SuperPeerMemory superPeerMemory,
        Duration attempt,
        int requestBytes,
        int requestChunks,
        int requestsInFlight) {

    /** Small blocks of LIDs, so that runs reserve them often; all else as processes have it. */
    static Tuning usual() {
        return new Tuning(
                64,
                ReplicationConfig.defaults(),
                BackupLogOptions.defaults(),
                StorageMemory.ample(),
                SuperPeerMemory.ample(),
                Duration.ofMillis(500),
                64 << 10,
                64,
                4);
    }
}
