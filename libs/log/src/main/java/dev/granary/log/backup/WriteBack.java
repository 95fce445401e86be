package dev.granary.log.backup;

import dev.granary.env.Clock;
import dev.granary.env.Disk;
import dev.granary.env.DiskFullException;
import dev.granary.log.probe.LogProbe;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes appended batches from memory to the disk: large amounts of a zone into its segments, small amounts into the
 * primary log. When the primary log is long enough its batches are sorted into segments (ADR 0098, ADR 0099). This
 * class knows whether the disk is full, and keeps a reserve for what must be written all the same.
 *
 * <p>Invariants: (1) a zone with bytes in no file is in the queue of dirty ones, or is being written; (2) {@code
 * unflushedBytes} is the sum of these bytes.
 *
 * <p>Any thread may call {@link #appended}, {@link #forget} and the methods that only return state; the disk's thread
 * calls the others.
 */
final class WriteBack {

    private static final long PROBE_NANOS = 100_000_000;

    private final BackupLogOptions options;
    private final Clock clock;
    private final Collection<ZoneLog> zones;
    private final SegmentStore store;
    private final PrimaryLog primary;
    private final Reserve reserve;
    private final ConcurrentLinkedQueue<ZoneLog> dirty = new ConcurrentLinkedQueue<>();
    private final AtomicLong unflushedBytes = new AtomicLong();

    /** The zones that were written since the last sync. */
    private final Set<ZoneLog> unsynced = new LinkedHashSet<>();

    private volatile long lastFlushNanos;

    /** When this class last tried whether a full disk has room again. */
    private volatile long lastProbeNanos;

    private volatile boolean full;

    /**
     * @param zones all that there are, as they come and go
     */
    WriteBack(
            Disk disk,
            BackupLogOptions options,
            Clock clock,
            ZoneTable table,
            SegmentStore store,
            Collection<ZoneLog> zones)
            throws IOException {
        this.options = options;
        this.clock = clock;
        this.zones = zones;
        this.store = store;
        primary = new PrimaryLog(disk, table);
        reserve = new Reserve(disk, options.segmentBytes());
        lastFlushNanos = clock.nanoTime();
    }

    /** Sorts the contents of the primary log into the log segments, so that a new primary log can begin. */
    void begin() throws IOException {
        for (ZoneLog zone : zones) {
            if (zone.pendingBytes() > 0 && zone.markDirty()) {
                unflushedBytes.addAndGet(zone.unflushedBytes());
                dirty.add(zone);
            }
        }
        if (!zones.isEmpty()) {
            reserve.make();
        }
        if (!dirty.isEmpty() || primary.sizeBytes() > LogFileHeader.LENGTH) {
            sortPrimary();
        }
        store.sync();
    }

    /** Hands this over to the disk's thread; until now the thread that opens the log has used it. */
    boolean handOver() {
        return primary.handOver() && store.handOver();
    }

    boolean isFull() {
        return full;
    }

    /** Returns how many bytes are in no file. */
    long unflushedBytes() {
        return unflushedBytes.get();
    }

    /** Returns whether too many bytes wait for the disk, so that appends are refused. */
    boolean isOverfull() {
        return unflushedBytes.get() > options.bufferBytes();
    }

    /** Returns whether batches are in memory only, or wait for room on the disk. */
    boolean isWaiting() {
        return full || !dirty.isEmpty();
    }

    /** Returns whether batches have waited long enough, or the disk may have room again. */
    boolean isDue() {
        long now = clock.nanoTime();
        return full
                ? now - lastProbeNanos >= PROBE_NANOS
                : !dirty.isEmpty() && now - lastFlushNanos >= options.flushNanos();
    }

    /** Counts an append of a zone. Returns whether so many bytes wait that they should be written at once. */
    boolean appended(ZoneLog zone, int bytes) {
        markDirty(zone);
        return unflushedBytes.addAndGet(bytes) >= options.flushBytes();
    }

    void markDirty(ZoneLog zone) {
        if (zone.markDirty()) {
            dirty.add(zone);
        }
    }

    /** Subtracts bytes that no file needs to get any more, because their entries do not count. */
    void forget(int bytes) {
        unflushedBytes.addAndGet(-bytes);
    }

    long primaryWrittenBytes() {
        return primary.writtenBytes();
    }

    /** Writes everything that is in memory only. */
    void flush() throws IOException {
        lastFlushNanos = clock.nanoTime();
        List<ZoneLog> taken = new ArrayList<>();
        for (ZoneLog zone = dirty.poll(); zone != null; zone = dirty.poll()) {
            zone.clearDirty();
            taken.add(zone);
        }
        try {
            List<ZoneLog.Unflushed> small = new ArrayList<>();
            for (ZoneLog zone : taken) {
                if (zone.isDropped()) {
                    continue;
                }
                unsynced.add(zone);
                if (zone.pendingBytes() >= options.directBytes()
                        || !zone.state().filled()) {
                    // The base of a copy has one sequence: the primary log could not tell what is sorted already.
                    store.write(zone, this::forget);
                } else {
                    ZoneLog.Unflushed unflushed = zone.unflushed();
                    primary.add(zone, unflushed);
                    small.add(unflushed);
                }
            }
            primary.write();
            for (ZoneLog.Unflushed written : small) {
                written.zone().markFlushed(written);
                unflushedBytes.addAndGet(written.from() - written.bytes().limit());
            }
            if (primary.sizeBytes() >= options.primaryBytes()) {
                sortPrimary();
            }
        } catch (IOException | RuntimeException e) {
            primary.discard();
            taken.forEach(this::markDirty);
            throw e;
        }
    }

    /** Sorts everything that is in the primary log into the segments of its zones, and empties it. */
    private void sortPrimary() throws IOException {
        for (ZoneLog zone : zones) {
            if (zone.pendingBytes() > 0) {
                unsynced.add(zone);
                store.write(zone, this::forget);
            }
        }
        store.sync();
        primary.restart();
        LogProbe.PRIMARY_SORTED.hit();
    }

    /** Makes durable what was written. */
    void sync() throws IOException {
        store.sync();
        primary.sync();
        unsynced.forEach(ZoneLog::durable);
        unsynced.clear();
    }

    /** Deletes files that the zone table does not name any more. Called once the table is durable. */
    void tableSynced() throws IOException {
        primary.deleteOld();
    }

    /** Notes that the disk is full, and deletes the reserve to make room for seals and headers. */
    void becomeFull() throws IOException {
        if (!full) {
            // Further requests to a full disk must not put off the next look for room.
            lastProbeNanos = clock.nanoTime();
            full = true;
            LogProbe.LOG_FULL.hit();
        }
        reserve.release();
    }

    /** Makes the reserve again. If that succeeds the disk has room for others, too, and is no longer full. */
    void leaveFull() throws IOException {
        if (full) {
            lastProbeNanos = clock.nanoTime();
            reserve.make();
            full = false;
            LogProbe.LOG_HAS_ROOM_AGAIN.hit();
        }
    }

    /** Makes the reserve, so that there is room for a seal and a header of one more zone in any case. */
    void makeReserve() throws IOException {
        reserve.make();
    }

    void requireNothingUnflushed() throws DiskFullException {
        if (unflushedBytes.get() > 0) {
            throw new DiskFullException("the disk of the backup logs is full");
        }
    }

    void close() throws IOException {
        primary.close();
    }
}
