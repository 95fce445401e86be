package dev.granary.storage;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.SystemMemoryConfig;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.replicate.ReplicationConfig;
import java.util.List;

/**
 * What a storage peer must know.
 *
 * @param name for people
 * @param listen where it listens; port 0 takes any free port
 * @param advertiseHost host under which others reach it
 * @param advertisePort port under which others reach it; 0 means the one that is listened on
 * @param seeds super-peers to ask first, at least one
 * @param memoryBytes size of the chunk memory
 * @param layout how chunks are laid out in it
 * @param system how its memory is taken from the operating system
 * @param replication when changes are answered, and what backups may take
 * @param machine the label of the machine that it runs on, empty for none
 * @param failureZone the label of the failure zone that it runs in, empty for none
 */
public record StorageNodeConfig(
        String name,
        HostAddress listen,
        String advertiseHost,
        int advertisePort,
        List<HostAddress> seeds,
        long memoryBytes,
        MemoryLayout layout,
        SystemMemoryConfig system,
        ReplicationConfig replication,
        String machine,
        String failureZone) {

    public StorageNodeConfig {
        seeds = List.copyOf(seeds);
    }

    /** Without labels. */
    public StorageNodeConfig(
            String name,
            HostAddress listen,
            String advertiseHost,
            int advertisePort,
            List<HostAddress> seeds,
            long memoryBytes,
            MemoryLayout layout,
            SystemMemoryConfig system,
            ReplicationConfig replication) {
        this(name, listen, advertiseHost, advertisePort, seeds, memoryBytes, layout, system, replication, "", "");
    }

    HostAddress advertised(int boundPort) {
        return new HostAddress(advertiseHost, advertisePort == 0 ? boundPort : advertisePort);
    }
}
