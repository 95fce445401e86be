package dev.granary.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one storage peer, outside the Java heap.
 *
 * <p>A chunk is a CID and bytes, stored en bloc with exactly the size it was created with. A CID is 64 bits: the NID of
 * the peer that created the chunk in the top 16, its LID below (48 bits, counted from 1, reused after deletes).
 *
 * <p>Thread-safe. Each operation on one chunk is atomic: a get sees the bytes of one create, put or replace, never a
 * mixture. A batch is a sequence of such operations, not one atomic step; only {@linkplain #create(int, int[],
 * MemorySegment, long, long[]) batch create} is all or nothing. An operation that throws leaves the store unchanged.
 * Operations wait for others on the same chunk, for no longer than those take.
 *
 * <p>Sizes and offsets are in bytes. Segments may lie on or off the heap; their contents must not change while an
 * operation reads them. A CID of another NID throws {@link ForeignCidException}.
 *
 * <p>{@link #close} gives all memory back. No operation may be running or be started by then: later ones throw {@link
 * IllegalStateException}, but one that is still running may hit memory that is gone.
 */
public interface ChunkMemory extends AutoCloseable {

    /** Instead of a size: there is no such chunk. */
    int ABSENT = -1;

    /** The largest chunk, in bytes. */
    int MAX_SIZE_BYTES = Integer.MAX_VALUE - 16;

    /** The largest LID: 48 bits. */
    long MAX_LID = (1L << 48) - 1;

    /**
     * Opens an empty chunk memory.
     *
     * @throws ReservationException if the operating system refuses the address space
     */
    static ChunkMemory open(ChunkMemoryConfig config) {
        int processors = Runtime.getRuntime().availableProcessors();
        return new VmbChunkMemory(config, Stripes.sensibleCount(processors, config.capacityBytes()));
    }

    /** The NID in the CIDs of all chunks here, 1 to 65535. */
    int nid();

    /**
     * Allows LIDs below a bound to be given to new chunks. Until the first call none may be. A bound below the present
     * one changes nothing.
     *
     * @param endExclusive the lowest LID that must not be given, at most {@link #MAX_LID} + 1
     */
    void reserveLids(long endExclusive);

    /** The LID from which on none has been given to a chunk yet. Some below it may not have been, either. */
    long lidMark();

    /**
     * Creates a chunk of zero bytes.
     *
     * @return its CID
     * @throws InvalidSizeException if the size is negative or above {@link #MAX_SIZE_BYTES}
     * @throws OutOfChunkMemoryException if no free block is large enough
     * @throws LidsExhaustedException if all LIDs that may be given are in use
     */
    long create(int sizeBytes);

    /**
     * Creates a chunk with a copy of the bytes at an offset of a segment.
     *
     * @return its CID
     * @throws InvalidSizeException if the size is negative or above {@link #MAX_SIZE_BYTES}
     * @throws OutOfChunkMemoryException if no free block is large enough
     * @throws LidsExhaustedException if all LIDs that may be given are in use
     * @throws IndexOutOfBoundsException if the segment ends before offset + size
     */
    long create(MemorySegment source, long offset, int sizeBytes);

    /**
     * Creates a chunk into which an object writes itself, with no copy in between.
     *
     * @return its CID
     * @throws SizeMismatchException if the object writes fewer bytes than it announced
     * @throws BufferTooSmallException if it writes more
     * @throws InvalidSizeException if it announces a negative size or more than {@link #MAX_SIZE_BYTES}
     * @throws OutOfChunkMemoryException if no free block is large enough
     * @throws LidsExhaustedException if all LIDs that may be given are in use
     */
    long create(Exportable object);

    /**
     * Creates many chunks, all or none.
     *
     * @param count how many, at least 0
     * @param sizesBytes the size of each, in the first {@code count} elements
     * @param source the payloads one after the other from the offset on; null for chunks of zero bytes
     * @param cids takes the CIDs, in the order of the sizes
     * @return count
     * @throws InvalidSizeException if a size is negative or above {@link #MAX_SIZE_BYTES}
     * @throws OutOfChunkMemoryException if there is no room for all of them
     * @throws LidsExhaustedException if there are not LIDs enough that may be given
     * @throws IndexOutOfBoundsException if the segment or one of the arrays is too short
     */
    int create(int count, int[] sizesBytes, @Nullable MemorySegment source, long offset, long[] cids);

    /** The size of a chunk in bytes, or {@link #ABSENT}. */
    int sizeOf(long cid);

    /**
     * Copies a chunk's bytes to an offset of a segment. Room behind them, up to the capacity, may be written to as well
     * when others change the chunk meanwhile, even if the answer is then that there is none.
     *
     * @param capacityBytes how many bytes may be written there at most
     * @return the chunk's size, or {@link #ABSENT}
     * @throws BufferTooSmallException if the chunk is larger than the capacity; nothing has been written, unless others
     *     changed the chunk meanwhile
     * @throws IndexOutOfBoundsException if the segment ends before offset + capacity
     */
    int get(long cid, MemorySegment target, long offset, long capacityBytes);

    /**
     * Lets an object read its fields from a chunk, with no copy in between. The chunk is locked for reading meanwhile:
     * the object must not use this memory, and what it has read is its own affair if it throws.
     *
     * @return false if there is no such chunk; the object has not been called
     */
    boolean get(long cid, Importable object);

    /**
     * Copies the payloads of {@code cids[from]} to {@code cids[to - 1]} one after the other to an offset of a segment.
     * Stops before the first that does not fit; absent chunks take no room.
     *
     * @param sizes takes the size of each or {@link #ABSENT}, at the index of its CID
     * @return the index of the first CID that was not done, {@code to} if all were
     * @throws IndexOutOfBoundsException if the segment ends before dstOffset + capacity, or an array before {@code to}
     */
    int get(long[] cids, int from, int to, MemorySegment target, long offset, long capacityBytes, int[] sizes);

    /**
     * Replaces a chunk's bytes by as many others.
     *
     * @return false if there is no such chunk
     * @throws SizeMismatchException if the chunk has another size
     * @throws IndexOutOfBoundsException if the segment ends before offset + size
     */
    boolean put(long cid, MemorySegment source, long offset, int sizeBytes);

    /**
     * Replaces a chunk's bytes by others of any size. The CID stays.
     *
     * @return false if there is no such chunk
     * @throws InvalidSizeException if the size is negative or above {@link #MAX_SIZE_BYTES}
     * @throws OutOfChunkMemoryException if the size is another one and no free block is large enough beside the old one
     * @throws IndexOutOfBoundsException if the segment ends before offset + size
     */
    boolean replace(long cid, MemorySegment source, long offset, int sizeBytes);

    /**
     * Deletes a chunk. Its LID may be given to a new one from then on.
     *
     * @return false if there is no such chunk
     */
    boolean delete(long cid);

    /**
     * Deletes {@code cids[from]} to {@code cids[to - 1]}.
     *
     * @param deleted takes, at the index of each CID, whether there was such a chunk
     * @return how many were there
     */
    int delete(long[] cids, int from, int to, boolean[] deleted);

    /** Figures of this moment; exact when no operation is running. */
    MemoryStatistics statistics();

    /**
     * Walks heap and tables and checks every invariant. For tests and tools: it takes time and heap in proportion to
     * the number of chunks, and no other operation may be running.
     */
    VerifierReport verify();

    /** Gives all memory back to the operating system. A second call does nothing. */
    @Override
    void close();
}
