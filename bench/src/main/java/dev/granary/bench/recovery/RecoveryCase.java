package dev.granary.bench.recovery;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/** One thing that {@code granary bench recovery} measures, in a process of its own. */
public interface RecoveryCase {

    /** How it is called on the command line and in the results. */
    String name();

    /**
     * Measures.
     *
     * @param directory an empty one on the disk to be measured; what is left in it is deleted
     * @param chunks how many chunks, about
     * @param results takes the fields of each result line, in order; {@code case} is added
     */
    void run(Path directory, long chunks, Consumer<Map<String, Object>> results) throws IOException;
}
