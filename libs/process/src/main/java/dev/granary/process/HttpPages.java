package dev.granary.process;

import org.jspecify.annotations.Nullable;

/**
 * Pages that lie below one path of the HTTP port. {@link HttpPort} passes on only GET and HEAD. Called by HTTP threads,
 * several at once; may block for a moment.
 */
public interface HttpPages {

    /**
     * Answers a request.
     *
     * @param path the whole path, without the query; it begins with the pages' own path
     * @param knownTag the request's {@code If-None-Match}; null for none
     */
    HttpAnswer answer(String path, @Nullable String knownTag);
}
