package dev.granary.log.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Clock;
import dev.granary.env.Disk;
import dev.granary.env.DiskFullException;
import dev.granary.log.LogFailedException;
import dev.granary.log.batch.BatchFormat;
import dev.granary.log.batch.EntryVisitor;
import dev.granary.log.batch.RecordView;
import dev.granary.log.probe.LogProbe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The backup logs of a storage peer on one disk: one for each zone that others own and this peer backs up. Source: the
 * design of DXRAM's logging with a write buffer, a primary log for all zones and a secondary log for each; ADR 0098 to
 * 0102.
 *
 * <p>Appends only copy into memory, from any thread. The executor does all work with the disk, one task after the
 * other, and completes the futures; only {@link #replay} reads the disk on the caller's thread. A failed sync is never
 * tried again: from then on the log refuses everything. What it has can still be replayed.
 */
public final class BackupLog implements AutoCloseable {

    /** How many large arrays of batches, and of segments that the cleaner reads, are kept for the next ones. */
    private static final int SPARE_ARRAYS = 4;

    private static final int SPARE_ARRAYS_OF_CLEANER = 2;

    private final Disk disk;
    private final Clock clock;
    private final Executor executor;
    private final ReentrantLock diskWork = new ReentrantLock();
    private final ZoneTable table;
    private final SegmentStore store;
    private final SpareArrays spares;
    private final Cleaner cleaner;
    private final WriteBack writeBack;
    private final ConcurrentHashMap<Integer, ZoneLog> zones = new ConcurrentHashMap<>();

    /**
     * New zones that are in the table, and not yet durable. A batch must not be taken before: it would be acknowledged,
     * and forgotten with the zone. An owner with many zones opens all of them at once, and they share a sync. Touched
     * by work that has the disk.
     */
    private final Map<Integer, ZoneLog> made = new HashMap<>();

    @GuardedBy("operations")
    private final Queue<Operation> operations = new ArrayDeque<>();

    private final AtomicBoolean flushAsked = new AtomicBoolean();
    private final AtomicBoolean cleanAsked = new AtomicBoolean();
    private final AtomicLong appendedBatches = new AtomicLong();
    private final AtomicLong appendedBytes = new AtomicLong();
    private final AtomicLong syncs = new AtomicLong();
    private final AtomicLong syncNanos = new AtomicLong();
    private volatile boolean cleaningNeeded = true;
    private volatile @Nullable IOException failure;

    /** A durable change, or a plain sync, and the future that waits for it. */
    private static final class Operation {
        private final Change change;
        private final CompletableFuture<ZoneResult> done = new CompletableFuture<>();

        Operation(Change change) {
            this.change = change;
        }
    }

    /** Changes memory and the zone table. The caller gets the result when everything is durable. */
    private interface Change {
        Supplier<ZoneResult> apply() throws IOException;
    }

    /** Work that has the disk to itself. */
    private interface DiskWork {
        void run() throws IOException;
    }

    private BackupLog(
            Disk disk,
            BackupLogOptions options,
            Clock clock,
            Executor executor,
            ZoneTable table,
            SegmentStore store,
            SpareArrays spares)
            throws IOException {
        this.disk = disk;
        this.clock = clock;
        this.executor = executor;
        this.table = table;
        this.store = store;
        this.spares = spares;
        cleaner = new Cleaner(disk, options, table, store, new SpareArrays(SPARE_ARRAYS_OF_CLEANER));
        writeBack = new WriteBack(disk, options, clock, table, store, zones.values());
    }

    /**
     * Opens the logs of a directory, which must contain nothing else; a new directory has no logs. Reads the ends of
     * the logs, which crashes may have left unfinished, but not all of the logs.
     *
     * @param executor runs the disk's work; one thread is enough
     * @throws IOException when the disk fails or the zone table is damaged
     */
    public static BackupLog open(Disk disk, BackupLogOptions options, Clock clock, Executor executor)
            throws IOException {
        ZoneTable table = ZoneTable.open(disk);
        try {
            SegmentStore store = new SegmentStore(disk, options, table);
            SpareArrays spares = new SpareArrays(SPARE_ARRAYS);
            List<ZoneLog> found = new LogOpening(disk, table, store, spares).openAll();
            BackupLog log = new BackupLog(disk, options, clock, executor, table, store, spares);
            found.forEach(zone -> log.zones.put(zone.state().zone(), zone));
            try {
                log.writeBack.begin();
            } catch (DiskFullException e) {
                log.becomeFull();
            }
            assert log.writeBack.handOver();
            return log;
        } catch (IOException | RuntimeException e) {
            table.close();
            throw e;
        }
    }

    /** Returns the state of every zone's log, in the order of the zone ids. */
    public List<ZoneSummary> zones() {
        List<ZoneSummary> summaries = new ArrayList<>();
        zones.values().forEach(zone -> summaries.add(zone.summary()));
        summaries.sort((a, b) -> Integer.compareUnsigned(a.zone(), b.zone()));
        return summaries;
    }

    /** Returns how many zones have a log. */
    public int zoneCount() {
        return zones.size();
    }

    /** Returns how many bytes the zone logs have on the disk, without the primary log. */
    public long segmentBytes() {
        long bytes = 0;
        for (ZoneLog zone : zones.values()) {
            bytes += zone.segmentBytes();
        }
        return bytes;
    }

    /** Returns the state of a zone's log; null when the zone has none. */
    public @Nullable ZoneSummary zone(int zone) {
        ZoneLog log = zones.get(zone);
        return log == null ? null : log.summary();
    }

    /**
     * Makes the log of a zone, or gives an existing log a new header with another epoch or other members. With {@code
     * filling} the existing log is dropped and a new generation begins at the base; a header equal to the present one
     * changes nothing, so a caller may send it twice. Without {@code filling} a log that does not exist is made only if
     * its base is 0, because a copy that begins later is not filled. Durable when the future is completed.
     *
     * @return {@link ZoneResult.Status#FENCED} for an epoch below the one that was promised, {@link
     *     ZoneResult.Status#UNKNOWN_ZONE} for a zone that is not here and cannot be made
     */
    public CompletableFuture<ZoneResult> openZone(ZoneHeader header) {
        return submit(() -> {
            ZoneLog present = toChange(header.zone());
            if (present == null) {
                return header.filling() || header.baseSequence() == 0 ? makeZone(header, 0) : ZoneResult::unknown;
            }
            ZoneState state = present.state();
            if (!state.header().clusterId().equals(header.clusterId())) {
                return () -> present.result(ZoneResult.Status.OTHER_CLUSTER);
            }
            if (header.epoch() < state.fence()) {
                return () -> present.result(ZoneResult.Status.FENCED);
            }
            if (state.header().equals(header)) {
                return () -> present.result(ZoneResult.Status.DONE);
            }
            if (header.filling()) {
                LogProbe.ZONE_BEGUN_ANEW.hit();
                // What is there goes only once its successor is durable: the disk may be full.
                Supplier<ZoneResult> again = makeZone(header, state.sealedEpoch());
                table.sync();
                showMade();
                writeBack.forget(present.drop());
                store.delete(present.segments());
                return again;
            }
            ZoneHeader next = new ZoneHeader(
                    header.clusterId(),
                    header.zone(),
                    header.owner(),
                    header.epoch(),
                    header.members(),
                    state.header().baseSequence(),
                    state.header().filling());
            if (state.isSealed() && state.filled() && present.lastSequence() == header.baseSequence()) {
                // A recovery has decided that the zone is what it had up to here: that is all that counts (ADR 0200).
                LogProbe.DECIDED_COPY_IS_CONTINUOUS.hitIf(!present.isContinuous());
                present.setContinuous();
            }
            return change(present, state.withHeader(next));
        });
    }

    /**
     * Takes a batch into the write buffer, if it is the next one of its zone. Never waits for the disk; may be called
     * by any thread. The bytes are copied, the buffer's position stays.
     */
    public AppendResult append(ByteBuffer batch) {
        return append(batch, false);
    }

    /**
     * Takes a batch of the base while the copy is being filled. The batch must have the sequence of the base. Batches
     * of the base may come in any order, several times, and between live batches.
     */
    public AppendResult appendBase(ByteBuffer batch) {
        return append(batch, true);
    }

    /**
     * Makes everything that was appended so far durable. One sync serves all callers that wait at the same time.
     *
     * @return a future that fails with {@link LogFailedException} when the disk failed; what survives is then unknown
     */
    public CompletableFuture<Void> sync() {
        return submit(() -> ZoneResult::unknown).thenAccept(result -> {});
    }

    /**
     * Says that the process before this one had synced everything before it stopped. The copies on the disk then count
     * as continuous, as if this process had received them (ADR 0120).
     */
    public void trustWhatWasFound() {
        zones.values().forEach(ZoneLog::setContinuous);
    }

    /**
     * Notes the sequence up to which all members of a zone hold everything, as the owner says in its epoch. The cleaner
     * drops an entry only if the newer entry that makes it dead is not above this sequence, because a cut may take what
     * is above (ADR 0201). Called by any thread.
     */
    public void acknowledged(int zone, long epoch, long sequence) {
        ZoneLog log = zones.get(zone);
        if (log != null && log.acknowledge(epoch, sequence)) {
            cleaningNeeded = true;
        }
    }

    /**
     * Refuses all epochs below one from now on, also after a restart, and makes what was appended durable.
     *
     * @return the last sequence that the zone's log has; its epoch is the one asked for, or a higher one that was
     *     promised before, which then is {@link ZoneResult.Status#FENCED}
     */
    public CompletableFuture<ZoneResult> seal(int zone, long epoch) {
        return submit(() -> {
            ZoneLog log = toChange(zone);
            if (log == null) {
                return ZoneResult::unknown;
            }
            if (epoch < log.state().fence()) {
                return () -> log.result(ZoneResult.Status.FENCED);
            }
            return change(log, log.state().withSeal(epoch));
        });
    }

    /**
     * Drops the batches of a zone above a sequence, which were never acknowledged.
     * Durable when the future is completed.
     */
    public CompletableFuture<ZoneResult> truncateAfter(int zone, long sequence) {
        return submit(() -> {
            ZoneLog log = toChange(zone);
            if (log == null) {
                return ZoneResult::unknown;
            }
            if (sequence < log.lastSequence()) {
                ZoneState cut = log.state().withCut(sequence);
                table.put(cut);
                writeBack.forget(-log.cut(cut, sequence));
                writeBack.markDirty(log);
            }
            return () -> log.result(ZoneResult.Status.DONE);
        });
    }

    /**
     * Says that everything of the zone's base was appended: the copy is whole. Durable when the future is completed.
     *
     * @param from the base was read while the zone changed, and has nothing behind this sequence: from here on the copy
     *     is what the zone was. The log has all batches up to here
     */
    public CompletableFuture<ZoneResult> filled(int zone, long from) {
        return submit(() -> {
            ZoneLog log = toChange(zone);
            if (log == null) {
                return ZoneResult::unknown;
            }
            // The copy counts as whole only once its content is durable.
            flush();
            writeBack.sync();
            Segment last = log.tail();
            if (last != null) {
                // All of the base has one sequence: that its end is gone nobody would notice by the last one.
                table.durable(zone, last.ordinal(), (int) last.sizeBytes());
            }
            return change(log, log.state().withFilled(from));
        });
    }

    /** Forgets a zone for ever and gives its space back. Durable when the future is completed. */
    public CompletableFuture<ZoneResult> dropZone(int zone) {
        return submit(() -> {
            ZoneLog log = toChange(zone);
            if (log == null) {
                return ZoneResult::unknown;
            }
            writeBack.forget(log.drop());
            table.drop(zone);
            table.sync();
            store.delete(log.segments());
            zones.remove(zone);
            return () -> log.result(ZoneResult.Status.DONE);
        });
    }

    /**
     * Visits the newest content of every chunk of a zone that was not deleted, in no particular order. Also visits the
     * completion records whose replies the clients have not acknowledged, and the newest token of every lock. Reads the
     * disk on the caller's thread; several threads may replay different zones at once. Appends to the zone go on, and
     * the replay does not see them.
     *
     * @param upToSequence batches above this sequence are left out
     * @throws IllegalArgumentException when there is no such zone
     */
    public ReplayReport replay(int zone, long upToSequence, EntryVisitor visitor) {
        ZoneLog log = zones.get(zone);
        if (log == null) {
            throw new IllegalArgumentException("there is no log of zone " + ZoneHeader.hex(zone));
        }
        ZoneLog.View view = log.beginReading();
        try {
            List<Damage> known = new ArrayList<>(log.damage());
            Damage superseded = log.superseded(upToSequence);
            if (superseded != null && !known.contains(superseded)) {
                known.add(superseded);
            }
            Replay replay = new Replay(disk, view, upToSequence, visitor, known);
            ReplayReport report = replay.run();
            replay.found().forEach(log::addDamage);
            return report;
        } finally {
            log.endReading();
        }
    }

    /** Writes what has waited long enough. To be called every few milliseconds, from any thread. */
    public void tick() {
        if (writeBack.isDue()) {
            askForFlush();
        }
        if (cleaningNeeded && failure == null && cleanAsked.compareAndSet(false, true)) {
            executor.execute(() -> cleanStep(new CompletableFuture<>()));
        }
    }

    /** Returns whether {@link #tick} has, or will soon have, something to do. Called by any thread. */
    public boolean isTickNeeded() {
        return failure == null && (cleaningNeeded || writeBack.isWaiting());
    }

    /** Returns whether some zone has damage. Called by any thread. */
    public boolean isDamaged() {
        return zones.values().stream().anyMatch(ZoneLog::isDamaged);
    }

    /**
     * Runs one step of the cleaner, if some zone's log has too many dead entries. A step takes some ten milliseconds of
     * the disk's thread. {@link #tick} runs steps as they are needed; callers that want more of them use this method.
     *
     * @return whether another step may free space
     */
    public CompletableFuture<Boolean> clean() {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        executor.execute(() -> cleanStep(done));
        return done;
    }

    private void cleanStep(CompletableFuture<Boolean> done) {
        boolean[] more = {false};
        IOException failed = work(() -> {
            cleanAsked.set(false);
            more[0] = cleaner.step(zones.values(), writeBack.isFull());
            cleaningNeeded = more[0];
        });
        done.complete(failed == null && more[0]);
    }

    /** Returns whether the disk failed, so that this log takes nothing any more. */
    public boolean hasFailed() {
        return failure != null;
    }

    /** Figures since the log was opened. */
    public LogStatistics statistics() {
        long used = 0;
        long live = 0;
        long pending = 0;
        long index = 0;
        long damages = 0;
        for (ZoneLog zone : zones.values()) {
            used += zone.usedBytes();
            live += zone.liveBytes();
            pending += zone.pendingBytes();
            SegmentIndex indexed = zone.index();
            index += indexed == null ? 0 : indexed.sizeBytes();
            damages += zone.damage().size();
        }
        return new LogStatistics(
                zones.size(),
                live,
                used - pending,
                pending,
                writeBack.unflushedBytes(),
                index,
                appendedBatches.get(),
                appendedBytes.get(),
                writeBack.primaryWrittenBytes(),
                store.writtenBytes(),
                cleaner.cleanedBytes(),
                cleaner.cleanedSegments(),
                syncs.get(),
                syncNanos.get(),
                damages,
                writeBack.isFull(),
                failure != null);
    }

    /** Writes and syncs what was appended, unless the log failed, and closes its files. Call it when nobody appends. */
    @Override
    public void close() throws IOException {
        diskWork.lock();
        try {
            if (failure == null && !writeBack.isFull()) {
                flush();
                writeBack.sync();
                table.sync();
            }
        } finally {
            store.close();
            writeBack.close();
            table.close();
            diskWork.unlock();
        }
    }

    private AppendResult append(ByteBuffer buffer, boolean base) {
        if (failure != null) {
            return AppendResult.FAILED;
        }
        byte[] bytes;
        int from;
        if (buffer.hasArray()) {
            bytes = buffer.array();
            from = buffer.arrayOffset() + buffer.position();
        } else {
            bytes = new byte[buffer.remaining()];
            buffer.get(buffer.position(), bytes);
            from = 0;
        }
        int end = from + buffer.remaining();
        RecordView batch = new RecordView();
        if (!batch.isIntactAt(bytes, from, end) || batch.end() != end || batch.kind() != BatchFormat.KIND_BATCH) {
            return AppendResult.BROKEN;
        }
        ZoneLog zone = zones.get(batch.zone());
        if (zone == null) {
            return AppendResult.UNKNOWN_ZONE;
        }
        if (writeBack.isFull()) {
            return AppendResult.FULL;
        }
        if (writeBack.isOverfull()) {
            LogProbe.WRITE_BUFFER_OVERFULL.hit();
            askForFlush();
            return AppendResult.BUSY;
        }
        AppendResult result = base ? zone.appendBase(bytes, batch) : zone.append(bytes, batch);
        if (result.status() == AppendResult.Status.APPENDED) {
            appendedBatches.incrementAndGet();
            appendedBytes.addAndGet(end - from);
            if (writeBack.appended(zone, end - from)) {
                askForFlush();
            }
        }
        return result;
    }

    private void askForFlush() {
        if (flushAsked.compareAndSet(false, true)) {
            executor.execute(() -> work(() -> {
                writeBack.leaveFull();
                flush();
            }));
        }
    }

    private CompletableFuture<ZoneResult> submit(Change change) {
        Operation operation = new Operation(change);
        boolean first;
        synchronized (operations) {
            first = operations.isEmpty();
            operations.add(operation);
        }
        if (first) {
            executor.execute(this::commit);
        }
        return operation.done;
    }

    /** Applies all operations that wait, makes them durable together, and completes their futures. */
    private void commit() {
        List<Operation> group;
        synchronized (operations) {
            group = new ArrayList<>(operations);
            operations.clear();
        }
        LogProbe.SYNCS_TOGETHER.hitIf(group.size() > 1);
        List<Supplier<ZoneResult>> answers = new ArrayList<>();
        IOException failed = work(() -> {
            try {
                for (Operation operation : group) {
                    answers.add(operation.change.apply());
                }
                syncAll();
                showMade();
            } finally {
                made.clear();
            }
        });
        for (int i = 0; i < group.size(); i++) {
            CompletableFuture<ZoneResult> done = group.get(i).done;
            if (failed == null) {
                done.complete(answers.get(i).get());
            } else {
                done.completeExceptionally(
                        failed instanceof DiskFullException ? failed : new LogFailedException("backup", failed));
            }
        }
    }

    private void syncAll() throws IOException {
        long began = clock.nanoTime();
        boolean full = writeBack.isFull();
        if (!full) {
            flush();
        }
        writeBack.sync();
        table.sync();
        writeBack.tableSynced();
        if (full) {
            // What waits in memory cannot be written; a seal or a new header can: the reserve made room.
            writeBack.requireNothingUnflushed();
        }
        syncs.incrementAndGet();
        syncNanos.addAndGet(clock.nanoTime() - began);
    }

    /** Runs work with the disk, unless the disk has failed before. Returns why the work failed, or null. */
    private @Nullable IOException work(DiskWork step) {
        diskWork.lock();
        try {
            if (failure == null) {
                step.run();
            }
            return failure;
        } catch (DiskFullException e) {
            becomeFull();
            return e;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            return fail(e);
        } finally {
            diskWork.unlock();
        }
    }

    /** Fails the log, also after a lack of memory: the work that it has interrupted may be half done. */
    private IOException fail(Throwable cause) {
        IOException failed = cause instanceof IOException io ? io : new IOException(cause);
        failure = failed;
        return failed;
    }

    private void flush() throws IOException {
        flushAsked.set(false);
        writeBack.flush();
        cleaningNeeded = cleaner.isNeeded(zones.values());
    }

    private void becomeFull() {
        flushAsked.set(false);
        try {
            writeBack.becomeFull();
        } catch (IOException e) {
            fail(e);
        }
    }

    private Supplier<ZoneResult> change(ZoneLog zone, ZoneState next) throws IOException {
        table.put(next);
        zone.setState(next);
        return () -> zone.result(ZoneResult.Status.DONE);
    }

    private Supplier<ZoneResult> makeZone(ZoneHeader header, long sealedEpoch) throws IOException {
        writeBack.makeReserve();
        long wholeFrom = header.filling() ? ZoneState.NOT_WHOLE : header.baseSequence();
        ZoneState state = new ZoneState(header, table.nextGeneration(), sealedEpoch, wholeFrom, List.of());
        table.put(state);
        ZoneLog zone = new ZoneLog(state, header.baseSequence(), true, spares);
        made.put(header.zone(), zone);
        return () -> zone.result(ZoneResult.Status.DONE);
    }

    /** Returns the log of a zone for a change, which may come together with the one that makes the zone. */
    private @Nullable ZoneLog toChange(int zone) throws IOException {
        if (made.containsKey(zone)) {
            table.sync();
            showMade();
        }
        return zones.get(zone);
    }

    /** Takes batches of new zones from now on: the table that has them is durable. */
    private void showMade() {
        zones.putAll(made);
        made.clear();
    }
}
