package dev.granary.env;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A directory of the machine's file system. New, renamed and deleted names are made durable by syncing the directory,
 * contents by syncing the file. While it is open the directory is locked, so that two processes never write the same
 * logs.
 *
 * <p>Two names are its own and are not listed: the file {@code .lock}, and files that end in {@code .tmp}, which are
 * unfinished atomic writes; those that a crash left behind are deleted when the disk is opened. Needs a POSIX file
 * system (atomic rename, sync of directories).
 */
public final class FileDisk implements Disk, AutoCloseable {

    private static final String LOCK_NAME = ".lock";
    private static final String UNFINISHED_SUFFIX = ".tmp";

    private final Path directory;
    private final FileChannel lockChannel;

    /** Files whose names the directory on the disk may not have yet. */
    private final Set<String> unsyncedNames = ConcurrentHashMap.newKeySet();

    private FileDisk(Path directory, FileChannel lockChannel) {
        this.directory = directory;
        this.lockChannel = lockChannel;
    }

    /**
     * Opens a directory; it is created, with its parents, when missing.
     *
     * @throws IOException when it cannot be created or locked; the message names the directory
     */
    public static FileDisk open(Path directory) throws IOException {
        Files.createDirectories(directory);
        FileChannel lockChannel =
                FileChannel.open(directory.resolve(LOCK_NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (!lock(lockChannel)) {
                throw new IOException("data directory " + directory + " is in use by another process");
            }
            FileDisk disk = new FileDisk(directory, lockChannel);
            disk.deleteUnfinished();
            // Names that a process created and had no time to sync look like any others from here on.
            disk.syncDirectory();
            return disk;
        } catch (IOException | RuntimeException e) {
            lockChannel.close();
            throw e;
        }
    }

    private static boolean lock(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public List<String> list() throws IOException {
        List<String> names = new ArrayList<>();
        for (String name : allNames()) {
            if (!name.equals(LOCK_NAME) && !name.endsWith(UNFINISHED_SUFFIX)) {
                names.add(name);
            }
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public boolean exists(String name) {
        return Files.exists(fileOf(name));
    }

    @Override
    public byte[] read(String name) throws IOException {
        return Files.readAllBytes(fileOf(name));
    }

    @Override
    public byte[] read(String name, long offset, int length) throws IOException {
        try (FileChannel channel = FileChannel.open(fileOf(name), StandardOpenOption.READ)) {
            long there = Math.clamp(channel.size() - offset, 0, length);
            ByteBuffer bytes = ByteBuffer.allocate((int) there);
            while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) >= 0) {
                // A read may return less than was asked for.
            }
            return bytes.hasRemaining() ? Arrays.copyOf(bytes.array(), bytes.position()) : bytes.array();
        }
    }

    @Override
    public int read(String name, byte[] into) throws IOException {
        try (InputStream file = Files.newInputStream(fileOf(name))) {
            return file.readNBytes(into, 0, into.length);
        }
    }

    @Override
    public long sizeBytes(String name) throws IOException {
        return Files.size(fileOf(name));
    }

    @Override
    public Optional<Path> path(String name) {
        return Optional.of(fileOf(name));
    }

    @Override
    public void writeAtomically(String name, byte[] content) throws IOException {
        Path target = fileOf(name);
        Path unfinished = directory.resolve(name + UNFINISHED_SUFFIX);
        try (FileChannel channel = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            writeFully(channel, ByteBuffer.wrap(content), 0);
            channel.force(true);
        }
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        syncDirectory();
    }

    @Override
    public AppendFile openForAppend(String name) throws IOException {
        Path path = fileOf(name);
        if (!Files.exists(path)) {
            unsyncedNames.add(name);
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            return new ChannelAppendFile(name, path, channel, channel.size());
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void delete(String name) throws IOException {
        deleteAll(List.of(name));
    }

    @Override
    public void deleteAll(Collection<String> names) throws IOException {
        boolean deleted = false;
        for (String name : names) {
            deleted |= Files.deleteIfExists(fileOf(name));
        }
        if (deleted) {
            syncDirectory();
        }
    }

    /** Gives the lock of the directory back. Files that are still open stay usable; close them first. */
    @Override
    public void close() throws IOException {
        lockChannel.close();
    }

    private Path fileOf(String name) {
        boolean reserved = name.equals(LOCK_NAME) || name.endsWith(UNFINISHED_SUFFIX);
        boolean plain = !name.isEmpty() && !name.equals(".") && !name.equals("..") && name.indexOf('/') < 0;
        if (reserved || !plain) {
            throw new IllegalArgumentException("'" + name + "' cannot be the name of a file of the disk");
        }
        return directory.resolve(name);
    }

    private List<String> allNames() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (Files.isRegularFile(entry)) {
                    names.add(String.valueOf(entry.getFileName()));
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    private void deleteUnfinished() throws IOException {
        for (String name : allNames()) {
            if (name.endsWith(UNFINISHED_SUFFIX)) {
                Files.delete(directory.resolve(name));
            }
        }
    }

    private void syncDirectory() throws IOException {
        List<String> synced = List.copyOf(unsyncedNames);
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
        synced.forEach(unsyncedNames::remove);
    }

    private static void writeFully(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        try {
            while (bytes.hasRemaining()) {
                at += channel.write(bytes, at);
            }
        } catch (IOException e) {
            throw isFull(e) ? new DiskFullException(String.valueOf(e.getMessage()), e) : e;
        }
    }

    /** Java has no type for it: the message is the one of the operating system. */
    private static boolean isFull(IOException failure) {
        String message = failure.getMessage();
        return message != null && (message.contains("No space left") || message.contains("quota exceeded"));
    }

    /** One open file. The size is kept here, so that a failed append does not move the end. */
    private final class ChannelAppendFile implements AppendFile {

        private final String name;
        private final Path path;
        private final FileChannel channel;
        private long sizeBytes;
        private boolean syncFailed;

        ChannelAppendFile(String name, Path path, FileChannel channel, long sizeBytes) {
            this.name = name;
            this.path = path;
            this.channel = channel;
            this.sizeBytes = sizeBytes;
        }

        @Override
        public long sizeBytes() {
            return sizeBytes;
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            requireUsable();
            int count = bytes.remaining();
            writeFully(channel, bytes, sizeBytes);
            sizeBytes += count;
        }

        @Override
        public void sync() throws IOException {
            requireUsable();
            force(false);
            if (unsyncedNames.contains(name)) {
                syncDirectory();
            }
        }

        @Override
        public void truncate(long newSizeBytes) throws IOException {
            requireUsable();
            if (newSizeBytes < 0 || newSizeBytes > sizeBytes) {
                throw new IllegalArgumentException(
                        path + " has " + sizeBytes + " bytes and cannot be cut to " + newSizeBytes);
            }
            channel.truncate(newSizeBytes);
            sizeBytes = newSizeBytes;
            force(true);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }

        private void force(boolean metadata) throws IOException {
            try {
                channel.force(metadata);
            } catch (IOException e) {
                // The kernel may have dropped the dirty pages: a second sync would succeed and mean nothing.
                syncFailed = true;
                throw e;
            }
        }

        private void requireUsable() throws IOException {
            if (syncFailed) {
                throw new IOException("an earlier sync of " + path + " failed: the file must not be used any more");
            }
        }
    }
}
