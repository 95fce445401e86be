package dev.granary.cli.backup;

import java.io.IOException;
import java.util.List;

/**
 * Where backups lie: files by name, names with slashes in them. A file is there whole or not at all. Thread-safe.
 */
public interface BackupStore extends AutoCloseable {

    /** What people call it. */
    String describe();

    /**
     * Writes a file; one with this name is replaced. It is safe when this returns.
     *
     * @param sizeBytes how many of the bytes, from the first one on
     */
    void put(String name, byte[] bytes, int sizeBytes) throws IOException;

    /**
     * The content of a file.
     *
     * @throws java.nio.file.NoSuchFileException when there is none
     */
    byte[] get(String name) throws IOException;

    /** The names of all files, in any order. */
    List<String> list() throws IOException;

    /** Deletes a file; one that is not there is fine. */
    void delete(String name) throws IOException;

    @Override
    default void close() {}
}
