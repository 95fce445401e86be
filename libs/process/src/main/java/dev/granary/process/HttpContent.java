package dev.granary.process;

import io.prometheus.client.CollectorRegistry;
import java.util.Optional;

/** What a process shows on its HTTP port. Called by HTTP threads, several at once; may block for a moment. */
public interface HttpContent {

    /** Why the process is not ready to do its work; empty when it is. */
    Optional<String> notReadyReason();

    /** The process's status as a JSON object. */
    String statusJson();

    /** The metrics to show. */
    CollectorRegistry metrics();
}
