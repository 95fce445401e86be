package dev.granary.bench.recovery;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/** One case of {@code granary bench recovery}, which runs in its own process. */
public interface RecoveryCase {

    /** The name on the command line and in the results. */
    String name();

    /**
     * Measures the case.
     *
     * @param directory an empty directory on the disk to measure; the caller deletes its content afterwards
     * @param chunks approximate number of chunks
     * @param results takes the fields of each result line, in order; the caller adds {@code case}
     */
    void run(Path directory, long chunks, Consumer<Map<String, Object>> results) throws IOException;
}
