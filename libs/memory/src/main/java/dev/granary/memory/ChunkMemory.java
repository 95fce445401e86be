package dev.granary.memory;

import dev.granary.serialization.BufferTooSmallException;
import dev.granary.serialization.Exportable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one storage peer, outside the Java heap (DXMem; DXRAM sections III and IV; ADR 0090).
 *
 * <p>A chunk is a CID and bytes, stored en bloc with exactly the size it was created with. A CID is 64 bits: the NID of
 * the peer that created the chunk in the top 16, its LID below (48 bits, counted from 1, reused after deletes). Chunks
 * that other peers created can be {@linkplain #insert inserted} with the CIDs they have.
 *
 * <p>Thread-safe, see {@link ChunkAccess}. Only batch creates are all or nothing.
 *
 * <p>Locks on chunks are advisory: the operations of this interface wait for nobody's lock. Those of {@link #locking}
 * take one first.
 *
 * <p>{@link #close} gives all memory back. No operation may be running or be started by then: later ones throw {@link
 * IllegalStateException}, but one that is still running may hit memory that is gone.
 */
public interface ChunkMemory extends ChunkAccess, AutoCloseable {

    /** Instead of a size: there is no such chunk. */
    int ABSENT = -1;

    /** The largest chunk, in bytes. */
    int MAX_SIZE_BYTES = Integer.MAX_VALUE - 16;

    /** The largest LID: 48 bits. */
    long MAX_LID = (1L << 48) - 1;

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

    /**
     * Creates many chunks with consecutive CIDs, all or none: for data that belongs together, such as the parts of a
     * graph, whose CIDs need not be stored one by one. They take LIDs that were never given.
     *
     * @param count how many, at least 1
     * @param sizesBytes the size of each, in the first {@code count} elements
     * @param source the payloads one after the other from the offset on; null for chunks of zero bytes
     * @return the CID of the first
     * @throws InvalidSizeException if a size is negative or above {@link #MAX_SIZE_BYTES}
     * @throws OutOfChunkMemoryException if there is no room for all of them
     * @throws LidsExhaustedException if there are not LIDs enough that may be given
     * @throws IndexOutOfBoundsException if the segment or the array is too short
     */
    long createConsecutive(int count, int[] sizesBytes, @Nullable MemorySegment source, long offset);

    /**
     * Creates a chunk with a given CID: one that another peer created, or that returns.
     *
     * @return false if there is a chunk with this CID; it is unchanged
     * @throws InvalidSizeException if the size is negative or above {@link #MAX_SIZE_BYTES}
     * @throws OutOfChunkMemoryException if no free block is large enough
     * @throws IllegalArgumentException if the LID or the NID is 0
     * @throws IndexOutOfBoundsException if the segment ends before offset + size
     */
    boolean insert(long cid, MemorySegment source, long offset, int sizeBytes);

    /**
     * Creates chunks with the given CIDs {@code cids[from]} to {@code cids[to - 1]}, or replaces the bytes of those
     * that exist: for many that return together, far faster than one by one, and laid out as densely as by
     * {@link #createConsecutive}. When it throws, some are done and others are not; the same call may be repeated.
     *
     * @param cids ascending without duplicates, as unsigned numbers
     * @param source has the bytes of all
     * @param offsets where the bytes of each begin in the source, at the index of its CID
     * @param sizesBytes the size of each, at the index of its CID
     * @return how many were created
     * @throws InvalidSizeException if a size is negative or above {@link #MAX_SIZE_BYTES}; nothing is changed
     * @throws OutOfChunkMemoryException if there is no room
     * @throws PinnedException if a chunk that exists with another size is pinned
     * @throws ReadOnlyException if a chunk that exists is read-only
     * @throws IllegalArgumentException if a LID or NID is 0, or the CIDs do not ascend; nothing is changed
     * @throws IndexOutOfBoundsException if the segment or one of the arrays is too short; nothing is changed
     */
    int insertOrReplace(long[] cids, int from, int to, MemorySegment source, long[] offsets, int[] sizesBytes);

    /**
     * Locks a chunk until {@link #unlock}. Only operations of {@link #locking} and other calls of this respect it. Not
     * reentrant, and not tied to a thread.
     *
     * @param timeoutNanos how long to wait: 0 to try once, {@link Long#MAX_VALUE} for as long as it takes
     * @return false if there is no such chunk; nothing is locked
     * @throws LockTimeoutException if others held the lock for all of {@code timeoutNanos}
     * @throws LockInterruptedException if the thread was interrupted while it waited; its flag is set
     */
    boolean lock(long cid, LockMode mode, long timeoutNanos);

    /**
     * Gives a lock back. The chunk may have been deleted meanwhile.
     *
     * @throws NotLockedException if nobody holds one of this mode on this chunk
     */
    void unlock(long cid, LockMode mode);

    /** A view whose operations lock each chunk as chosen while they work on it, and so wait for others' locks. */
    ChunkAccess locking(LockChoice choice);

    /**
     * Makes a chunk read-only for the rest of its life: its bytes cannot be changed any more, but it can be deleted.
     *
     * @return false if there is no such chunk
     * @throws OutOfChunkMemoryException if there is no room for a note of it
     */
    boolean setReadOnly(long cid);

    /**
     * Keeps a chunk where it is until {@link #unpin}, whatever happens to others: for access by native code or remote
     * direct memory access. Meanwhile it cannot be deleted or get another size.
     *
     * @return the address of its bytes in this process, or 0 if there is no such chunk
     * @throws PinnedException if it is pinned already
     * @throws OutOfChunkMemoryException if there is no room for it to stay alone
     */
    long pin(long cid);

    /**
     * Ends what {@link #pin} began.
     *
     * @throws NotPinnedException if it is not pinned
     */
    void unpin(long cid);

    /**
     * Figures of this moment; exact when no operation is running. Waits for nobody, not even for a dump: beside
     * operations each figure is right by itself, of this moment or the one before.
     */
    MemoryStatistics statistics();

    /**
     * How free memory lies, within the segments in use and beside them.
     */
    FragmentationStatistics fragmentation();

    /**
     * Puts free memory together, beside running operations: moves chunks out of fragmented and sparse segments, so that
     * these can be used for anything, or go back to the operating system. Pinned chunks stay where they are.
     *
     * @param budgetBytes about how many bytes to move; the next call goes on
     * @return what was done
     */
    DefragmentationReport defragment(long budgetBytes);

    /** How much of the memory in use is free but scattered, as a share: what {@link #defragment} could put together. */
    double reclaimableShare();

    /** Whether less than an eighth of the memory is left in whole, however much is free but scattered. */
    boolean isShort();

    /**
     * Says how long an operation that finds no room may put free memory together by itself, in place of the cleaner: as
     * long as it takes, unless this was called. When the time is over the operation fails with an
     * {@link OutOfChunkMemoryException} that {@linkplain OutOfChunkMemoryException#isPassing says so}; the next one, or
     * the cleaner, goes on. For threads that others wait for.
     *
     * @param nanosForCaller asked by each such operation on its own thread; {@link Long#MAX_VALUE} is no limit
     */
    void limitReclaim(LongSupplier nanosForCaller);

    /**
     * Changes the capacity while chunks are used. To shrink, chunks are moved together, and memory goes back to the
     * operating system.
     *
     * @param capacityBytes up to {@link SystemMemoryConfig#maxCapacityBytes}
     * @return the capacity from now on: more than asked for if not all could be moved
     * @throws IllegalArgumentException if it is less than an extent, or more than was reserved
     * @throws ReservationException if the operating system refuses more; the capacity stays as it was
     */
    long resizeMemory(long capacityBytes);

    /**
     * Sets how much of the capacity is for other uses of the process, which have that memory elsewhere: chunks have so
     * much less. Whole extents are set aside. Less is always possible; more only as far as extents are free.
     *
     * @param bytes at least 0, all uses together
     * @return how many bytes are set aside from now on; less than asked for, and as many as before, if there is no room
     */
    long setAside(long bytes);

    /** What the operating system says that this memory takes. */
    MemoryFromSystem memoryFromSystem();

    /**
     * Walks heap and tables and checks every invariant. For tests and tools: it takes time and heap in proportion to
     * the number of chunks, and no other operation may be running.
     */
    VerifierReport verify();

    /**
     * Writes everything to a file, far faster than chunk by chunk ({@code docs/formats/memory-dump.md}). Under a
     * temporary name first (with {@code .part} behind it), so that there is a whole dump,
     * or the one that was there before, or none.
     *
     * <p>The caller stops all that change chunks first. Gets may go on. Creates and deletes that come all the same wait
     * until the dump is written; that no put is running is found out only at the start. Defragmentation waits, too, and
     * so does {@link #close}. {@link #statistics} do not.
     *
     * @throws IllegalStateException if something is being changed; nothing is written
     * @throws IOException if the file cannot be written; it does not exist, or is as before
     */
    void dump(Path file) throws IOException;

    /**
     * The same to a channel, which is not closed.
     *
     * @throws IllegalStateException if something is being changed; nothing is written
     * @throws IOException if the channel cannot be written to
     */
    void dump(WritableByteChannel channel) throws IOException;

    /** Gives all memory back to the operating system. A second call does nothing. */
    @Override
    void close();
}
