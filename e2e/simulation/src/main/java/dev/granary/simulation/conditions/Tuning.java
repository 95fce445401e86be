package dev.granary.simulation.conditions;

import dev.granary.log.backup.BackupLogOptions;
import dev.granary.storage.StorageMemory;
import dev.granary.storage.replicate.ReplicationConfig;
import dev.granary.superpeer.node.SuperPeerMemory;
import java.time.Duration;

/**
 * Sizes and times of the processes of a simulated cluster.
 *
 * @param lidBlock how many LIDs are reserved at a time in the beginning
 * @param replication the settings of storage peers for replication
 * @param log the settings of storage peers for backup logs
 * @param memory the memory plan of storage peers, without the chunk memory
 * @param superPeerMemory the memory plan of super-peers
 * @param attempt how long a client waits for one answer
 * @param requestBytes about how many bytes a request has at most; clients split batches into requests
 * @param requestChunks how many chunks a request has at most
 * @param requestsInFlight how many requests of one batch may be in flight to one storage peer at once
 */
public record Tuning(
        long lidBlock,
        ReplicationConfig replication,
        BackupLogOptions log,
        StorageMemory memory,
        SuperPeerMemory superPeerMemory,
        Duration attempt,
        int requestBytes,
        int requestChunks,
        int requestsInFlight) {

    /** Small blocks of LIDs, so that runs reserve them often; everything else as processes have it. */
    public static Tuning usual() {
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
