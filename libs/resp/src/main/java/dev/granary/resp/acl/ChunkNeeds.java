package dev.granary.resp.acl;

import org.jspecify.annotations.Nullable;

/** The chunks that a request is about. */
@FunctionalInterface
public interface ChunkNeeds {

    /**
     * Returns the first of the chunks that some permissions do not allow, for people; null when they allow all.
     *
     * @param permissions see {@link Selector#allowsChunks}
     */
    @Nullable
    String lacks(Selector permissions);
}
