package dev.granary.net;

import dev.granary.overlay.HostAddress;
import java.util.concurrent.CompletableFuture;

/** Opens pipes. Thread-safe. */
@FunctionalInterface
public interface Pipes {

    /**
     * Opens a pipe. The future completes on a thread that may wait, for a first exchange with the other side; it fails
     * when the remote side cannot be reached.
     */
    CompletableFuture<Pipe> open(HostAddress remote);
}
