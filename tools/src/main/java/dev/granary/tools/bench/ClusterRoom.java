package dev.granary.tools.bench;

import dev.granary.bench.memory.Machine;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory and disk that a measured cluster of processes needs on this machine. */
final class ClusterRoom {

    private static final long MIB = 1 << 20;

    /** Bytes of a chunk in memory, with its bookkeeping and some spare room. */
    private static final long CHUNK_BYTES = ChunkValues.BYTES + 16L;

    /** The smallest chunk memory. The system takes memory when it is used, so unused memory costs nothing. */
    private static final long LEAST_MEMORY_BYTES = 1L << 30;

    /** Bytes of a process and its heap, without the part that depends on the chunks. */
    private static final long PROCESS_BYTES = 320 * MIB;

    /** Twice the bytes of a chunk, for the log of one backup, in which 68 to 84 B were measured. */
    private static final long LOGGED_BYTES = 2 * CHUNK_BYTES;

    /** Bytes of a process's Raft logs and log messages. */
    private static final long PROCESS_FILE_BYTES = 64 * MIB;

    private static final int MOST_COPIES = 3;

    private ClusterRoom() {}

    /** The chunk memory of each storage peer: for its share, and for that of a dead peer if it takes over all of it. */
    static long memoryBytes(int peers, long chunks) {
        return Math.max(LEAST_MEMORY_BYTES, 2 * CHUNK_BYTES * chunks / Math.max(1, peers - 1));
    }

    /**
     * Checks that there is room for a cluster.
     *
     * @param directory an existing directory for its files
     * @throws UserException when there is too little memory or disk; the message says how much the cluster takes
     */
    static void require(Path directory, int peers, long chunks) throws IOException {
        require(
                peers,
                chunks,
                Machine.availableBytes(),
                Files.getFileStore(directory).getUsableSpace(),
                directory);
    }

    /** Does the same with given numbers of free bytes. */
    static void require(int peers, long chunks, long freeRam, long freeDisk, Path directory) {
        String what = Sizes.count(chunks) + " chunks on " + peers + " storage peers take some ";
        int processes = MeasuredCluster.SUPER_PEERS + peers;
        // The chunks of the killed storage peer are in memory twice until its death is known.
        long ram = processes * PROCESS_BYTES + CHUNK_BYTES * chunks + CHUNK_BYTES * chunks / peers;
        if (ram > freeRam) {
            throw new UserException(what + Sizes.bytes(ram) + " of RAM, but only " + Sizes.bytes(freeRam)
                    + " are available: use fewer --chunks or --peers");
        }
        long disk = processes * PROCESS_FILE_BYTES + Math.min(MOST_COPIES, peers - 1) * LOGGED_BYTES * chunks;
        if (disk > freeDisk) {
            throw new UserException(what + Sizes.bytes(disk) + " of disk, but only " + Sizes.bytes(freeDisk)
                    + " are free under " + directory + ": use fewer --chunks or another --directory");
        }
    }
}
