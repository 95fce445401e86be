package dev.granary.storage.door.command;

/** A command that a door answers itself. Has no state; I/O threads run it. */
@FunctionalInterface
public interface LocalCommand {

    /** Writes exactly one reply; {@code CLIENT REPLY OFF|SKIP} alone writes none. */
    void answer(LocalCall call);
}
