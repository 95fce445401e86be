package dev.granary.cli.backup;

import java.io.IOException;
import java.util.List;

/**
 * A place for cluster backups: files by name; names may contain slashes. A file exists completely or not at all.
 * Thread-safe.
 */
public interface BackupStore extends AutoCloseable {

    /** The place, for people: a path or an S3 URL. */
    String describe();

    /**
     * Writes a file, or replaces the file of this name. The file is durable when this returns.
     *
     * @param sizeBytes number of bytes to write, from the first one
     */
    void put(String name, byte[] bytes, int sizeBytes) throws IOException;

    /**
     * The content of a file.
     *
     * @throws java.nio.file.NoSuchFileException when the file does not exist
     */
    byte[] get(String name) throws IOException;

    /** The names of all files, in any order. */
    List<String> list() throws IOException;

    /** Deletes a file if it exists. */
    void delete(String name) throws IOException;

    @Override
    default void close() {}
}
