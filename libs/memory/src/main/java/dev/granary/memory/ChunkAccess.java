package dev.granary.memory;

import dev.granary.serialization.BufferTooSmallException;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import java.lang.foreign.MemorySegment;

/**
 * What can be done to chunks that exist, one by one or in batches.
 *
 * <p>Thread-safe. Each operation on one chunk is atomic: a get sees the bytes of one create, put or replace, never a
 * mixture. A batch is a sequence of such operations, not one atomic step. An operation that throws leaves the store
 * unchanged unless it says otherwise.
 *
 * <p>Sizes and offsets are in bytes. Segments may lie on or off the heap; their contents must not change while an
 * operation reads them. A CID of a NID of which no chunk was ever {@linkplain ChunkMemory#insert inserted} throws
 * {@link ForeignCidException}.
 */
public interface ChunkAccess {

    /** The size of a chunk in bytes, or {@link ChunkMemory#ABSENT}. */
    int sizeOf(long cid);

    /**
     * Copies a chunk's bytes to an offset of a segment. Room behind them, up to the capacity, may be written to as well
     * when others change the chunk meanwhile, even if the answer is then that there is none.
     *
     * @param capacityBytes how many bytes may be written there at most
     * @return the chunk's size, or {@link ChunkMemory#ABSENT}
     * @throws BufferTooSmallException if the chunk is larger than the capacity; nothing has been written, unless others
     *     changed the chunk meanwhile
     * @throws IndexOutOfBoundsException if the segment ends before offset + capacity
     */
    int get(long cid, MemorySegment target, long offset, long capacityBytes);

    /**
     * Lets an object read its fields from a chunk, with no copy in between. The chunk is latched meanwhile: nobody
     * writes to it, the object must not use this memory, and what it has read is its own affair if it throws.
     *
     * @return false if there is no such chunk; the object has not been called
     */
    boolean get(long cid, Importable object);

    /**
     * Copies the payloads of {@code cids[from]} to {@code cids[to - 1]} one after the other to an offset of a segment.
     * Stops before the first that does not fit; absent chunks take no room.
     *
     * @param sizes takes the size of each or {@link ChunkMemory#ABSENT}, at the index of its CID
     * @return the index of the first CID that was not done, {@code to} if all were
     * @throws IndexOutOfBoundsException if the segment ends before dstOffset + capacity, or an array before {@code to}
     */
    int get(long[] cids, int from, int to, MemorySegment target, long offset, long capacityBytes, int[] sizes);

    /**
     * Replaces a chunk's bytes by as many others.
     *
     * @return false if there is no such chunk
     * @throws SizeMismatchException if the chunk has another size
     * @throws ReadOnlyException if the chunk is read-only
     * @throws IndexOutOfBoundsException if the segment ends before offset + size
     */
    boolean put(long cid, MemorySegment source, long offset, int sizeBytes);

    /**
     * Replaces a chunk's bytes by others of any size. The CID stays.
     *
     * @return false if there is no such chunk
     * @throws InvalidSizeException if the size is negative or above {@link ChunkMemory#MAX_SIZE_BYTES}
     * @throws OutOfChunkMemoryException if the size is another one and no free block is large enough beside the old one
     * @throws PinnedException if the size is another one and the chunk is pinned
     * @throws ReadOnlyException if the chunk is read-only
     * @throws IndexOutOfBoundsException if the segment ends before offset + size
     */
    boolean replace(long cid, MemorySegment source, long offset, int sizeBytes);

    /**
     * Lets an object write itself over a chunk of just its size, with no copy in between. The chunk is latched
     * meanwhile: nobody sees it half written, and the object must not use this memory. If it throws, or writes fewer
     * bytes than it announced, what it wrote stays.
     *
     * @return false if there is no such chunk; the object has not been asked to write
     * @throws SizeMismatchException if the chunk has another size, or the object writes fewer bytes than it announced
     * @throws BufferTooSmallException if it writes more
     * @throws ReadOnlyException if the chunk is read-only
     */
    boolean put(long cid, Exportable object);

    /**
     * Changes a chunk's size. Its first bytes stay as far as both sizes go, new ones are zero. The CID stays.
     *
     * @return false if there is no such chunk
     * @throws InvalidSizeException if the size is negative or above {@link ChunkMemory#MAX_SIZE_BYTES}
     * @throws OutOfChunkMemoryException if there is no room for it beside the old one
     * @throws PinnedException if the size is another one and the chunk is pinned
     * @throws ReadOnlyException if the chunk is read-only
     */
    boolean resize(long cid, int sizeBytes);

    /**
     * Replaces the bytes of {@code cids[from]} to {@code cids[to - 1]} by bytes that follow each other from an offset
     * of a segment, as {@link #replace(long, MemorySegment, long, int)} does. When it throws, the chunks before the one
     * that failed are replaced, those behind it are not.
     *
     * @param sizes the size of each, at the index of its CID
     * @param replaced takes, at the index of each CID, whether it was replaced, also when this throws
     * @return how many were there
     */
    int replace(long[] cids, int from, int to, MemorySegment source, long offset, int[] sizes, boolean[] replaced);

    /**
     * Deletes a chunk. Its LID may be given to a new one from then on.
     *
     * @return false if there is no such chunk
     * @throws PinnedException if the chunk is pinned
     */
    boolean delete(long cid);

    /**
     * Deletes {@code cids[from]} to {@code cids[to - 1]}. When it throws, as at a chunk that is pinned, those before
     * the one that failed are deleted, those behind it are not.
     *
     * @param deleted takes, at the index of each CID, whether it was deleted, also when this throws
     * @return how many were there
     */
    int delete(long[] cids, int from, int to, boolean[] deleted);
}
