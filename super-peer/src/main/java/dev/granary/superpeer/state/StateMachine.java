package dev.granary.superpeer.state;

import io.netty.buffer.ByteBuf;

/**
 * State that changes by commands only. The same commands in the same order give the same state and the same results on
 * every machine: an implementation reads no clock, no random source and nothing else from outside.
 * One thread at a time.
 *
 * @param <C> the commands
 * @param <R> the results of commands; a refusal is a result as well, and changes nothing
 */
public interface StateMachine<C, R> {

    /** Appends a command as it stands in the log. */
    void encode(C command, ByteBuf out);

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws IllegalArgumentException when the bytes are no command that this version knows
     */
    C decode(ByteBuf in);

    /**
     * Whether clients may have any number of such commands under way. These have a share of memory and are refused
     * without room in it. All other commands are few, and the cluster could not go on without them.
     */
    default boolean isOfAClient(C command) {
        return false;
    }

    /** Applies a committed command and returns its result. */
    R apply(C command);

    /** Appends the whole state. */
    void writeSnapshot(ByteBuf out);

    /**
     * Replaces the whole state by one that {@link #writeSnapshot} wrote.
     *
     * @throws IllegalArgumentException when the bytes are no snapshot that this version knows
     */
    void readSnapshot(ByteBuf in);
}
