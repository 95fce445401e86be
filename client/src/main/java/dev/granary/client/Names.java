package dev.granary.client;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Names for chunks, waiting for each answer; see {@link AsyncNames} for what is promised. Thread-safe.
 *
 * <pre>{@code
 * long cid = granary.create(profile);          // the chunk first, then its name
 * granary.names().put("user:42", cid);
 * byte[] value = granary.get(granary.names().get("user:42").orElseThrow());
 * }</pre>
 */
public final class Names {

    private final AsyncNames async;

    /** The same names, waiting for each answer. */
    public Names(AsyncNames async) {
        this.async = async;
    }

    /** Lets a name stand for a chunk, whatever it stands for now; returns the CID that it stood for before. */
    public OptionalLong put(String name, long cid) {
        return GranaryClient.await(async.put(name, cid));
    }

    /** Lets a name stand for a chunk if it stands for none; returns whether it did not. */
    public boolean putIfAbsent(String name, long cid) {
        return GranaryClient.await(async.putIfAbsent(name, cid));
    }

    /** Lets a name stand for another chunk if it stands for the expected one; returns whether it did. */
    public boolean replace(String name, long expectedCid, long cid) {
        return GranaryClient.await(async.replace(name, expectedCid, cid));
    }

    /** What a name stands for. */
    public OptionalLong get(String name) {
        return GranaryClient.await(async.get(name));
    }

    /** Removes a name; the chunk stays. Returns the CID that it stood for. */
    public OptionalLong remove(String name) {
        return GranaryClient.await(async.remove(name));
    }

    /** Removes a name if it stands for this chunk; returns whether it did. */
    public boolean remove(String name, long expectedCid) {
        return GranaryClient.await(async.remove(name, expectedCid));
    }

    /** A page of the names that begin with a prefix; see {@link AsyncNames#list}. */
    public List<NamedChunk> list(String prefix, String after, int limit) {
        return GranaryClient.await(async.list(prefix, after, limit));
    }

    /** All names that begin with a prefix, page by page. */
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
