package dev.granary.tools.bench;

import dev.granary.bench.memory.Machine;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a measured cluster of processes needs of this machine. */
final class ClusterRoom {

    private static final long MIB = 1 << 20;

    /** A chunk in memory, with what is known of it, and some room to lay it out. */
    private static final long CHUNK_BYTES = ChunkValues.BYTES + 16L;

    /** Memory is taken when it is used: more than that does not cost anything. */
    private static final long LEAST_MEMORY_BYTES = 1L << 30;

    /** A process with its heap, as far as it does not depend on the chunks. */
    private static final long PROCESS_BYTES = 320 * MIB;

    /** What a chunk takes in the log of one backup, and as much again: seen were 68 to 84 B. */
    private static final long LOGGED_BYTES = 2 * CHUNK_BYTES;

    /** Raft logs, and logs of messages. */
    private static final long PROCESS_FILE_BYTES = 64 * MIB;

    private static final int MOST_COPIES = 3;

    private ClusterRoom() {}

    /** The chunk memory of each storage peer: for its share, and that of one that dies if it comes to it alone. */
    static long memoryBytes(int peers, long chunks) {
        return Math.max(LEAST_MEMORY_BYTES, 2 * CHUNK_BYTES * chunks / Math.max(1, peers - 1));
    }

    /**
     * Checks that there is room for one.
     *
     * @param directory under which its files are to lie, which is there
     * @throws UserException when there is not enough memory or disk, with what it takes
     */
    static void require(Path directory, int peers, long chunks) throws IOException {
        require(
                peers,
                chunks,
                Machine.availableBytes(),
                Files.getFileStore(directory).getUsableSpace(),
                directory);
    }

    /** Does the same, given the bytes that are free. */
    static void require(int peers, long chunks, long freeRam, long freeDisk, Path directory) {
        String what = Sizes.count(chunks) + " chunks on " + peers + " storage peers take some ";
        int processes = MeasuredCluster.SUPER_PEERS + peers;
        // Those of the storage peer that dies are in memory twice as long as it is not known to be dead.
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
