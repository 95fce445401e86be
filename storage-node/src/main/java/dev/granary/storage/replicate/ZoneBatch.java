package dev.granary.storage.replicate;

import dev.granary.log.batch.BatchWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The batch that is being made for one zone, under the zone's lock. What is applied to memory is added here in the same
 * order. Nothing is encoded for a zone without a copy. One thread reuses a batch; a chunk costs no allocation.
 */
public final class ZoneBatch {

    private final ByteBufAllocator allocator;
    private final BatchWriter writer = new BatchWriter();
    private MemorySegment zeros = MemorySegment.ofArray(new byte[256]);
    private boolean logged;

    /** The buffer for the next batch, allocated before anything is changed; null when there is none. */
    private @Nullable ByteBuf room;

    /** There is no memory for a batch. Carries no stack: it is thrown when memory is scarce. */
    public static final class NoRoomException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoRoomException(Throwable cause) {
            super("no room for a batch of changes", cause, false, false);
        }
    }

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

    /** Begins a batch for chunks that are in no zone: nothing is encoded. */
    public void startUnlogged() {
        logged = false;
    }

    /**
     * Makes room for the batch that was started, if the zone has a copy. Call it before anything is changed (SAFETY
     * rule "budgets").
     *
     * @throws NoRoomException when there is no memory for it
     */
    public void reserve(long sizeBytes) {
        if (logged) {
            reserveLater(sizeBytes);
        }
    }

    /** Makes room for a batch that will be started later. */
    public void reserveLater(long sizeBytes) {
        ByteBuf present = room;
        if (present != null && present.capacity() >= sizeBytes) {
            return;
        }
        release();
        try {
            room = allocator.buffer(Math.toIntExact(sizeBytes));
        } catch (OutOfMemoryError e) {
            throw new NoRoomException(e);
        }
    }

    /** Releases room that was not needed. */
    public void release() {
        ByteBuf unused = room;
        room = null;
        if (unused != null) {
            unused.release();
        }
    }

    /** Returns how many bytes were added. */
    public int sizeBytes() {
        return logged ? writer.sizeBytes() : 0;
    }

    /** Returns whether nothing was added that a copy would keep. */
    public boolean isEmpty() {
        return !logged || writer.entries() == 0;
    }

    /** Returns whether the zone has a copy, so that what is added is encoded. */
    public boolean isLogged() {
        return logged;
    }

    /** Adds the new content of a chunk. A batch names a chunk once at most. */
    public void chunk(long cid, MemorySegment source, long offset, int sizeBytes) {
        if (logged) {
            writer.chunk(cid, source, offset, sizeBytes);
        }
    }

    /** Adds a chunk of {@code sizeBytes} zero bytes. */
    public void zeros(long cid, int sizeBytes) {
        if (logged) {
            if (zeros.byteSize() < sizeBytes) {
                zeros = MemorySegment.ofArray(new byte[sizeBytes]);
            }
            writer.chunk(cid, zeros, 0, sizeBytes);
        }
    }

    /** Adds the tombstone of a deleted chunk. */
    public void tombstone(long cid) {
        if (logged) {
            writer.tombstone(cid);
        }
    }

    /** Adds a lock token that was shown to a chunk. */
    public void token(long cid, long token) {
        if (logged) {
            writer.token(cid, token);
        }
    }

    /** Adds the completion record of a request. */
    public void request(long clientId, long sequence, long ackedSequence, byte[] completion, int sizeBytes) {
        if (logged) {
            writer.request(clientId, sequence, ackedSequence, MemorySegment.ofArray(completion), 0, sizeBytes);
        }
    }

    /**
     * Appends the batch to its zone.
     *
     * @param sync whether members must sync the batch
     * @return its sequence
     */
    public long append(OwnedZone zone, boolean sync) {
        return zone.append(logged ? copy(writer.finish()) : null, sync);
    }

    private ByteBuf copy(ByteBuffer bytes) {
        ByteBuf reserved = room;
        if (reserved != null && reserved.capacity() >= bytes.remaining()) {
            room = null;
            return reserved.writeBytes(bytes);
        }
        return copy(allocator, bytes);
    }

    /**
     * Copies a batch that must be logged because memory has changed. The copy is a buffer of the allocator if there is
     * one, and an array on the heap otherwise.
     */
    static ByteBuf copy(ByteBufAllocator allocator, ByteBuffer bytes) {
        ByteBuf copy;
        try {
            copy = allocator.buffer(bytes.remaining());
        } catch (OutOfMemoryError e) {
            copy = Unpooled.buffer(bytes.remaining());
        }
        return copy.writeBytes(bytes);
    }
}
