package dev.granary.e2e.processes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A disk to which the kernel writes only a limited number of bytes, or a limited number of times, a second, as to a
 * small volume of a cloud. Needs root, loop devices and control groups version 1. {@link #close} leaves nothing behind.
 */
final class ThrottledDisk implements AutoCloseable {

    private static final Path LIMITS = Path.of("/sys/fs/cgroup/blkio");
    private static final Path BYTES = LIMITS.resolve("blkio.throttle.write_bps_device");
    private static final Path WRITES = LIMITS.resolve("blkio.throttle.write_iops_device");
    private static final int MEBIBYTE = 1 << 20;
    private static final long NO_LIMIT = 0;

    private final LoopDisk disk;

    private ThrottledDisk(LoopDisk disk) {
        this.disk = disk;
    }

    /** Returns why this machine cannot have such a disk; empty if it can. */
    static Optional<String> obstacle() {
        return Files.isWritable(BYTES) && Files.isWritable(WRITES)
                ? LoopDisk.obstacle()
                : Optional.of("a throttled disk needs root and the first version of control groups (blkio), but "
                        + BYTES + " cannot be written");
    }

    /**
     * Makes a disk that is not slow yet.
     *
     * @param mebibytes its size; the file grows with what is written
     */
    static ThrottledDisk make(long mebibytes) throws IOException, InterruptedException {
        obstacle().ifPresent(obstacle -> {
            throw new AssertionError("the fault cannot be made here: " + obstacle);
        });
        return new ThrottledDisk(LoopDisk.make(mebibytes));
    }

    /**
     * Makes a slow disk.
     *
     * @param mebibytes its size; the file grows with what is written
     * @param mebibytesPerSecond the most that is written to it in a second
     */
    static ThrottledDisk make(long mebibytes, long mebibytesPerSecond) throws IOException, InterruptedException {
        ThrottledDisk disk = make(mebibytes);
        try {
            // The kernel counts writes through a loop device more than once, so this measures the speed and corrects
            // the limit.
            disk.limit(BYTES, mebibytesPerSecond * MEBIBYTE);
            double measured = disk.measure(mebibytesPerSecond);
            disk.limit(BYTES, (long) (mebibytesPerSecond * MEBIBYTE * (mebibytesPerSecond / measured)));
            System.out.printf("the disk takes %.1f MiB a second%n", disk.measure(mebibytesPerSecond));
            return disk;
        } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
            disk.close();
            throw e;
        }
    }

    /** Returns the directory for files on the disk. */
    Path directory() {
        return disk.directory();
    }

    /** From now on lets the kernel write {@code perSecond} times a second: with 2, each sync takes a second or more. */
    void limitWrites(int perSecond) throws IOException, InterruptedException {
        limit(WRITES, perSecond);
    }

    /** From now on the disk is as fast as the one below it. */
    void unlimit() throws IOException, InterruptedException {
        limit(WRITES, NO_LIMIT);
        limit(BYTES, NO_LIMIT);
    }

    private void limit(Path limits, long perSecond) throws IOException, InterruptedException {
        Files.writeString(limits, disk.deviceNumbers() + " " + perSecond);
    }

    /** Writes a small file, syncs it, and returns how many milliseconds that took. */
    long syncMillis() throws IOException {
        return write(1, 1) / 1_000_000;
    }

    /** Writes as much as should take two seconds, and returns how many mebibytes a second were written. */
    private double measure(long mebibytesPerSecond) throws IOException {
        return 2 * mebibytesPerSecond / (write(2 * mebibytesPerSecond, MEBIBYTE) / 1e9);
    }

    private long write(long count, int bytes) throws IOException {
        Path file = disk.directory().resolve("measured");
        long before = System.nanoTime();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long i = 0; i < count; i++) {
                channel.write(ByteBuffer.allocate(bytes));
            }
            channel.force(true);
        }
        long nanos = System.nanoTime() - before;
        Files.delete(file);
        return nanos;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        try {
            unlimit();
        } finally {
            disk.close();
        }
    }
}
