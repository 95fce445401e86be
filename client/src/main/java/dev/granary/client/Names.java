package dev.granary.client;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Names for chunks; the methods wait for each answer. {@link AsyncNames} says what they promise. Thread-safe.
 *
 * <pre>{@code
 * long cid = granary.create(profile);          // the chunk first, then its name
 * granary.names().put("user:42", cid);
 * byte[] value = granary.get(granary.names().get("user:42").orElseThrow());
 * }</pre>
 */
public final class Names {

    private final AsyncNames async;

    /** Wraps names with futures; the methods of the new ones wait for each answer. */
    public Names(AsyncNames async) {
        this.async = async;
    }

    /**
     * Lets a name stand for a chunk, whatever the name stands for now. Returns the CID for which it stood before, empty
     * for none.
     */
    public OptionalLong put(String name, long cid) {
        return GranaryClient.await(async.put(name, cid));
    }

    /** Lets a name stand for a chunk if it stands for none. Returns whether it has changed the name. */
    public boolean putIfAbsent(String name, long cid) {
        return GranaryClient.await(async.putIfAbsent(name, cid));
    }

    /**
     * Lets a name stand for another chunk if it stands for the expected one. Returns whether it has changed the name.
     */
    public boolean replace(String name, long expectedCid, long cid) {
        return GranaryClient.await(async.replace(name, expectedCid, cid));
    }

    /** Returns the CID for which a name stands; empty when there is no such name. */
    public OptionalLong get(String name) {
        return GranaryClient.await(async.get(name));
    }

    /** Removes a name; the chunk stays. Returns the CID for which the name stood, empty for none. */
    public OptionalLong remove(String name) {
        return GranaryClient.await(async.remove(name));
    }

    /** Removes a name if it stands for this chunk. Returns whether it has removed the name. */
    public boolean remove(String name, long expectedCid) {
        return GranaryClient.await(async.remove(name, expectedCid));
    }

    /** Returns a page of the names that begin with a prefix; see {@link AsyncNames#list}. */
    public List<NamedChunk> list(String prefix, String after, int limit) {
        return GranaryClient.await(async.list(prefix, after, limit));
    }

    /** Returns all names that begin with a prefix; fetches them page by page. */
    public List<NamedChunk> list(String prefix) {
        List<NamedChunk> all = new ArrayList<>();
        List<NamedChunk> page;
        do {
            String after = all.isEmpty() ? "" : all.getLast().name();
            page = list(prefix, after, AsyncNames.MAX_LISTED);
            all.addAll(page);
        } while (page.size() == AsyncNames.MAX_LISTED);
        return all;
    }
}
