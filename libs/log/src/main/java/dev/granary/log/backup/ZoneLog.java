package dev.granary.log.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.log.batch.RecordView;
import dev.granary.log.probe.LogProbe;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The log of one zone. Appends touch the pending batches under the monitor; files are written by the disk's thread
 * only, which takes the monitor to publish what it did.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>What the zone's segments and its pending batches hold together is everything that was appended in this
 *       generation, less what cuts and the cleaner took.
 *   <li>Pending batches are in the order in which they came; live ones have rising sequences without a gap.
 *   <li>An entry is in a segment before it leaves the pending batches.
 * </ol>
 */
final class ZoneLog {

    @GuardedBy("this")
    private final Pending pending;

    @GuardedBy("this")
    private final List<Segment> segments = new ArrayList<>();

    @GuardedBy("this")
    private final List<Damage> damage = new ArrayList<>();

    @GuardedBy("this")
    private final Map<Integer, Long> cleanedThrough = new TreeMap<>();

    @GuardedBy("this")
    private long segmentBytes;

    @GuardedBy("this")
    private ZoneState state;

    @GuardedBy("this")
    private long lastSequence;

    @GuardedBy("this")
    private boolean continuous;

    @GuardedBy("this")
    private boolean dirty;

    @GuardedBy("this")
    private boolean dropped;

    @GuardedBy("this")
    private int readers;

    /** The sequence up to which all members hold everything, as the owner has said: no cut drops any of that. */
    @GuardedBy("this")
    private long acknowledged;

    /** The cleaner waits until {@link #acknowledged} has reached this sequence; the highest number when it does not. */
    @GuardedBy("this")
    private long cleanerWaitsFor = Long.MAX_VALUE;

    /**
     * The fields from here on are the disk's thread's alone. Batches up to these are in segments, in files,
     * and durable.
     */
    private long segmentSequence;

    private long writtenSequence;
    private long durableSequence;
    private int nextOrdinal;
    private final MissingSequences missing = new MissingSequences();
    private volatile @Nullable SegmentIndex index;
    private volatile long liveAtScanBytes;
    private boolean excluded;

    ZoneLog(ZoneState state, long lastSequence, boolean continuous, SpareArrays spares) {
        pending = new Pending(spares);
        this.state = state;
        this.lastSequence = lastSequence;
        this.continuous = continuous;
        segmentSequence = lastSequence;
        writtenSequence = lastSequence;
        durableSequence = lastSequence;
    }

    /** A view for a replay, which does not change when the log goes on. */
    record View(ZoneState state, long lastSequence, List<Segment> segments, List<Long> sizes, ByteBuffer pending) {}

    synchronized ZoneState state() {
        return state;
    }

    synchronized void setState(ZoneState next) {
        state = next;
    }

    synchronized long lastSequence() {
        return lastSequence;
    }

    synchronized boolean isContinuous() {
        return continuous;
    }

    /** Marks the copy as continuous: what is on the disk is all that was acknowledged, or all that counts. */
    synchronized void setContinuous() {
        continuous = true;
    }

    synchronized boolean isDropped() {
        return dropped;
    }

    /** Drops the log, which takes nothing any more. Returns how many bytes were in memory only. */
    synchronized int drop() {
        dropped = true;
        return pending.length() - pending.flushed();
    }

    synchronized void addDamage(Damage found) {
        if (!damage.contains(found)) {
            damage.add(found);
        }
    }

    synchronized boolean isDamaged() {
        return !damage.isEmpty();
    }

    synchronized List<Damage> damage() {
        return List.copyOf(damage);
    }

    synchronized List<Segment> segments() {
        return List.copyOf(segments);
    }

    /** Returns the segment that batches are sorted into; null if there is none yet. */
    synchronized @Nullable Segment tail() {
        for (int i = segments.size() - 1; i >= 0; i--) {
            if (segments.get(i).header().kind() == LogFileHeader.SEGMENT) {
                return segments.get(i);
            }
        }
        return null;
    }

    /** Replaces segments that the cleaner has read by those that it has written. */
    synchronized void replaceSegments(List<Segment> old, List<Segment> by) {
        segments.removeAll(old);
        segments.addAll(0, by);
        segmentBytes = 0;
        segments.forEach(segment -> segmentBytes += segment.sizeBytes());
        assert pointersHold();
    }

    /** What is in segments is in files, what is durable too, and nothing of it was never appended. */
    @GuardedBy("this")
    private boolean pointersHold() {
        return segmentSequence <= writtenSequence
                && durableSequence <= writtenSequence
                && writtenSequence <= lastSequence;
    }

    int takeOrdinal() {
        return nextOrdinal++;
    }

    void ordinalIsTaken(int ordinal) {
        nextOrdinal = Math.max(nextOrdinal, ordinal + 1);
    }

    MissingSequences missing() {
        return missing;
    }

    @Nullable
    SegmentIndex index() {
        return index;
    }

    void setIndex(@Nullable SegmentIndex next) {
        index = next;
    }

    /** Returns how many bytes were live when the zone last had an index. */
    long liveAtScanBytes() {
        return liveAtScanBytes;
    }

    void setLiveAtScanBytes(long bytes) {
        liveAtScanBytes = bytes;
    }

    boolean isDamagedForCleaner() {
        return excluded;
    }

    /** Excludes the zone from cleaning, because the cleaner found something that it cannot read. */
    void excludeFromCleaning() {
        excluded = true;
    }

    long segmentSequence() {
        return segmentSequence;
    }

    long writtenSequence() {
        return writtenSequence;
    }

    long durableSequence() {
        return durableSequence;
    }

    /** Notes that all batches up to a sequence are in segments. */
    void sorted(long sequence) {
        segmentSequence = Math.max(segmentSequence, sequence);
        written(sequence);
    }

    /** Notes that all batches up to a sequence are in files. */
    void written(long sequence) {
        writtenSequence = Math.max(writtenSequence, sequence);
    }

    /** Notes that what is in files is durable. */
    void durable() {
        durableSequence = writtenSequence;
    }

    synchronized int pendingBytes() {
        return pending.length();
    }

    synchronized long usedBytes() {
        return pending.length() + segmentBytes;
    }

    synchronized long segmentBytes() {
        return segmentBytes;
    }

    /** Takes a live batch. */
    synchronized AppendResult append(byte[] bytes, RecordView batch) {
        AppendResult refused = refusal(batch);
        if (refused != null) {
            return refused;
        }
        long sequence = batch.sequence();
        if (sequence <= lastSequence) {
            LogProbe.BATCH_TWICE.hit();
            return AppendResult.DUPLICATE;
        }
        if (sequence != lastSequence + 1) {
            LogProbe.BATCH_AFTER_A_GAP.hit();
            return new AppendResult(AppendResult.Status.GAP, lastSequence + 1);
        }
        pending.append(bytes, batch.begin(), batch.end() - batch.begin());
        lastSequence = sequence;
        return AppendResult.APPENDED;
    }

    /** Takes a batch of the base. */
    synchronized AppendResult appendBase(byte[] bytes, RecordView batch) {
        AppendResult refused = refusal(batch);
        if (refused != null) {
            return refused;
        }
        if (state.filled()) {
            return AppendResult.DUPLICATE;
        }
        if (batch.sequence() != state.header().baseSequence()) {
            return new AppendResult(AppendResult.Status.GAP, state.header().baseSequence());
        }
        pending.append(bytes, batch.begin(), batch.end() - batch.begin());
        return AppendResult.APPENDED;
    }

    @GuardedBy("this")
    private @Nullable AppendResult refusal(RecordView batch) {
        if (dropped) {
            return AppendResult.UNKNOWN_ZONE;
        }
        if (batch.epoch() < state.fence()) {
            LogProbe.BATCH_FENCED.hit();
            return new AppendResult(AppendResult.Status.FENCED, state.fence());
        }
        return batch.epoch() > state.header().epoch() ? AppendResult.UNKNOWN_ZONE : null;
    }

    /** Returns the pending batches, for the disk's thread. */
    synchronized ByteBuffer pending() {
        return pending.view();
    }

    /** Adds a segment, which is empty or holds only what the zone's state already covers. */
    synchronized void addSegment(Segment segment) {
        segments.add(segment);
        segmentBytes += segment.sizeBytes();
    }

    /** Sets the new size of a segment. */
    synchronized void resize(Segment segment, long bytes) {
        segmentBytes += bytes - segment.sizeBytes();
        segment.resize(bytes);
    }

    /** Publishes that the first pending bytes are in a segment now; returns how many of them were in no file before. */
    synchronized int moved(Segment segment, long blockBytes, int pendingBytes) {
        resize(segment, segment.sizeBytes() + blockBytes);
        int before = unflushedBytes();
        pending.removeFirst(pendingBytes, readers > 0);
        return before - unflushedBytes();
    }

    /**
     * Batches that are in memory only.
     *
     * @param bytes all pending batches, including those that are in the primary log
     * @param from where the batches begin that are in memory only
     */
    record Unflushed(ZoneLog zone, ByteBuffer bytes, int from, long lastSequence) {}

    synchronized Unflushed unflushed() {
        ByteBuffer bytes = pending.view();
        return new Unflushed(this, bytes, bytes.position() + pending.flushed(), lastSequence);
    }

    /** Returns how many pending bytes are in no file at all. */
    synchronized int unflushedBytes() {
        return pending.length() - pending.flushed();
    }

    /** Says that batches are in the primary log. */
    void markFlushed(Unflushed written) {
        synchronized (this) {
            pending.markFlushed(written.bytes().remaining());
        }
        written(written.lastSequence());
    }

    /** Puts a batch that was found on the disk back among the pending ones. */
    synchronized void restore(byte[] bytes, RecordView batch) {
        pending.append(bytes, batch.begin(), batch.end() - batch.begin());
        lastSequence = Math.max(lastSequence, batch.sequence());
    }

    /** Sets the last sequence of the segments that were found on the disk. */
    synchronized void restoreLast(long sequence) {
        lastSequence = Math.max(lastSequence, sequence);
        segmentSequence = lastSequence;
        writtenSequence = lastSequence;
    }

    /** Drops what is pending above a sequence; returns by how much more is in no file now. */
    synchronized int cut(ZoneState next, long sequence) {
        LogProbe.LOG_CUT.hitIf(sequence < lastSequence);
        int before = unflushedBytes();
        state = next;
        lastSequence = sequence;
        acknowledged = Math.min(acknowledged, sequence);
        segmentSequence = Math.min(segmentSequence, sequence);
        writtenSequence = Math.min(writtenSequence, sequence);
        durableSequence = Math.min(durableSequence, sequence);
        index = null;
        RecordView view = new RecordView();
        ByteBuffer present = pending.view();
        byte[] bytes = present.array();
        int at = present.arrayOffset() + present.position();
        int end = at + present.remaining();
        int kept = 0;
        byte[] rest = new byte[pending.length()];
        while (at < end && view.parse(bytes, at, end)) {
            if (view.sequence() <= sequence) {
                System.arraycopy(bytes, at, rest, kept, view.end() - at);
                kept += view.end() - at;
            }
            at = view.end();
        }
        pending.replace(rest, kept);
        noteSuperseded();
        assert pointersHold();
        return unflushedBytes() - before;
    }

    /**
     * Notes the sequence up to which all members hold everything, as the owner says in an epoch.
     *
     * @return whether the cleaner has waited for this
     */
    synchronized boolean acknowledge(long epoch, long sequence) {
        if (epoch != state.header().epoch()) {
            return false;
        }
        acknowledged = Math.max(acknowledged, sequence);
        boolean waited = acknowledged >= cleanerWaitsFor;
        cleanerWaitsFor = waited ? Long.MAX_VALUE : cleanerWaitsFor;
        return waited;
    }

    /** Returns whether no cut can drop anything that is in segments; the cleaner waits for that otherwise. */
    synchronized boolean isSettled() {
        boolean settled = segmentSequence <= acknowledged;
        cleanerWaitsFor = settled ? Long.MAX_VALUE : segmentSequence;
        return settled;
    }

    /** Notes that the cleaner dropped entries that were dead because of entries up to a sequence. */
    synchronized void cleaned(int cut, long through) {
        cleanedThrough.merge(cut, through, Math::max);
    }

    /** Adds damage if the cleaner has dropped entries that were dead only because of entries that a cut took away. */
    synchronized void noteSuperseded() {
        Damage found = superseded(Long.MAX_VALUE);
        if (found != null) {
            addDamage(found);
        }
    }

    /**
     * Returns the damage if nothing above a sequence counts: entries may be missing that the cleaner dropped; or null.
     */
    synchronized @Nullable Damage superseded(long upTo) {
        for (Map.Entry<Integer, Long> entry : cleanedThrough.entrySet()) {
            long limit = Math.min(upTo, state.limit(entry.getKey()));
            if (entry.getValue() > limit) {
                String what = "older versions were cleaned away for the sake of later ones, which do not count";
                return new Damage(state.zone(), "", 0, 0, limit, what);
            }
        }
        return null;
    }

    /** Marks the zone as dirty. Returns whether it must be put into the queue of zones that have something to write. */
    synchronized boolean markDirty() {
        boolean first = !dirty;
        dirty = true;
        return first;
    }

    synchronized void clearDirty() {
        dirty = false;
    }

    /** Returns a view for a replay. The cleaner leaves the zone alone until {@link #endReading}. */
    synchronized View beginReading() {
        readers++;
        List<Long> sizes = new ArrayList<>();
        segments.forEach(segment -> sizes.add(segment.sizeBytes()));
        return new View(state, lastSequence, List.copyOf(segments), sizes, pending.view());
    }

    synchronized void endReading() {
        readers--;
    }

    synchronized boolean isRead() {
        return readers > 0;
    }

    /** Returns an estimate of the live bytes; pending batches count as live. */
    synchronized long liveBytes() {
        long live = pending.length();
        boolean counted = index != null;
        for (Segment segment : segments) {
            live += counted ? segment.liveBytes() : 0;
        }
        return counted ? live : Math.min(usedBytes(), live + Math.max(liveAtScanBytes, 0));
    }

    synchronized ZoneResult result(ZoneResult.Status status) {
        return new ZoneResult(status, state.fence(), lastSequence, continuous, state.filled());
    }

    synchronized ZoneSummary summary() {
        ZoneHeader header = state.header();
        return new ZoneSummary(
                header.clusterId(),
                header.zone(),
                header.owner(),
                header.epoch(),
                header.members(),
                state.leastCut(),
                lastSequence,
                state.sealedEpoch(),
                continuous,
                state.filled(),
                usedBytes(),
                liveBytes(),
                List.copyOf(damage));
    }
}
