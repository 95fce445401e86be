package dev.granary.storage.park;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Disk;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a planned stop in the data directory: {@code memory.dump}, the chunk memory, and {@code parked}, which
 * says that it is whole and what belongs to it. Blocking.
 *
 * <p>Invariants: (1) {@code parked} is there only together with its dump:
 * it is written behind it and deleted before it;
 * (2) once {@link #discard} has returned the dump can never be taken again.
 */
public final class ParkFiles {

    private static final Logger LOG = LoggerFactory.getLogger(ParkFiles.class);

    private static final String MANIFEST = "parked";
    private static final String DUMP = "memory.dump";
    private static final int PIECE_BYTES = 1 << 20;

    /**
     * How many bytes of a dump wait for the disk at most, because syncs of others on the same disk wait behind them. A
     * dump with many syncs takes no longer than one with a single sync.
     */
    private static final long UNSYNCED_BYTES = 64 << 20;

    private final Disk disk;
    private volatile long dumpBytes;
    private volatile boolean stopped;

    @GuardedBy("this")
    private boolean written;

    public ParkFiles(Disk disk) {
        this.disk = disk;
    }

    /**
     * What was parked here, if anything was. A damaged record counts as none, and is said:
     * the peer then comes back empty, as after a crash.
     */
    public Optional<ParkManifest> read() throws IOException {
        if (!disk.exists(MANIFEST) || !disk.exists(DUMP)) {
            return Optional.empty();
        }
        byte[] bytes = disk.read(MANIFEST);
        try {
            return Optional.of(ParkManifest.decode(bytes));
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("file", MANIFEST).log("the parked memory cannot be used: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Writes the memory. Nothing may change in it meanwhile.
     *
     * @throws IOException also when it was stopped
     */
    public void writeDump(ChunkMemory memory) throws IOException {
        beginDump();
        try (Disk.AppendFile out = disk.openForAppend(DUMP)) {
            memory.dump(new Appending(out));
            out.sync();
        }
    }

    private synchronized void beginDump() throws IOException {
        written = true;
        dumpBytes = 0;
        discard();
    }

    /** A dump that is being written ends soon, in vain, and so does any later one. */
    public void stop() {
        stopped = true;
    }

    /** Makes the dump count. */
    public void write(ParkManifest manifest) throws IOException {
        disk.writeAtomically(MANIFEST, manifest.encode());
    }

    /** How much of the dump was written so far, for people. Never waits. */
    public long dumpBytes() {
        return dumpBytes;
    }

    /**
     * Opens a chunk memory with the dump.
     *
     * @throws IOException also when the dump is damaged
     */
    public ChunkMemory load(ChunkMemoryConfig config) throws IOException {
        Optional<Path> file = disk.path(DUMP);
        return file.isPresent()
                ? ChunkMemories.load(config, file.get())
                : ChunkMemories.load(config, new Reading(disk, disk.sizeBytes(DUMP)));
    }

    /** Does away with whatever is parked here, durably. */
    public void discard() throws IOException {
        if (disk.exists(MANIFEST)) {
            disk.delete(MANIFEST);
        }
        if (disk.exists(DUMP)) {
            disk.delete(DUMP);
        }
    }

    /** Does away with what was found here when the process started, unless it is writing a dump of its own by now. */
    public synchronized void discardFound() throws IOException {
        if (!written) {
            discard();
        }
    }

    /** A file of the disk as the dump wants it. */
    private final class Appending implements WritableByteChannel {

        private final Disk.AppendFile file;
        private long unsyncedBytes;

        Appending(Disk.AppendFile file) {
            this.file = file;
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            if (stopped) {
                throw new IOException("the process is stopping");
            }
            int count = from.remaining();
            file.append(from);
            unsyncedBytes += count;
            if (unsyncedBytes >= UNSYNCED_BYTES) {
                file.sync();
                unsyncedBytes = 0;
            }
            dumpBytes = file.sizeBytes();
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    /** Reads a file of the disk from its beginning, piece by piece. */
    private static final class Reading implements ReadableByteChannel {

        private final Disk disk;
        private final long sizeBytes;
        private ByteBuffer piece = ByteBuffer.allocate(0);
        private long position;

        Reading(Disk disk, long sizeBytes) {
            this.disk = disk;
            this.sizeBytes = sizeBytes;
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            if (!piece.hasRemaining()) {
                if (position == sizeBytes) {
                    return -1;
                }
                piece = ByteBuffer.wrap(disk.read(DUMP, position, (int) Math.min(PIECE_BYTES, sizeBytes - position)));
                position += piece.remaining();
            }
            int count = Math.min(piece.remaining(), to.remaining());
            to.put(to.position(), piece, piece.position(), count);
            to.position(to.position() + count);
            piece.position(piece.position() + count);
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
