package dev.granary.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * One directory of files that belong to one node. Names are plain file names without a path separator. Blocking;
 * thread-safe for different files. A failed sync is fatal to that file: it is never retried (SAFETY rule "simulator
 * and disks"). A call that fails because there is no space left throws {@link DiskFullException}; part of it may have
 * been written.
 */
public interface Disk {

    /** The names of all files, sorted. */
    List<String> list() throws IOException;

    boolean exists(String name) throws IOException;

    /** Reads a whole file. */
    byte[] read(String name) throws IOException;

    /**
     * Reads a part of a file.
     *
     * @return as many bytes as were asked for, or fewer when the file ends before that
     */
    default byte[] read(String name, long offset, int length) throws IOException {
        byte[] whole = read(name);
        int from = (int) Math.min(offset, whole.length);
        return Arrays.copyOfRange(whole, from, (int) Math.min(whole.length, (long) from + length));
    }

    /**
     * Reads the beginning of a file into an array.
     *
     * @return how many bytes were read: the array is full, or the file ends before that
     */
    default int read(String name, byte[] into) throws IOException {
        byte[] start = read(name, 0, into.length);
        System.arraycopy(start, 0, into, 0, start.length);
        return start.length;
    }

    /** The size of a file in bytes. */
    default long sizeBytes(String name) throws IOException {
        return read(name).length;
    }

    /**
     * Where a file lies in the file system of the machine, for libraries that need a path; empty when it lies in none.
     */
    default Optional<Path> path(String name) {
        return Optional.empty();
    }

    /**
     * Replaces a file as a whole: after a crash it holds the old bytes or the new ones, never a mixture. When this
     * returns the new bytes survive a loss of power.
     */
    void writeAtomically(String name, byte[] content) throws IOException;

    /**
     * Opens a file for appending; it is created when missing. A file that was created so may be gone after a loss of
     * power until its first {@link AppendFile#sync}, and be empty or torn if it is not.
     */
    AppendFile openForAppend(String name) throws IOException;

    /** Deletes a file; does nothing when there is none. */
    void delete(String name) throws IOException;

    /** Deletes files, with one sync for all; ignores files that do not exist. */
    default void deleteAll(Collection<String> names) throws IOException {
        for (String name : names) {
            delete(name);
        }
    }

    /** A file that grows at its end. One writer at a time. */
    interface AppendFile extends AutoCloseable {

        /** The size in bytes, appended and not yet synced bytes included. */
        long sizeBytes() throws IOException;

        /** Appends all remaining bytes of the buffer. They survive a crash only after {@link #sync}. */
        void append(ByteBuffer bytes) throws IOException;

        /** Makes the file and everything appended so far survive a loss of power. */
        void sync() throws IOException;

        /** Cuts the file to its first bytes, durably. Used to drop a torn tail. */
        void truncate(long sizeBytes) throws IOException;

        @Override
        void close() throws IOException;
    }
}
