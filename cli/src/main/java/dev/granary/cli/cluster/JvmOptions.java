package dev.granary.cli.cluster;

import java.util.List;

/** Additional JVM options of a process. They come behind the options that all processes have. */
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
