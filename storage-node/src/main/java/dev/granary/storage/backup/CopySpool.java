package dev.granary.storage.backup;

import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.ReplayReport;
import dev.granary.log.batch.BatchWriter;
import dev.granary.log.batch.EntryVisitor;
import dev.granary.net.message.ReplicationMessages.FetchCopy;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A copy that another peer is fetching, in numbered parts. If the copy does not fit into the room, a replay keeps only
 * entries with some hashes of their keys, and further replays read the others. The copy is sealed, so that all replays
 * read the same.
 *
 * <pre>
 *  residues modulo 1:   0                  all of it, if that fits
 *           modulo 2:   0         1        else one half after the other
 *           modulo 4:             1    3   and halves of halves
 * </pre>
 *
 * <p>{@link #readMore} is called by a reader, everything else by tasks of the scheduler that do not overlap with it,
 * but for {@link #bytes}.
 */
final class CopySpool implements EntryVisitor {

    private static final int PART_BYTES = 1 << 20;

    /** A share of this modulus is read whatever room it takes, because it is little more than one chunk. */
    private static final int MAX_MODULUS = 1 << 20;

    private static final long HASH = 0x9E3779B97F4A7C15L;

    private final BackupLog log;
    private final FetchCopy wanted;
    private final long fence;
    private final long maxBytes;
    private final Deque<Share> left = new ArrayDeque<>();
    private final BatchWriter writer = new BatchWriter();
    private List<byte[]> parts = new ArrayList<>();
    private int firstPart;
    private Share present = new Share(0, 1);
    private boolean open;
    private boolean tooLarge;
    private boolean damaged;
    private volatile long bytes;

    /** When a part was last asked for. Used by tasks of the scheduler. */
    long lastUsedNanos;

    boolean reading;

    /** The keys whose hash has this remainder. */
    private record Share(int residue, int modulus) {

        private boolean has(long key) {
            return ((int) ((key * HASH) >>> 32) & (modulus - 1)) == residue;
        }
    }

    /**
     * Makes a spool that has read nothing.
     *
     * @param fence the fence of the copy; when it changes the spool is of no use
     * @param maxBytes about how many bytes may be kept
     */
    CopySpool(BackupLog log, FetchCopy wanted, long fence, long maxBytes) {
        this.log = log;
        this.wanted = wanted;
        this.fence = fence;
        this.maxBytes = maxBytes;
        this.left.add(present);
    }

    int zone() {
        return wanted.zone();
    }

    long fence() {
        return fence;
    }

    /** Returns whether a part of the copy could not be read. */
    boolean isDamaged() {
        return damaged;
    }

    long bytes() {
        return bytes;
    }

    /** Returns whether a part is the first one that the next {@link #readMore} reads. */
    boolean comesNext(int part) {
        return part == firstPart + parts.size() && !left.isEmpty();
    }

    boolean has(int part) {
        return part >= firstPart && part < firstPart + parts.size();
    }

    boolean isLast(int part) {
        return left.isEmpty() && part + 1 >= firstPart + parts.size();
    }

    /** Returns a part that is kept; empty when the copy is empty. */
    byte[] part(int part) {
        return has(part) ? parts.get(part - firstPart) : new byte[0];
    }

    /** Replaces the kept parts by the next ones. */
    void readMore() {
        firstPart += parts.size();
        clear();
        while (parts.isEmpty() && !left.isEmpty()) {
            present = left.pop();
            tooLarge = false;
            ReplayReport report = log.replay(zone(), wanted.upToSequence(), this);
            finish();
            if (tooLarge) {
                clear();
                int modulus = 2 * present.modulus;
                left.push(new Share(present.residue + present.modulus, modulus));
                left.push(new Share(present.residue, modulus));
            } else {
                damaged |= !report.isComplete();
            }
        }
    }

    private void clear() {
        parts = new ArrayList<>();
        bytes = 0;
    }

    /** Returns whether an entry is to be kept, and makes room for it then. */
    private boolean makeRoom(long key, int length) {
        if (tooLarge || !present.has(key)) {
            return false;
        }
        if (open && writer.sizeBytes() >= PART_BYTES) {
            finish();
        }
        long known = bytes + (open ? writer.sizeBytes() : 0);
        if (known > 0 && known + length > maxBytes && present.modulus < MAX_MODULUS) {
            tooLarge = true;
            return false;
        }
        if (!open) {
            writer.start(zone(), wanted.epoch(), 0);
            open = true;
        }
        return true;
    }

    private void finish() {
        if (open) {
            ByteBuffer batch = writer.finish();
            byte[] part = new byte[batch.remaining()];
            batch.get(part);
            parts.add(part);
            long kept = bytes;
            bytes = kept + part.length;
            open = false;
        }
    }

    @Override
    public void chunk(long cid, long ofEpoch, long sequence, MemorySegment source, long offset, int length) {
        if (makeRoom(cid, length)) {
            writer.chunk(cid, source, offset, length);
        }
    }

    @Override
    public void request(
            long clientId,
            long requestSequence,
            long ackedSequence,
            long ofEpoch,
            long sequence,
            MemorySegment source,
            long offset,
            int length) {
        if (makeRoom(clientId, length)) {
            writer.request(clientId, requestSequence, ackedSequence, source, offset, length);
        }
    }

    @Override
    public void token(long cid, long token, long ofEpoch, long sequence) {
        if (makeRoom(cid, 0)) {
            writer.token(cid, token);
        }
    }
}
