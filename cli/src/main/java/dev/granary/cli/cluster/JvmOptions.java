package dev.granary.cli.cluster;

import java.util.List;

/** Options of the JVM of a process, beside those that all have; they come behind these. */
@FunctionalInterface
public interface JvmOptions {

    /**
     * The options of one process.
     *
     * @param name such as {@code storage-1}
     * @param role {@code super-peer} or {@code storage-node}
     */
    List<String> of(String name, String role);
}
