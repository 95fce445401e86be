package dev.granary.memory.paged;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.ReservationException;
import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;

/** Opens chunk memories: empty ones, and with what a dump has. */
public final class ChunkMemories {

    private ChunkMemories() {}

    /**
     * Opens an empty chunk memory.
     *
     * @throws ReservationException if the operating system refuses the address space
     */
    public static ChunkMemory open(ChunkMemoryConfig config) {
        return PagedChunkMemory.open(config);
    }

    /**
     * Opens a chunk memory with what a {@linkplain ChunkMemory#dump(Path) dump} has: the same chunks, and the same LIDs
     * may be given. No chunk is locked or pinned. Whatever fails leaves no memory behind.
     *
     * <p>NID and layout must be those of the memory that was dumped; the capacity may be another one that is large
     * enough. A first LID above that memory's keeps the LIDs below it from being given.
     *
     * @throws InvalidDumpException if the dump is cut off, damaged, of another version, or does not suit the
     *     configuration
     * @throws ReservationException if the operating system refuses the memory
     * @throws IOException if the file cannot be read
     */
    public static ChunkMemory load(ChunkMemoryConfig config, Path file) throws IOException {
        return DumpFiles.read(config, file);
    }

    /**
     * The same from a channel, which is read up to the dump's last byte, and not closed.
     *
     * @throws InvalidDumpException as above
     * @throws ReservationException if the operating system refuses the memory
     * @throws IOException if the channel cannot be read
     */
    public static ChunkMemory load(ChunkMemoryConfig config, ReadableByteChannel channel) throws IOException {
        return MemoryLoader.load(config, channel);
    }
}
