package dev.granary.tools.bench.network;

import java.util.List;

/** Says how to start a Java process with a client. */
@FunctionalInterface
public interface Launcher {

    /**
     * Returns a process that is not started.
     *
     * @param kind decides about the libraries
     */
    ProcessBuilder process(ClientKind kind, String mainClass, List<String> arguments);
}
