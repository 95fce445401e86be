package dev.granary.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One ordered, bidirectional stream of bytes for a thread that waits: it writes and reads itself. One thread at a time
 * uses it; {@link #close} may come from any thread and ends a read or a write that waits.
 */
public interface Pipe extends AutoCloseable {

    /**
     * Writes all remaining bytes, waiting as long as the other side does not take them.
     *
     * @throws IOException when it is closed, or when the calling thread is interrupted, which closes it
     */
    void write(ByteBuffer bytes) throws IOException;

    /**
     * Waits for bytes and reads as many as there are, at most those that have room.
     *
     * @return how many, at least 1; -1 when the other side has closed its end
     * @throws IOException when it is closed, or when the calling thread is interrupted, which closes it
     */
    int read(ByteBuffer into) throws IOException;

    /** Closes it; does nothing when it is closed. Does not wait. */
    @Override
    void close();
}
