package dev.granary.storage;

import dev.granary.log.backup.LogStatistics;
import dev.granary.net.Transport;
import dev.granary.storage.data.ChunkService;
import dev.granary.storage.keyed.KeyedService;
import dev.granary.storage.replicate.Replication;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is taken of each share of a storage peer's memory plan. Any thread.
 *
 * @param replication null before the node listens, as are the names and the keyed data
 */
record MemoryUse(
        Transport transport,
        ChunkService chunks,
        Backups backups,
        @Nullable Replication replication,
        @Nullable NameCopies names,
        @Nullable KeyedService keyed) {

    /** By the names of the shares. */
    public Map<String, Long> bytes() {
        Map<String, Long> used = new LinkedHashMap<>();
        used.put(StorageMemory.INBOUND, transport.inboundBytes());
        used.put(StorageMemory.OUTBOUND, transport.outboundBytes());
        used.put(StorageMemory.PENDING, replication == null ? 0 : replication.pendingBytes());
        used.put(StorageMemory.SHIPMENTS, replication == null ? 0 : replication.shippedBytes());
        used.put(StorageMemory.PARKED, chunks.parkedBytes());
        used.put(
                StorageMemory.HELD,
                replication == null ? 0 : replication.zones().held().bytes());
        used.put(StorageMemory.WINDOWS, backups.recoveryMetrics().windowBytes());
        used.put(StorageMemory.WINDOW_TABLES, backups.recoveryMetrics().tableBytes());
        LogStatistics log = backups.logStatistics();
        used.put(StorageMemory.LOG_INDEX, log == null ? 0 : log.indexBytes());
        used.put(StorageMemory.LOG_BUFFER, log == null ? 0 : log.unflushedBytes());
        used.put(StorageMemory.SPOOLS, backups.spoolBytes());
        used.put(
                StorageMemory.BULK,
                replication == null ? 0 : replication.transfers().bytes());
        used.put(StorageMemory.COMPLETED, chunks.completedBytes());
        used.put(StorageMemory.NAMES, names == null ? 0 : names.bytes());
        used.put(StorageMemory.KEY_INDEX, keyed == null ? 0 : keyed.plannedIndexBytes());
        return used;
    }
}
