package dev.granary.tools.bench.hostile;

import java.io.IOException;

/** A hostile client while it is at work. Its threads end when it is closed. */
interface Attack extends AutoCloseable {

    /** Begins. */
    void begin() throws IOException;

    @Override
    void close();
}
