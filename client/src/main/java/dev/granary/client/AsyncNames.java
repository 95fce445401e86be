package dev.granary.client;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Names for chunks; the methods return futures. A name is a text of 1 to 1024 bytes of UTF-8 and stands for one CID.
 * Applications should store a chunk before its name and remove a name before its chunk: then a name never stands for a
 * chunk that does not exist yet or any more (SAFETY rule "ways around the owner"). A change is carried out once, also
 * when its request is repeated. Every get that begins after a change was acknowledged sees the change. Thread-safe.
 */
public interface AsyncNames {

    /** The most names that one {@link #list} gives. */
    int MAX_LISTED = 4096;

    /**
     * Lets a name stand for a chunk, whatever the name stands for now.
     *
     * @return the CID for which the name stood before, empty for none; the future fails with {@link
     *     ChunkNotFoundException} or {@link ChunkLostException} when there is no such chunk
     */
    CompletableFuture<OptionalLong> put(String name, long cid);

    /**
     * Lets a name stand for a chunk if it stands for none. The future gives whether it has changed the name; it fails
     * as {@link #put} does.
     */
    CompletableFuture<Boolean> putIfAbsent(String name, long cid);

    /**
     * Lets a name stand for another chunk if it stands for the expected one. The future gives whether it has changed
     * the name.
     */
    CompletableFuture<Boolean> replace(String name, long expectedCid, long cid);

    /** Removes a name; the chunk stays. The future gives the CID for which the name stood, empty for none. */
    CompletableFuture<OptionalLong> remove(String name);

    /** Removes a name if it stands for this chunk. The future gives whether it has removed the name. */
    CompletableFuture<Boolean> remove(String name, long expectedCid);

    /** Reads the CID for which a name stands; empty when there is no such name. */
    CompletableFuture<OptionalLong> get(String name);

    /**
     * Lists names that begin with a prefix, in the order of their UTF-8 bytes. Names that are put or removed meanwhile
     * may be in the list or not; all others are in it once.
     *
     * @param prefix empty for all
     * @param after names up to this one are left out, for the next page; empty for none
     * @param limit the most names, 1 to {@value #MAX_LISTED}
     */
    CompletableFuture<List<NamedChunk>> list(String prefix, String after, int limit);
}
