package dev.granary.testkit;

/**
 * Thrown in a simulated process instead of giving it a buffer, as Netty does when direct memory has run out. What does
 * not deal with it ends the process, as in production (ADR 0169), and not the run.
 */
public final class InjectedOutOfMemory extends OutOfMemoryError {

    private static final long serialVersionUID = 1L;

    InjectedOutOfMemory(int sizeBytes) {
        super("no buffer of " + sizeBytes + " bytes, on purpose");
    }
}
