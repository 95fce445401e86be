package dev.granary.storage;

import dev.granary.log.backup.BackupLogOptions;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.SystemMemoryConfig;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.NodePorts;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.keyed.KeyedLimits;
import dev.granary.storage.replicate.ReplicationConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
 * @param backupLog sizes and times of the log of copies
 * @param memory what everything else may take; what these have in common is bounded by both
 * @param keyed what keys may take of the chunk memory; may be changed while the peer runs
 * @param ports the ports of the binary protocol beside the one that is advertised
 * @param secret the cluster's secret; null when nobody proves anything
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
        String failureZone,
        BackupLogOptions backupLog,
        StorageMemory memory,
        KeyedLimits keyed,
        NodePorts ports,
        @Nullable ClusterSecret secret) {

    public StorageNodeConfig {
        seeds = List.copyOf(seeds);
        replication = memory.bound(replication);
        backupLog = memory.bound(backupLog);
    }

    /** With all the memory that its parts ever need. */
    public StorageNodeConfig(
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
            String failureZone,
            BackupLogOptions backupLog) {
        this(
                name,
                listen,
                advertiseHost,
                advertisePort,
                seeds,
                memoryBytes,
                layout,
                system,
                replication,
                machine,
                failureZone,
                backupLog,
                StorageMemory.ample(),
                KeyedLimits.none(),
                NodePorts.NONE,
                null);
    }

    /** The same with another plan of memory. */
    public StorageNodeConfig withMemory(StorageMemory other) {
        return new StorageNodeConfig(
                name,
                listen,
                advertiseHost,
                advertisePort,
                seeds,
                memoryBytes,
                layout,
                system,
                replication,
                machine,
                failureZone,
                backupLog,
                other,
                keyed,
                ports,
                secret);
    }

    /** The same with other limits of keys. */
    public StorageNodeConfig withKeyed(KeyedLimits other) {
        return new StorageNodeConfig(
                name,
                listen,
                advertiseHost,
                advertisePort,
                seeds,
                memoryBytes,
                layout,
                system,
                replication,
                machine,
                failureZone,
                backupLog,
                memory,
                other,
                ports,
                secret);
    }

    /** The same with a secret, or without one. */
    public StorageNodeConfig withSecret(@Nullable ClusterSecret other) {
        return new StorageNodeConfig(
                name,
                listen,
                advertiseHost,
                advertisePort,
                seeds,
                memoryBytes,
                layout,
                system,
                replication,
                machine,
                failureZone,
                backupLog,
                memory,
                keyed,
                ports,
                other);
    }

    /** The same with other ports beside the one that is advertised. */
    public StorageNodeConfig withPorts(NodePorts other) {
        return new StorageNodeConfig(
                name,
                listen,
                advertiseHost,
                advertisePort,
                seeds,
                memoryBytes,
                layout,
                system,
                replication,
                machine,
                failureZone,
                backupLog,
                memory,
                keyed,
                other,
                secret);
    }

    /** With the usual log of copies. */
    public StorageNodeConfig(
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
        this(
                name,
                listen,
                advertiseHost,
                advertisePort,
                seeds,
                memoryBytes,
                layout,
                system,
                replication,
                machine,
                failureZone,
                BackupLogOptions.defaults());
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
        this(
                name,
                listen,
                advertiseHost,
                advertisePort,
                seeds,
                memoryBytes,
                layout,
                system,
                replication,
                BackupLogOptions.defaults());
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
            ReplicationConfig replication,
            BackupLogOptions backupLog) {
        this(
                name,
                listen,
                advertiseHost,
                advertisePort,
                seeds,
                memoryBytes,
                layout,
                system,
                replication,
                "",
                "",
                backupLog);
    }

    HostAddress advertised(int boundPort) {
        return new HostAddress(advertiseHost, advertisePort == 0 ? boundPort : advertisePort);
    }
}
