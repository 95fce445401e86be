package dev.granary.process;

import io.prometheus.client.CollectorRegistry;
import java.util.Map;
import java.util.Optional;

/** What a process shows on its HTTP port. Called by HTTP threads, several at once; may block for a moment. */
public interface HttpContent {

    /**
     * The reason that a node gives while it reads gigabytes from its disk and so is not ready: a caller that waits for
     * the node need not give it up.
     */
    String LOADING = "it loads its memory from its disk";

    /** Why the process no longer does anything useful and must be restarted; empty when all is well. */
    default Optional<String> notAliveReason() {
        return Optional.empty();
    }

    /** Why the process is not ready to do its work; empty when it is. */
    Optional<String> notReadyReason();

    /** The process's status as a JSON object. */
    String statusJson();

    /** The metrics to show. */
    CollectorRegistry metrics();

    /** More pages, by the path below which each lies, such as {@code /console}. Asked for once. */
    default Map<String, HttpPages> pages() {
        return Map.of();
    }
}
