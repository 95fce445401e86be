package dev.granary.storage.replicate;

import dev.granary.log.backup.BatchWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The batch that is being made for one zone, under its lock: what is applied to memory is added here, in the same order. For
 * a zone that nobody has a copy of nothing is encoded. Reused by one thread; a chunk costs no allocation.
 */
public final class ZoneBatch {

    private final ByteBufAllocator allocator;
    private final BatchWriter writer = new BatchWriter();
    private MemorySegment zeros = MemorySegment.ofArray(new byte[256]);
    private boolean logged;

    public ZoneBatch(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Begins the next batch of a zone. */
    public void start(OwnedZone zone) {
        logged = zone.isLogged();
        if (logged) {
            writer.start(zone.id(), zone.placement().epoch(), zone.nextSequence());
        }
    }

    /** Begins with chunks that are in no zone: nothing is encoded. */
    public void startUnlogged() {
        logged = false;
    }

    /** The bytes of what was added. */
    public int sizeBytes() {
        return logged ? writer.sizeBytes() : 0;
    }

    /** Whether anybody has a copy. */
    public boolean isLogged() {
        return logged;
    }

    /** A chunk has this content now. A batch names a chunk once at most. */
    public void chunk(long cid, MemorySegment source, long offset, int sizeBytes) {
        if (logged) {
            writer.chunk(cid, source, offset, sizeBytes);
        }
    }

    /** A chunk has so many bytes of zero now. */
    public void zeros(long cid, int sizeBytes) {
        if (logged) {
            if (zeros.byteSize() < sizeBytes) {
                zeros = MemorySegment.ofArray(new byte[sizeBytes]);
            }
            writer.chunk(cid, zeros, 0, sizeBytes);
        }
    }

    /** A chunk is deleted. */
    public void tombstone(long cid) {
        if (logged) {
            writer.tombstone(cid);
        }
    }

    /** A lock's token was shown to a chunk. */
    public void token(long cid, long token) {
        if (logged) {
            writer.token(cid, token);
        }
    }

    /** A request is carried out. */
    public void request(long clientId, long sequence, long ackedSequence, byte[] completion, int sizeBytes) {
        if (logged) {
            writer.request(clientId, sequence, ackedSequence, MemorySegment.ofArray(completion), 0, sizeBytes);
        }
    }

    /**
     * The batch takes its place in the zone.
     *
     * @param sync whether members must sync it
     * @return its sequence
     */
    public long append(OwnedZone zone, boolean sync) {
        return zone.append(logged ? copy(writer.finish()) : null, sync);
    }

    private ByteBuf copy(ByteBuffer bytes) {
        return allocator.buffer(bytes.remaining()).writeBytes(bytes);
    }
}
