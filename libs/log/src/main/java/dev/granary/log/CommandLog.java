package dev.granary.log;

import java.io.IOException;

/**
 * The durable history of a deterministic state machine: a snapshot of its state and the commands since. A command is
 * applied only after it has been appended and synced here. {@link RecordLog} keeps it on one disk; a consensus library
 * can stand behind the same interface.
 *
 * <p>One thread at a time. Sequences start at 1 and have no gaps.
 */
public interface CommandLog extends AutoCloseable {

    /** Visits the contents of the log, in order: at most one snapshot first, then every command after it. */
    interface Replay {

        /**
         * Visits the state from which the state machine starts.
         *
         * @param lastSequence the sequence of the last command that is part of the state, 0 for none
         */
        void snapshot(long lastSequence, byte[] state);

        /** Visits a command that follows. */
        void command(long sequence, byte[] command);
    }

    /**
     * Tells everything that survived. Must be called once, before the first append.
     *
     * @throws IllegalStateException when it is called a second time
     */
    void replay(Replay replay);

    /** The sequence of the last command, appended or found at the opening; 0 for none. */
    long lastSequence();

    /**
     * Appends a command and makes it durable.
     *
     * @return its sequence
     * @throws IOException when it may not be durable; the log is of no use any more, and whether the command survived
     *     is known only after the log has been opened again
     * @throws IllegalStateException before {@link #replay}
     */
    long appendAndSync(byte[] command) throws IOException;

    /**
     * Replaces all commands so far by the state that they led to.
     *
     * @throws IOException when it failed; the log is of no use any more, but nothing is lost
     * @throws IllegalStateException before {@link #replay}
     */
    void snapshot(byte[] state) throws IOException;

    /** The bytes of commands since the last snapshot: tells when the next one is worth its while. */
    long bytesSinceSnapshot();

    @Override
    void close() throws IOException;
}
