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
 * Brings what was appended from memory to the disk: much of a zone into its segments, little into the primary log, from
 * where it is sorted into segments when that log is long enough (ADR 0098, ADR 0099). Knows whether the disk is full,
 * and keeps a reserve for what must be written all the same.
 *
 * <p>Invariants: (1) a zone with bytes in no file is in the queue of dirty ones, or is being written; (2) {@code
 * unflushedBytes} is the sum of these bytes.
 *
 * <p>{@link #appended}, {@link #forget} and what only asks are for any thread; the rest is the disk's thread's.
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

    /** What was written since the last sync. */
    private final Set<ZoneLog> unsynced = new LinkedHashSet<>();

    private volatile long lastFlushNanos;

    /** When it was looked last whether a full disk has room again. */
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

    /** From here on it is the disk's thread's: the one that opens the log has had it until now. */
    boolean handOver() {
        return primary.handOver() && store.handOver();
    }

    boolean isFull() {
        return full;
    }

    /** Bytes that are in no file. */
    long unflushedBytes() {
        return unflushedBytes.get();
    }

    /** Whether so much waits for the disk that nothing more is taken. */
    boolean isOverfull() {
        return unflushedBytes.get() > options.bufferBytes();
    }

    /** Whether something is in memory only, or waits for room on the disk. */
    boolean isWaiting() {
        return full || !dirty.isEmpty();
    }

    /** Whether something has waited long enough, or the disk may have room again. */
    boolean isDue() {
        long now = clock.nanoTime();
        return full
                ? now - lastProbeNanos >= PROBE_NANOS
                : !dirty.isEmpty() && now - lastFlushNanos >= options.flushNanos();
    }

    /** A zone has something to write; returns whether there is so much by now that it should be written at once. */
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

    /** The zone table is durable: what it does not name any more goes. */
    void tableSynced() throws IOException {
        primary.deleteOld();
    }

    /** The disk has refused something: the reserve makes room for seals and headers. */
    void becomeFull() throws IOException {
        if (!full) {
            // What is asked of a full disk meanwhile must not put off the look at it.
            lastProbeNanos = clock.nanoTime();
            full = true;
            LogProbe.LOG_FULL.hit();
        }
        reserve.release();
    }

    /** When the reserve can be made again there is room for others, too. */
    void leaveFull() throws IOException {
        if (full) {
            lastProbeNanos = clock.nanoTime();
            reserve.make();
            full = false;
            LogProbe.LOG_HAS_ROOM_AGAIN.hit();
        }
    }

    /** There is room for a seal and a header of one zone more, whatever happens. */
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
