package dev.granary.resp.acl;

import org.jspecify.annotations.Nullable;

/**
 * Finds the chunks that a request is about. Made once, and not for each request.
 *
 * @param <T> the request
 */
@FunctionalInterface
public interface ChunkNeeds<T> {

    /**
     * Returns the first of the chunks that some permissions do not allow, for people; null when they allow all.
     *
     * @param permissions see {@link Selector#allowsChunks}
     */
    @Nullable
    String lacks(Selector permissions, T request);
}
