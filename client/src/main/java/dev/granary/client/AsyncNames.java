package dev.granary.client;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Names for chunks, by futures. A name is a text of 1 to 1024 bytes of UTF-8 and stands for one CID. A chunk is stored
 * before its name, and a name is removed before its chunk: then a name never stands for a chunk that is not there yet
 * or is there no more (SAFETY rule "ways around the owner"). A change is carried out once, whatever is repeated; a
 * change that was acknowledged is seen by every get that begins later. Thread-safe.
 */
public interface AsyncNames {

    /** The most names that one {@link #list} gives. */
    int MAX_LISTED = 4096;

    /**
     * Lets a name stand for a chunk, whatever it stands for now.
     *
     * @return the CID that it stood for before; the future fails with {@link ChunkNotFoundException} or {@link
     *     ChunkLostException} when there is no such chunk
     */
    CompletableFuture<OptionalLong> put(String name, long cid);

    /** Lets a name stand for a chunk if it stands for none; tells whether it did not. Fails as {@link #put} does. */
    CompletableFuture<Boolean> putIfAbsent(String name, long cid);

    /** Lets a name stand for another chunk if it stands for the expected one; tells whether it did. */
    CompletableFuture<Boolean> replace(String name, long expectedCid, long cid);

    /** Removes a name; the chunk stays. Returns the CID that it stood for. */
    CompletableFuture<OptionalLong> remove(String name);

    /** Removes a name if it stands for this chunk; tells whether it did. */
    CompletableFuture<Boolean> remove(String name, long expectedCid);

    /** What a name stands for. */
    CompletableFuture<OptionalLong> get(String name);

    /**
     * Names that begin with a prefix, in the order of their UTF-8 bytes. Names that are put or removed meanwhile may be
     * there or not; all others are there once.
     *
     * @param prefix empty for all
     * @param after names up to this one are left out, for the next page; empty for none
     * @param limit the most names, 1 to {@value #MAX_LISTED}
     */
    CompletableFuture<List<NamedChunk>> list(String prefix, String after, int limit);
}
