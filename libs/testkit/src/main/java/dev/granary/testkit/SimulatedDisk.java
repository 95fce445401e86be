package dev.granary.testkit;

import dev.granary.env.Disk;
import dev.granary.env.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A disk that forgets what was not synced when the power goes, tears what it half wrote, runs full, syncs slowly, fails
 * to sync and to read, and flips bits. Outlives the processes that use it: each has a {@link Mount} of its own.
 */
public final class SimulatedDisk {

    private final RandomGenerator random;
    private final LongConsumer wait;
    private final TreeMap<String, SimulatedFile> files = new TreeMap<>();
    private @Nullable Mount current;
    private long capacityBytes = Long.MAX_VALUE;
    private int syncsUntilFailure;
    private @Nullable Runnable beforeSync;
    private int failedSyncs;
    private int forgettings;
    private int refusals;
    private long leastSyncNanos;
    private long mostSyncNanos;
    private int slowSyncs;
    private double failingReads;
    private int failedReads;
    private final TreeSet<String> flipped = new TreeSet<>();
    private int damagedReads;

    /** Makes an empty disk that takes its random decisions from here, and no time. */
    public SimulatedDisk(RandomGenerator random) {
        this(random, nanos -> {});
    }

    /**
     * Makes an empty disk.
     *
     * @param random the source of everything that chance decides
     * @param wait lets virtual time pass for a task that waits for the disk
     */
    SimulatedDisk(RandomGenerator random, LongConsumer wait) {
        this.random = random;
        this.wait = wait;
    }

    /**
     * From now on each sync of bytes that are not safe takes virtual time: at least {@code leastNanos} and less than
     * {@code mostNanos}.
     */
    public void setSyncTime(long leastNanos, long mostNanos) {
        if (leastNanos < 0 || mostNanos <= leastNanos) {
            throw new IllegalArgumentException("times of " + leastNanos + " to " + mostNanos + " ns are no range");
        }
        leastSyncNanos = leastNanos;
        mostSyncNanos = mostNanos;
    }

    /** From now on this part of all reads fails. */
    public void failReads(double probability) {
        failingReads = probability;
    }

    /** Limits the bytes of all files; a write that does not fit is refused, but a part of it may have been written. */
    public void setCapacity(long bytes) {
        capacityBytes = bytes;
    }

    /** Lets {@code syncs} syncs pass and the next one fail, and then every later sync of the same file. */
    public void failSyncAfter(int syncs) {
        syncsUntilFailure = syncs + 1;
    }

    /**
     * Runs the action once, in the middle of the next sync of a file that has something to sync, before any of its
     * bytes are safe. The machine may lose its power in the action.
     */
    public void beforeNextSync(Runnable action) {
        beforeSync = action;
    }

    /** Makes this a good disk from now on: forgets faults that were asked for and have not happened yet. */
    public void disarm() {
        beforeSync = null;
        syncsUntilFailure = 0;
        capacityBytes = Long.MAX_VALUE;
        leastSyncNanos = 0;
        mostSyncNanos = 0;
        failingReads = 0;
    }

    /** Whether syncs take time at present. */
    boolean isSlow() {
        return mostSyncNanos > 0;
    }

    /** How many syncs have taken time so far. */
    public int slowSyncs() {
        return slowSyncs;
    }

    /** How many reads have failed so far. */
    public int failedReads() {
        return failedReads;
    }

    /** How many syncs have failed so far. */
    public int failedSyncs() {
        return failedSyncs;
    }

    /** How often something was refused so far because the disk was full. */
    public int refusals() {
        return refusals;
    }

    /** The bytes of all files together. */
    public long usedBytes() {
        return files.values().stream().mapToLong(SimulatedFile::sizeBytes).sum();
    }

    private long roomBytes() {
        return capacityBytes == Long.MAX_VALUE ? Long.MAX_VALUE : capacityBytes - usedBytes();
    }

    /** How often bytes that were written and not synced were lost with the power so far, wholly or in part. */
    public int forgettings() {
        return forgettings;
    }

    /** Changes one bit of a file that is there. */
    public void flipBit(String name, int byteOffset, int bit) {
        file(name).flipBit(byteOffset, bit);
        flipped.add(name);
    }

    /** How many reads so far were of files with flipped bits. */
    public int damagedReads() {
        return damagedReads;
    }

    /** The names of all files. */
    public List<String> fileNames() {
        return List.copyOf(files.keySet());
    }

    /** The bytes of a file as a process would read them now. */
    public byte[] content(String name) {
        return file(name).read();
    }

    /** Makes this disk a copy of another one, as if that one had been put into this machine. */
    public void copyFrom(SimulatedDisk other) {
        files.clear();
        other.files.forEach((name, file) -> files.put(name, file.copy()));
        flipped.clear();
        flipped.addAll(other.flipped);
    }

    /** Empties the disk, as if another one were in its place. */
    public void replace() {
        files.clear();
        flipped.clear();
    }

    /** Loses or tears what was not synced, wholly or in part. */
    public void losePower() {
        unmount();
        if (files.values().stream().anyMatch(SimulatedFile::hasUnsynced)) {
            forgettings++;
        }
        files.entrySet().removeIf(entry -> !entry.getValue().survivesPowerLoss(random));
    }

    /** Gives the disk to a process; calls of the process that had it before fail from now on. */
    public Mount mount() {
        Mount mounted = new Mount();
        current = mounted;
        return mounted;
    }

    void unmount() {
        current = null;
    }

    private SimulatedFile file(String name) {
        SimulatedFile file = files.get(name);
        if (file == null) {
            throw new IllegalArgumentException("there is no file " + name);
        }
        return file;
    }

    private void takeTimeToSync() {
        if (isSlow()) {
            slowSyncs++;
            wait.accept(random.nextLong(leastSyncNanos, mostSyncNanos));
        }
    }

    private boolean nextSyncFails() {
        boolean fails = syncsUntilFailure > 0 && --syncsUntilFailure == 0;
        failedSyncs += fails ? 1 : 0;
        return fails;
    }

    /** The disk as one life of a process sees it; a call after its death fails. */
    public final class Mount implements Disk {

        private Mount() {}

        @Override
        public List<String> list() throws IOException {
            checkAlive();
            return fileNames();
        }

        @Override
        public boolean exists(String name) throws IOException {
            checkAlive();
            return files.containsKey(name);
        }

        @Override
        public byte[] read(String name) throws IOException {
            checkAlive();
            if (failingReads > 0 && random.nextDouble() < failingReads) {
                failedReads++;
                throw new IOException("the disk could not read " + name);
            }
            SimulatedFile file = files.get(name);
            if (file == null) {
                throw new NoSuchFileException(name);
            }
            damagedReads += flipped.contains(name) ? 1 : 0;
            return file.read();
        }

        @Override
        public long sizeBytes(String name) throws IOException {
            checkAlive();
            SimulatedFile file = files.get(name);
            if (file == null) {
                throw new NoSuchFileException(name);
            }
            return file.sizeBytes();
        }

        @Override
        public void writeAtomically(String name, byte[] content) throws IOException {
            checkAlive();
            if (content.length > roomBytes()) {
                throw noSpace();
            }
            takeTimeToSync();
            checkAlive();
            if (nextSyncFails()) {
                throw new IOException("the disk could not sync " + name);
            }
            SimulatedFile file = new SimulatedFile();
            file.append(ByteBuffer.wrap(content.clone()), content.length);
            file.sync();
            files.put(name, file);
            flipped.remove(name);
        }

        @Override
        public AppendFile openForAppend(String name) throws IOException {
            checkAlive();
            return new Handle(name, files.computeIfAbsent(name, key -> new SimulatedFile()));
        }

        @Override
        public void delete(String name) throws IOException {
            checkAlive();
            files.remove(name);
            flipped.remove(name);
        }

        private void checkAlive() throws IOException {
            if (current != this) {
                throw new IOException("the process that had this disk is dead");
            }
        }

        private DiskFullException noSpace() {
            refusals++;
            return new DiskFullException("no space left on device");
        }

        /** An open file. */
        private final class Handle implements AppendFile {

            private final String name;
            private final SimulatedFile file;
            private boolean open = true;

            Handle(String name, SimulatedFile file) {
                this.name = name;
                this.file = file;
            }

            @Override
            public long sizeBytes() throws IOException {
                checkOpen();
                return file.sizeBytes();
            }

            @Override
            public void append(ByteBuffer bytes) throws IOException {
                checkOpen();
                long roomBytes = roomBytes();
                if (bytes.remaining() > roomBytes) {
                    file.append(bytes, (int) random.nextLong(Math.max(1, roomBytes + 1)));
                    throw noSpace();
                }
                file.append(bytes, bytes.remaining());
            }

            @Override
            public void sync() throws IOException {
                checkOpen();
                long coveredBytes = file.sizeBytes();
                if (file.hasUnsynced()) {
                    takeTimeToSync();
                    checkOpen();
                }
                Runnable action = beforeSync;
                if (action != null && file.hasUnsynced()) {
                    beforeSync = null;
                    action.run();
                    checkOpen();
                }
                if (nextSyncFails()) {
                    file.breakSync();
                }
                if (file.isBroken()) {
                    throw new IOException("the disk could not sync " + name);
                }
                file.syncTo(coveredBytes);
            }

            @Override
            public void truncate(long sizeBytes) throws IOException {
                checkOpen();
                file.truncate((int) sizeBytes);
            }

            @Override
            public void close() {
                open = false;
            }

            private void checkOpen() throws IOException {
                checkAlive();
                if (!open) {
                    throw new IOException("the file " + name + " is closed");
                }
            }
        }
    }
}
