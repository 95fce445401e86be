package dev.granary.storage.recover;

import dev.granary.log.backup.ReplayReport;
import dev.granary.log.batch.Batch;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.overlay.Cid;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Brings the chunks of one zone into memory, or takes them out again. Each method is one piece of work for a worker; a
 * piece begins after the one before it has ended.
 *
 * <p>LIDs that this incarnation has given and that another peer owned meanwhile have placeholders in memory. A chunk
 * that comes back replaces its placeholder; the other placeholders stay until this peer is the owner.
 */
final class ZoneReplay {

    private static final int STEP = 4096;
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final RecoverySite site;
    private final RunRecovery.Task order;
    private final Spans spans;
    private final @Nullable CidList received;
    private @Nullable ReplayWindow window;

    /** Whether anything of the zone may be in memory. */
    private boolean begun;

    /** How many spans have no placeholders any more, and below, how many LIDs of the next span have none. */
    private int freedSpans;

    private long freedLids;

    /** How many chunks are in memory; other threads read it as the progress. */
    private volatile long chunks;

    private volatile long bytes;

    /** The result of a piece of work. */
    enum Outcome {
        /** Everything is in memory. */
        COMPLETE,
        /** Something could not be read. */
        DAMAGED,
        /** There is no room in memory. */
        NO_ROOM
    }

    ZoneReplay(RecoverySite site, RunRecovery.Task order, Spans spans) {
        this.site = site;
        this.order = order;
        this.spans = spans;
        this.received = hasPlaceholders() ? new CidList() : null;
    }

    long chunks() {
        return chunks;
    }

    long bytes() {
        return bytes;
    }

    /** Replays this peer's own copy and says how that went. */
    Outcome replay() {
        long began = site.clock().nanoTime();
        try (ReplayWindow fresh = begin()) {
            if (site.log().zone(order.zone()) == null) {
                return Outcome.DAMAGED;
            }
            ReplayReport report = site.log().replay(order.zone(), order.lastSequence(), fresh);
            fresh.flush();
            sortReceived();
            boolean whole = report.isComplete() && report.lastSequence() >= order.lastSequence();
            return whole ? Outcome.COMPLETE : Outcome.DAMAGED;
        } catch (OutOfChunkMemoryException e) {
            return Outcome.NO_ROOM;
        } finally {
            end(began);
        }
    }

    /** Takes a part of another peer's copy and says how that went. */
    Outcome take(byte[] batches, boolean last) {
        long began = site.clock().nanoTime();
        try {
            ReplayWindow open = window == null ? begin() : window;
            if (batches.length > 0) {
                Batch batch = Batch.of(ByteBuffer.wrap(batches));
                if (batch == null || batch.zone() != order.zone()) {
                    return Outcome.DAMAGED;
                }
                batch.forEach(open);
            }
            if (last) {
                open.flush();
                sortReceived();
            }
            return Outcome.COMPLETE;
        } catch (OutOfChunkMemoryException e) {
            return Outcome.NO_ROOM;
        } finally {
            if (last) {
                release();
            }
            site.metrics().replayed(0, 0, site.clock().nanoTime() - began);
        }
    }

    private void sortReceived() {
        if (received != null) {
            received.sort();
        }
    }

    private ReplayWindow begin() {
        makeTable();
        ReplayWindow fresh = new ReplayWindow(
                site.memory(), spans, site.requests(), site.window(), received, site.metrics()::window);
        window = fresh;
        return fresh;
    }

    private void end(long began) {
        ReplayWindow ended = window;
        window = null;
        if (ended != null) {
            chunks = ended.chunks();
            bytes = ended.bytes();
        }
        site.metrics().replayed(chunks, bytes, site.clock().nanoTime() - began);
    }

    /** Releases what was kept for further parts, which do not come any more. */
    void release() {
        ReplayWindow open = window;
        if (open != null) {
            open.close();
            chunks = open.chunks();
            bytes = open.bytes();
            window = null;
        }
    }

    /** Makes the page table for chunks of this creator, even if no chunk comes. */
    private void makeTable() {
        if (spans.count() > 0 && !isOwn() && site.memory().insert(spans.start(0), NOTHING, 0, 0)) {
            site.memory().delete(spans.start(0));
        }
        begun = true;
    }

    private boolean isOwn() {
        return spans.count() > 0 && Cid.nid(spans.start(0)) == site.nid();
    }

    /** Returns whether this incarnation may give the LID of a chunk. */
    private boolean isGivenHere(long cid) {
        return Cid.nid(cid) == site.nid() && Cid.lid(cid) >= site.ownership().firstLid();
    }

    /** Returns whether this incarnation may give LIDs of the zone to new chunks once it owns the zone. */
    boolean hasPlaceholders() {
        return spans.count() > 0 && isGivenHere(spans.endInclusive(spans.count() - 1));
    }

    /** Takes everything out of memory again. */
    void discard() {
        release();
        if (!begun) {
            // There may be no page table for chunks of this creator, because there was no room for one.
            return;
        }
        ChunkMemory memory = site.memory();
        long[] cids = new long[STEP];
        boolean[] deleted = new boolean[STEP];
        for (int i = 0; i < spans.count(); i++) {
            long end = spans.endInclusive(i);
            for (long from = spans.start(i), count; Long.compareUnsigned(from, end) <= 0; from += count) {
                count = Math.min(STEP, end - from + 1);
                int owned = 0;
                for (int k = 0; k < count; k++) {
                    if (isGivenHere(from + k)) {
                        memory.replace(from + k, NOTHING, 0, 0);
                    } else {
                        cids[owned++] = from + k;
                    }
                }
                memory.delete(cids, 0, owned, deleted);
                if (from + count - 1 == end) {
                    break;
                }
            }
        }
        if (received != null) {
            received.clear();
        }
        chunks = 0;
        bytes = 0;
    }

    /**
     * Removes placeholders of own LIDs without a chunk, so that the LIDs may be given again; some LIDs with each call.
     * Called when this peer is the owner, and not by a worker.
     *
     * @return whether all placeholders are gone
     */
    boolean freeSomeLids() {
        CidList kept = received;
        if (kept == null || freedSpans == spans.count()) {
            return true;
        }
        long from = spans.start(freedSpans) + freedLids;
        int count = (int) Math.min(STEP, spans.endInclusive(freedSpans) - from + 1);
        long[] cids = new long[STEP];
        int free = 0;
        for (int i = 0; i < count; i++) {
            if (isGivenHere(from + i) && !kept.contains(from + i)) {
                cids[free++] = from + i;
            }
        }
        site.memory().delete(cids, 0, free, new boolean[STEP]);
        freedLids += count;
        if (from + count - 1 == spans.endInclusive(freedSpans)) {
            freedSpans++;
            freedLids = 0;
        }
        return freedSpans == spans.count();
    }
}
