package dev.granary.memory.paged;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.dump.MemoryDumper;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Dumps in files. A file with the name of a dump is complete and synced. */
final class DumpFiles {

    private DumpFiles() {}

    /** Writes a dump under a temporary name in the same folder, syncs it, and renames it. */
    static void write(Path file, MemoryDumper dumper) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".part");
        FileChannel channel = FileChannel.open(temporary, CREATE, TRUNCATE_EXISTING, WRITE);
        boolean done = false;
        try {
            try (channel) {
                dumper.dump(channel);
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            done = true;
        } finally {
            if (!done) {
                Files.deleteIfExists(temporary);
            }
        }
        syncFolder(file);
    }

    /** Loads a file, which must have no bytes behind the dump. */
    static PagedChunkMemory read(ChunkMemoryConfig config, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, READ)) {
            PagedChunkMemory memory = MemoryLoader.load(config, channel);
            boolean done = false;
            try {
                if (channel.position() != channel.size()) {
                    throw new InvalidDumpException(
                            "the dump ends at " + channel.position() + " B, the file at " + channel.size() + " B");
                }
                done = true;
                return memory;
            } finally {
                if (!done) {
                    memory.close();
                }
            }
        }
    }

    /** Syncs the folder, so that the new name is durable. */
    private static void syncFolder(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            try (FileChannel channel = FileChannel.open(folder, READ)) {
                channel.force(true);
            }
        }
    }
}
